/*
 * Plain events: slices that begin or end, and instants, with at most a track, one
 * category, a name known by number and annotations, on a track that has its row.
 *
 * Most events are like that, and need none of the questions of track_event.c. What
 * is anything else is left to it, before anything was changed. That covers whatever
 * is counted as an error, the first use of a name or a track, merged tracks,
 * and events of a process that carry the thread that wrote them.
 */
#include "processor/import/events/plain.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

/* False: a field, or a number, that plain events have not. */
static inline bool put_plain(struct orma_plain *e, uint8_t tag, uint64_t val)
{
    switch (tag) {
    case ORMA_PB_TRACK_EVENT_TYPE << 3:
        e->type = (uint8_t)val;
        return val <= ORMA_PB_TRACK_EVENT_TYPE_INSTANT;
    case ORMA_PB_TRACK_EVENT_TRACK_UUID << 3:
        e->track_uuid = val;
        e->has_track = true;
        return true;
    case ORMA_PB_TRACK_EVENT_NAME_IID << 3:
        e->name_iid = (uint32_t)val;
        return val <= UINT32_MAX;
    case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS << 3:
        if (e->has_category) /* several are joined */
            return false;
        e->category_iid = (uint32_t)val;
        e->has_category = true;
        return val <= UINT32_MAX;
    }
    return false;
}

static inline bool read_plain(const struct orma_item *item, struct orma_plain *ret)
{
    const uint8_t *at = item->data, *end = at + item->len;
    struct orma_plain e = {0};

    if (item->extra || !item->gen)
        return false;
    while (at != end) {
        uint8_t tag = *at++;
        uint64_t val;

        if (!orma_pb_varint_at(&at, end, &val))
            return false;
        if (tag == (ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS << 3 | ORMA_PB_LEN)) {
            if (val > (uint64_t)(end - at))
                return false;
            at += val;
            e.annotated = true;
        } else if (tag & 7 || !put_plain(&e, tag, val)) {
            return false;
        }
    }
    *ret = e;
    return !e.annotated || e.type != ORMA_PB_TRACK_EVENT_TYPE_SLICE_END; /* adds to what is there */
}

bool orma_events_read_plain(const struct orma_item *item, struct orma_plain *ret)
{
    return read_plain(item, ret);
}

/* The track, if it may be used as it is. */
static inline struct orma_events_track *usable_track(struct orma_import_ctx *imp,
                                                     struct orma_seq_gen *gen, uint64_t uuid)
{
    struct orma_events_track *t = orma_events_plain_track(imp, gen, uuid);

    if (ORMA_UNLIKELY(t && t != gen->event_track))
        gen->event_track = t;
    return t && orma_events_is_plain_track(t, gen) ? t : NULL;
}

/* Whether they depend on these bytes alone. */
static bool read_annotations(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                             struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool plain = true;

    orma_events_start_args(imp, NULL);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            plain &= orma_events_annotation(imp, gen, orma_pb_str(&f), ret);
    return plain && !r.failed;
}

/* ---- events that come again ---- */

/* The bytes with zeros behind them. */
static inline void pad(struct orma_str bytes, uint64_t ret[ORMA_EVENTS_MEMO_BYTES / 8])
{
    memset(ret, 0, ORMA_EVENTS_MEMO_BYTES);
    memcpy(ret, bytes.data, bytes.len);
}

static inline struct orma_events_memo *memo_of(struct orma_events_state *st,
                                               const struct orma_seq_gen *gen,
                                               const uint64_t words[ORMA_EVENTS_MEMO_BYTES / 8])
{
    uint64_t hash = (words[0] ^ (uintptr_t)gen->seq) * 0x9e3779b97f4a7c15u;

    hash = (hash ^ words[1] ^ words[2] ^ words[3] ^ gen->number) * 0x9e3779b97f4a7c15u;
    return &st->memos[hash >> 32 & (ORMA_EVENTS_MEMOS_NUM - 1)];
}

static void remember(struct orma_events_memo *m, const struct orma_seq_gen *gen,
                     const uint64_t words[ORMA_EVENTS_MEMO_BYTES / 8], size_t len,
                     struct orma_args_list *args)
{
    if (!args->len || args->len > ORMA_EVENTS_MEMO_ARGS || args->behind || args->failed)
        return;
    m->seq = gen->seq;
    m->gen = gen->number;
    m->len = (uint8_t)len;
    m->args_num = (uint8_t)args->len;
    memcpy(m->bytes, words, sizeof(m->bytes));
    memcpy(m->args, args->args, args->len * sizeof(*m->args));
    m->set.set = 0;
    args->memo = &m->set;
    args->memo_stamp = ++m->set.stamp;
}

void orma_events_take_annotations(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                             struct orma_str bytes, struct orma_args_list *ret)
{
    uint64_t words[ORMA_EVENTS_MEMO_BYTES / 8];

    if (bytes.len > ORMA_EVENTS_MEMO_BYTES) {
        (void)read_annotations(imp, gen, bytes, ret);
        return;
    }
    pad(bytes, words);
    struct orma_events_memo *m = memo_of(orma_events_state(imp), gen, words);
    if (m->gen == gen->number && m->seq == gen->seq && m->len == bytes.len &&
        !memcmp(m->bytes, words, sizeof(words))) {
        for (unsigned i = 0; i < m->args_num; i++)
            orma_args_put_new(ret, m->args[i]);
        ret->memo = &m->set;
        ret->memo_stamp = m->set.stamp;
    } else if (read_annotations(imp, gen, bytes, ret)) {
        remember(m, gen, words, bytes.len, ret);
    }
}

static inline void put_slice(struct orma_import_ctx *imp, int64_t ts, uint32_t track, uint32_t type,
                             uint32_t category, uint32_t name, const struct orma_args_list *args)
{
    if (type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN)
        orma_slices_begin(&imp->model->slices, ts, track, category, name, args);
    else if (type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_END)
        orma_import_ended(
            imp, orma_slices_end(&imp->model->slices, ts, track, category, name, NULL));
    else
        orma_slices_complete(&imp->model->slices, ts, 0, track, category, name, args);
}

static inline bool use_plain(struct orma_import_ctx *imp, int64_t ts, struct orma_seq_gen *gen,
                             const struct orma_plain *e, struct orma_str bytes)
{
    uint32_t name = 0, category = 0;

    if (e->name_iid && !(name = orma_events_known_text(gen, ORMA_PB_INTERNED_DATA_EVENT_NAMES, e->name_iid)))
        return false;
    if (e->has_category &&
        !(category = orma_events_known_text(gen, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, e->category_iid)))
        return false;
    const struct orma_events_track *t =
        usable_track(imp, gen, e->has_track ? e->track_uuid : gen->track_uuid);
    if (!t || e->type == ORMA_PB_TRACK_EVENT_TYPE_UNSPECIFIED)
        return false;
    if (ORMA_LIKELY(!e->annotated)) {
        put_slice(imp, ts, t->track, e->type, category, name, NULL);
        return true;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    if (!orma_events_leave_annotations(imp, gen, bytes, args))
        orma_events_take_annotations(imp, gen, bytes, args);
    put_slice(imp, ts, t->track, e->type, category, name, args);
    return true;
}

bool orma_events_use_plain(void *imp, int64_t ts, struct orma_seq_gen *gen,
                           const struct orma_plain *plain, struct orma_str bytes)
{
    struct orma_import_ctx *ctx = imp;

    /* Of several files: whose event it is, is said where it is emitted. */
    return ctx->model->files_read <= 1 && use_plain(ctx, ts, gen, plain, bytes);
}

bool orma_events_parse_plain(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_plain e;
    const struct orma_str bytes = {(const char *)item->data, item->len};

    return read_plain(item, &e) && use_plain(imp, item->ts, item->gen, &e, bytes);
}
