/*
 * The long way of an event: anything that is not written in the short form.
 * Packets are built in scratch memory of the thread and put whole.
 *
 * First of all, and again after a loss or a clear, a sequence introduces itself
 * (te_state.c):
 *
 *   { flags CLEARED, defaults {clock 64, thread's track}, clock_snapshot {6: T, 64: T/m} }
 *   { flags NEEDS, descriptor of the thread }   { ... of the process }   [{ ... of thread_time }]
 *
 * Only when all of these were written may an event follow; else it is dropped as
 * well, and the next one tries again.
 */
#include "sdk/events/te_encode.h"

#include <time.h>

#include "protos/fields/common.h"
#include "protos/fields/track_event.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/guard.h"
#include "sdk/wire/pb_writer.h"

#define NESTING_MAX 32u

/* ---- an event ---- */

static bool has_names(uint32_t type)
{
    return type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN ||
           type == ORMA_PB_TRACK_EVENT_TYPE_INSTANT || type == ORMA_PB_TRACK_EVENT_TYPE_STATE;
}

/* What the arguments say about the whole event. */
static void read_args(struct orma_te_encoder *e)
{
    for (size_t i = 0; i < e->ev->args_num; i++) {
        const struct orma_arg *a = &e->ev->args[i];

        switch (a->kind) {
        case ORMA_ARG_KIND_TRACK:
            e->track = a->ptr;
            break;
        case ORMA_ARG_KIND_DYNAMIC_NAME:
            e->dynamic_name = (struct orma_str){a->ptr ? a->ptr : "", a->len};
            break;
        case ORMA_ARG_KIND_TIME:
            e->has_time = true;
            e->clock_id = a->len;
            e->ns = a->num;
            break;
        case ORMA_ARG_KIND_EXTRA_INT:
        case ORMA_ARG_KIND_EXTRA_DOUBLE:
            e->extra_num += a->ptr != NULL; /* without a track there is nowhere to count */
            break;
        }
    }
}

static bool describe_all(struct orma_te_encoder *e)
{
    if (e->track && !orma_te_describe(e->t, e->seq, e->track))
        return false;
    for (size_t i = 0; e->extra_num && i < e->ev->args_num; i++) {
        const struct orma_arg *a = &e->ev->args[i];

        if ((a->kind == ORMA_ARG_KIND_EXTRA_INT || a->kind == ORMA_ARG_KIND_EXTRA_DOUBLE) &&
            a->ptr && !orma_te_describe(e->t, e->seq, a->ptr))
            return false;
    }
    return true;
}

static void put_time(struct orma_te_encoder *e)
{
    struct orma_te_seq *seq = e->seq;
    const struct orma_te_config *c = &seq->session->config;
    struct orma_buf *b = &e->t->packet;

    if (e->has_time && e->clock_id) {
        orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, e->ns);
        orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, e->clock_id);
        return;
    }
    if (c->absolute_timestamps) {
        orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, e->ns / c->unit_ns);
        return;
    }
    /* A given time may lie in the future; it must not take the clock of those that follow there. */
    if (e->has_time) {
        orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, e->ns / c->unit_ns);
        orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID,
                        c->unit_ns == 1 ? ORMA_CLOCK_BOOTTIME : ORMA_TE_CLOCK_ABSOLUTE);
        return;
    }
    uint64_t delta = (e->ns - seq->last_ns) / c->unit_ns;
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, delta);
    seq->last_ns += delta * c->unit_ns;
}

/* A group "a,b" belongs to each of its members. */
static void put_categories(struct orma_te_encoder *e)
{
    struct orma_str rest = orma_str_from(e->ev->category->name), one;

    while (rest.len && orma_str_cut(&rest, ',', &one))
        orma_pb_put_u64(&e->t->event, ORMA_PB_TRACK_EVENT_CATEGORY_IIDS,
                        orma_te_intern(e, ORMA_TE_CATEGORY, orma_str_trim(one)));
}

static void put_name(struct orma_te_encoder *e)
{
    struct orma_buf *b = &e->t->event;

    if (e->dynamic_name.data) {
        struct orma_str filtered = ORMA_STR("FILTERED");
        bool hide = e->seq->session->config.filter_dynamic_names;

        orma_pb_put_str(b, ORMA_PB_TRACK_EVENT_NAME, hide ? filtered : e->dynamic_name);
    } else if (e->ev->site && e->ev->site->name[0]) {
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_NAME_IID,
                        orma_te_intern(e, ORMA_TE_EVENT_NAME, orma_str_from(e->ev->site->name)));
    }
}

static void put_counter_value(struct orma_te_encoder *e)
{
    struct orma_buf *b = &e->t->event;
    int64_t val = e->ev->val;

    if (e->ev->is_double) {
        orma_pb_put_double(b, ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, e->ev->double_val);
        return;
    }
    if (e->track->incremental) {
        uint64_t last = orma_map_get(&e->seq->tracks, e->track->uuid);

        /* As unsigned: wraps around like the reader's sum. */
        if (last != ORMA_MAP_NONE)
            val = (int64_t)((uint64_t)val - last);
        /* The one value that the map cannot hold: the track is described again and starts from 0.
         */
        if (e->ev->val == (int64_t)ORMA_MAP_NONE)
            (void)orma_map_take(&e->seq->tracks, e->track->uuid);
        else
            (void)orma_map_put(&e->seq->tracks, e->track->uuid, (uint64_t)e->ev->val);
    }
    orma_pb_put_i64(b, ORMA_PB_TRACK_EVENT_COUNTER_VALUE, val);
}

/* CPU time of the thread since the last event that had it, in the session's unit. */
static uint64_t thread_time_delta(struct orma_te_encoder *e)
{
    const struct orma_te_config *c = &e->seq->session->config;
    struct orma_te_seq *seq = e->seq;
    struct timespec ts;

    if (seq->thread_time_at_ns && e->ns - seq->thread_time_at_ns < c->thread_time_period_ns)
        return 0;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) < 0)
        return 0;
    uint64_t now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    uint64_t delta = (now - seq->thread_time_ns) / c->unit_ns;
    seq->thread_time_ns += delta * c->unit_ns;
    seq->thread_time_at_ns = e->ns;
    return delta;
}

static void put_extra_counters(struct orma_te_encoder *e)
{
    struct orma_buf *b = &e->t->event;
    bool thread_time = e->seq->session->config.thread_time && !e->track &&
                       e->ev->type != ORMA_PB_TRACK_EVENT_TYPE_COUNTER;

    /* The event's list replaces that of the defaults, so it names thread_time again. */
    if (e->extra_num && thread_time)
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS,
                        orma_te_thread_time_uuid(e->t));
    if (thread_time)
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES, thread_time_delta(e));
    for (size_t i = 0; e->extra_num && i < e->ev->args_num; i++) {
        const struct orma_arg *a = &e->ev->args[i];
        const struct orma_track *track = a->ptr;
        double val;

        if (!track)
            continue;
        if (a->kind == ORMA_ARG_KIND_EXTRA_INT) {
            orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS, track->uuid);
            orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES, a->num);
        } else if (a->kind == ORMA_ARG_KIND_EXTRA_DOUBLE) {
            memcpy(&val, &a->num, sizeof(val));
            orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, track->uuid);
            orma_pb_put_double(b, ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, val);
        }
    }
}

/* ---- annotations ---- */

struct nest {
    size_t begun[NESTING_MAX];
    bool is_array[NESTING_MAX];
    unsigned depth;
    unsigned too_deep; /* levels that are left out */
};

static size_t begin_annotation(struct orma_te_encoder *e, const struct nest *n,
                               const struct orma_arg *a, const char *key, bool dynamic)
{
    struct orma_buf *b = &e->t->event;
    bool in_array = n->depth && n->is_array[n->depth - 1];
    uint32_t field = !n->depth  ? ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS
                     : in_array ? ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES
                                : ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES;
    size_t at = orma_pb_begin(b, field);

    (void)a;
    if (in_array)
        return at;
    if (dynamic)
        orma_pb_put_cstr(b, ORMA_PB_DEBUG_ANNOTATION_NAME, key ? key : "");
    else
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_NAME_IID,
                        orma_te_intern(e, ORMA_TE_ANNOTATION_NAME, orma_str_from(key)));
    return at;
}

static void put_value(struct orma_te_encoder *e, const struct orma_arg *a)
{
    struct orma_buf *b = &e->t->event;
    struct orma_str text = {a->ptr, a->ptr ? a->len : 0};

    switch (a->kind) {
    case ORMA_ARG_KIND_BOOL:
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE, a->num);
        break;
    case ORMA_ARG_KIND_INT:
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, a->num);
        break;
    case ORMA_ARG_KIND_UINT:
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE, a->num);
        break;
    case ORMA_ARG_KIND_POINTER:
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE, a->num);
        break;
    case ORMA_ARG_KIND_DOUBLE:
        orma_pb_put_fixed64(b, ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE, a->num);
        break;
    case ORMA_ARG_KIND_STR:
        orma_pb_put_str(b, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, text);
        break;
    case ORMA_ARG_KIND_STATIC_STR:
        orma_pb_put_u64(b, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID,
                        orma_te_intern(e, ORMA_TE_STRING_VALUE, text));
        break;
    case ORMA_ARG_KIND_PROTO:
        orma_pb_put_cstr(b, ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME, a->key ? a->key : "");
        orma_pb_put_str(b, ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE, text);
        break;
    }
}

static void open_nest(struct orma_te_encoder *e, struct nest *n, const struct orma_arg *a)
{
    if (n->depth == NESTING_MAX || n->too_deep) {
        n->too_deep++;
        return;
    }
    n->begun[n->depth] = begin_annotation(e, n, a, a->key, a->dynamic_key);
    n->is_array[n->depth++] = a->kind == ORMA_ARG_KIND_ARRAY;
}

static void close_nest(struct orma_te_encoder *e, struct nest *n)
{
    if (n->too_deep)
        n->too_deep--;
    else if (n->depth)
        orma_pb_end(&e->t->event, n->begun[--n->depth]);
}

static void put_annotation(struct orma_te_encoder *e, struct nest *n, const struct orma_arg *a)
{
    if (n->too_deep)
        return;
    /* A message's key travels in `num`, its type in `key`. */
    bool is_proto = a->kind == ORMA_ARG_KIND_PROTO;
    const char *key = is_proto ? (const char *)(uintptr_t)a->num : a->key;
    size_t at = begin_annotation(e, n, a, key, !is_proto && a->dynamic_key);
    put_value(e, a);
    orma_pb_end(&e->t->event, at);
}

static void put_log(struct orma_te_encoder *e, const struct orma_arg *a)
{
    struct orma_buf *b = &e->t->event;
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_EVENT_LOG_MESSAGE);

    if (e->ev->site)
        orma_pb_put_u64(b, ORMA_PB_LOG_MESSAGE_SOURCE_LOCATION_IID,
                        orma_te_intern_location(e, a->key));
    orma_pb_put_u64(b, ORMA_PB_LOG_MESSAGE_BODY_IID,
                    orma_te_intern(e, ORMA_TE_LOG_BODY, orma_str_from(a->ptr)));
    orma_pb_put_u64(b, ORMA_PB_LOG_MESSAGE_PRIO, a->len);
    orma_pb_end(b, at);
}

static bool is_annotation(uint16_t kind)
{
    return kind <= ORMA_ARG_KIND_STR || kind == ORMA_ARG_KIND_STATIC_STR ||
           (kind >= ORMA_ARG_KIND_DICT && kind <= ORMA_ARG_KIND_PROTO);
}

/* Those that are neither annotations nor about the whole event. */
static void put_other(struct orma_te_encoder *e, const struct orma_arg *a)
{
    struct orma_buf *b = &e->t->event;

    switch (a->kind) {
    case ORMA_ARG_KIND_FLOW:
        orma_pb_put_fixed64(b, ORMA_PB_TRACK_EVENT_FLOW_IDS, a->num);
        break;
    case ORMA_ARG_KIND_FLOW_END:
        orma_pb_put_fixed64(b, ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS, a->num);
        break;
    case ORMA_ARG_KIND_DYNAMIC_CATEGORY:
        if (has_names(e->ev->type))
            orma_pb_put_str(b, ORMA_PB_TRACK_EVENT_CATEGORIES, (struct orma_str){a->ptr, a->len});
        break;
    case ORMA_ARG_KIND_SOURCE_LOCATION:
        if (e->ev->site)
            orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_SOURCE_LOCATION_IID,
                            orma_te_intern_location(e, a->key));
        break;
    case ORMA_ARG_KIND_LOG:
        put_log(e, a);
        break;
    case ORMA_ARG_KIND_CORRELATION:
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_CORRELATION_ID, a->num);
        break;
    case ORMA_ARG_KIND_CORRELATION_STR:
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR_IID,
                        orma_te_intern(e, ORMA_TE_CORRELATION, (struct orma_str){a->ptr, a->len}));
        break;
    case ORMA_ARG_KIND_FIELD_UINT:
        orma_pb_put_u64(b, a->len, a->num);
        break;
    case ORMA_ARG_KIND_FIELD_BYTES:
        orma_pb_put_bytes(b, (uint32_t)a->num, a->ptr, a->ptr ? a->len : 0);
        break;
    }
}

static void put_args(struct orma_te_encoder *e)
{
    bool annotate = !e->seq->session->config.filter_annotations;
    struct nest nest = {.depth = 0};

    for (size_t i = 0; i < e->ev->args_num; i++) {
        const struct orma_arg *a = &e->ev->args[i];

        if (!is_annotation(a->kind))
            put_other(e, a);
        else if (!annotate)
            continue;
        else if (a->kind == ORMA_ARG_KIND_DICT || a->kind == ORMA_ARG_KIND_ARRAY)
            open_nest(e, &nest, a);
        else if (a->kind == ORMA_ARG_KIND_CLOSE)
            close_nest(e, &nest);
        else
            put_annotation(e, &nest, a);
    }
    while (nest.depth)
        close_nest(e, &nest);
}

/* ---- putting it together ---- */

static bool put_event(struct orma_te_encoder *e)
{
    struct orma_te_thread *t = e->t;

    orma_buf_clear(&t->interned);
    orma_buf_clear(&t->event);
    orma_pb_put_u64(&t->event, ORMA_PB_TRACK_EVENT_TYPE, e->ev->type);
    if (e->track)
        orma_pb_put_u64(&t->event, ORMA_PB_TRACK_EVENT_TRACK_UUID, e->track->uuid);
    if (has_names(e->ev->type)) {
        put_categories(e);
        put_name(e);
    }
    if (e->ev->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER)
        put_counter_value(e);
    put_extra_counters(e);
    put_args(e);

    orma_buf_clear(&t->packet);
    put_time(e);
    orma_pb_put_u64(&t->packet, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, ORMA_TE_NEEDS_STATE);
    t->packet.failed |= t->interned.failed | t->event.failed;
    if (t->interned.len)
        orma_pb_put_bytes(&t->packet, ORMA_PB_TRACE_PACKET_INTERNED_DATA, t->interned.data,
                          t->interned.len);
    orma_pb_put_bytes(&t->packet, ORMA_PB_TRACE_PACKET_TRACK_EVENT, t->event.data, t->event.len);
    return orma_te_put_packet(t, e->seq);
}

/*
 * Time of the clock snapshot. Those of a sequence may not go back, yet this event may have been
 * stamped before the last one of the thread that had the sequence before: it waited for it. Then
 * it begins now.
 */
static uint64_t start_time(struct orma_te_encoder *e)
{
    uint64_t last = e->seq->last_ns, now = e->ns;

    if (e->has_time || now < last)
        now = orma_tsc_now(&e->t->clock);
    now = ORMA_MAX(now, last);
    if (!e->has_time)
        e->ns = now;
    return now;
}

/* The event's packet, and those that must come first. False: lost, and counted. */
static bool put_all(struct orma_te_encoder *e)
{
    struct orma_te_seq *seq = e->seq;

    /* With nothing free, one loss is counted, not one for each packet that would have come first.
     */
    if (!orma_writer_make_room(seq->writer, ORMA_TE_RECORD_MAX)) {
        orma_te_seq_lose(seq);
        return false;
    }
    orma_te_seq_renew_if_due(seq);
    if (seq->renew || seq->writer->restart) {
        seq->renew = false;
        if (!orma_te_introduce(e->t, seq, start_time(e))) {
            orma_te_seq_lose(seq);
            return false;
        }
    }
    /* Readings of one thread may step back by a few ns, see tsc.h. */
    if (!e->has_time && e->ns < seq->last_ns)
        e->ns = seq->last_ns;
    if (!describe_all(e)) {
        orma_te_seq_lose(seq);
        return false;
    }
    return put_event(e);
}

/* Does the session want the categories that the event names itself? */
static bool wants_dynamic(const struct orma_te_session *session, const struct orma_te_event *ev)
{
    bool names = false;

    if (ev->category != &orma_category_dynamic)
        return true;
    for (size_t i = 0; i < ev->args_num; i++) {
        const struct orma_arg *a = &ev->args[i];

        if (a->kind != ORMA_ARG_KIND_DYNAMIC_CATEGORY)
            continue;
        names = true;
        if (orma_te_config_wants(&session->config, (struct orma_str){a->ptr, a->len}, NULL))
            return true;
    }
    return !names;
}

/* In a signal handler that interrupted what we would have to lock. */
static bool lose_nested(struct orma_te_thread *self, uint32_t slot)
{
    struct orma_te_seq *seq = atomic_load_explicit(&self->seqs[slot], memory_order_relaxed);

    if (seq)
        orma_te_seq_lose(seq);
    else
        orma_te_lose(slot);
    return true;
}

bool orma_te_emit(struct orma_te_thread *self, uint32_t slot, const struct orma_te_event *ev)
{
    ORMA_ASSERT_HOT(self == orma_te_self && slot < ORMA_TE_SLOTS);
    ORMA_ASSERT_HOT(atomic_load(&self->busy) == ORMA_TE_RUNNING);
    ORMA_HUSHED;

    if (orma_guard_is_up())
        return lose_nested(self, slot);
    orma_te_thread_settle(self);
    /* acquire: see set_bit() in te_session.c. Again, since the session may have ended meanwhile. */
    if (!(__atomic_load_n(&ev->category->enabled, __ATOMIC_ACQUIRE) & UINT32_C(1) << slot))
        return false;
    struct orma_te_seq *seq = orma_te_thread_seq(self, slot);
    if (!seq)
        return true;
    if (!wants_dynamic(seq->session, ev))
        return false;

    struct orma_te_encoder e = {.t = self,
                                .seq = seq,
                                .ev = ev,
                                .track = ev->track,
                                .has_time = ev->has_time,
                                .clock_id = ev->clock_id,
                                .ns = ev->ns};
    read_args(&e);
    bool put = put_all(&e);
    if (put && !seq->renew && !seq->writer->restart) {
        orma_te_forget_old_keys(seq);
        orma_te_learn(&e);
        orma_te_seq_open(self, seq);
    }
    if (seq->renew || seq->writer->restart) /* what the reader knows is gone: no short form */
        atomic_store_explicit(&seq->sites_num, 0, memory_order_relaxed);
    return true;
}
