/*
 * Items on their way from the thread that merges to the one that imports.
 *
 * What the second thread saves is easily lost again on the way: a line of 64 bytes
 * that one core wrote costs the other up to ten nanoseconds. So a plain event
 * goes in half a line, already decoded: that is work which the other thread need not do.
 * Anything else goes as the item that it is, in pieces.
 *
 *   [plain][plain][whole][item..][..item..][..item][plain] ...
 */
#ifndef ORMA_PROCESSOR_READ_FORWARDED_H
#define ORMA_PROCESSOR_READ_FORWARDED_H
#include <assert.h>

#include "processor/read/pipe.h"
#include "processor/read/sorter.h"

struct orma_forwarded {
    int64_t ts;
    struct orma_seq_gen *gen;
    const uint8_t *data; /* the event: it may have args, or must be read on the slow path */
    uint16_t len;
    uint16_t name_iid, category_iid;
    uint8_t type;
    bool whole : 1;   /* an item follows; of the rest only `gen` counts, and only if retired */
    bool retired : 1; /* `gen` is to be given back afterwards */
    bool has_category : 1;
    bool annotated : 1;
};
static_assert(sizeof(struct orma_forwarded) * 2 == ORMA_CACHE_LINE, "half a line");

#define ORMA_FORWARDED_PIECES (sizeof(struct orma_item) / sizeof(struct orma_forwarded))
static_assert(ORMA_FORWARDED_PIECES * sizeof(struct orma_forwarded) == sizeof(struct orma_item),
              "whole");

/* Worker: fills *p. False: it is no plain event, or its numbers are too large. */
static inline bool orma_forwarded_pack(struct orma_forwarded *p, const struct orma_item *item,
                                       orma_read_plain_fn *read_plain)
{
    struct orma_plain e;

    if (!read_plain || item->len > UINT16_MAX || !read_plain(item, &e) || e.has_track ||
        e.name_iid > UINT16_MAX || e.category_iid > UINT16_MAX)
        return false;
    *p = (struct orma_forwarded){
        .ts = item->ts,
        .gen = item->gen,
        .data = item->data,
        .len = (uint16_t)item->len,
        .name_iid = (uint16_t)e.name_iid,
        .category_iid = (uint16_t)e.category_iid,
        .type = e.type,
        .has_category = e.has_category,
        .annotated = e.annotated,
    };
    return true;
}

/* Caller: the item that a plain event was, as far as its importer asks for it. */
static inline struct orma_item orma_forwarded_item(const struct orma_forwarded *p)
{
    return (struct orma_item){
        .ts = p->ts,
        .data = p->data,
        .len = p->len,
        .field = ORMA_PB_TRACE_PACKET_TRACK_EVENT,
        .kind = ORMA_ITEM_PACKET,
        .machine = (uint16_t)p->gen->seq->machine,
        .gen = p->gen,
    };
}

static inline struct orma_plain orma_forwarded_plain(const struct orma_forwarded *p)
{
    return (struct orma_plain){
        .name_iid = p->name_iid,
        .category_iid = p->category_iid,
        .type = p->type,
        .has_category = p->has_category,
        .annotated = p->annotated,
    };
}
#endif
