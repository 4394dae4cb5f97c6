/*
 * Plain events: slices that begin or end, and instants, with at most a track, one
 * category and a name known by number, on a track that has its row.
 *
 * Most events are like that, and need none of the questions of track_event.c. What
 * is anything else is left to it, before anything was changed. That covers whatever
 * is counted as an error, the first use of a name or a track, merged tracks,
 * and events of a process that carry the thread that wrote them.
 */
#include "processor/import/track_event/event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

struct plain {
    uint64_t type, track_uuid, name_iid, category_iid;
    bool has_track, has_category;
};

/* False: it has other fields, or one of them twice. */
static inline bool read_plain(const struct orma_item *item, struct plain *e)
{
    const uint8_t *at = item->data, *end = at + item->len;

    while (at != end) {
        uint8_t tag = *at++;
        uint64_t val;

        if (tag & 7 || !orma_pb_varint_at(&at, end, &val))
            return false;
        switch (tag) {
        case ORMA_PB_TRACK_EVENT_TYPE << 3:
            if (val > ORMA_PB_TRACK_EVENT_TYPE_INSTANT)
                return false;
            e->type = val;
            break;
        case ORMA_PB_TRACK_EVENT_TRACK_UUID << 3:
            e->track_uuid = val;
            e->has_track = true;
            break;
        case ORMA_PB_TRACK_EVENT_NAME_IID << 3:
            e->name_iid = val;
            break;
        case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS << 3:
            if (e->has_category)
                return false;
            e->category_iid = val;
            e->has_category = true;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* The track, if it may be used as it is. */
static inline struct orma_te_track *usable_track(struct orma_import *imp,
                                                 const struct orma_item *item, uint64_t uuid)
{
    struct orma_seq_gen *gen = item->gen;
    struct orma_te_track *t = gen->event_track;

    if (ORMA_UNLIKELY(!t || t->uuid != uuid)) {
        t = uuid ? orma_map_get_ptr(&orma_te_state(imp)->by_uuid, uuid) : NULL;
        if (!t)
            return NULL;
        gen->event_track = t;
    }
    if (!t->has_rows || t->unnamed || t->group || (t->scope != ORMA_TE_THREAD && gen->has_pid))
        return NULL;
    return t;
}

/* The pool id of a text that was asked for before; 0: it is not known yet, or there is none. */
static inline uint32_t known_text(const struct orma_seq_gen *gen, uint32_t kind, uint64_t iid)
{
    const struct orma_interned *e = orma_seq_gen_find(gen, kind, iid);

    return e && e->cache ? e->cache - 1 : 0;
}

bool orma_te_parse_plain(struct orma_import *imp, const struct orma_item *item)
{
    struct plain e = {0};
    uint32_t name = 0, category = 0;

    if (item->extra || !item->gen || !read_plain(item, &e))
        return false;
    if (!e.has_track)
        e.track_uuid = item->gen->track_uuid;
    if (e.name_iid &&
        !(name = known_text(item->gen, ORMA_PB_INTERNED_DATA_EVENT_NAMES, e.name_iid)))
        return false;
    if (e.has_category &&
        !(category = known_text(item->gen, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, e.category_iid)))
        return false;
    const struct orma_te_track *t = usable_track(imp, item, e.track_uuid);
    if (!t)
        return false;
    switch (e.type) {
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN:
        orma_slices_begin(&imp->slices, item->ts, t->track, category, name, NULL);
        return true;
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_END:
        orma_slices_end(&imp->slices, item->ts, t->track, category, name, NULL);
        return true;
    case ORMA_PB_TRACK_EVENT_TYPE_INSTANT:
        orma_slices_complete(&imp->slices, item->ts, 0, t->track, category, name, NULL);
        return true;
    }
    return false;
}
