/*
 * Items on their way from the thread that merges to the one that imports.
 *
 * What the second thread saves is easily lost again on the way: a line of 64 bytes
 * that one core wrote costs the other up to ten nanoseconds. So a plain event
 * goes in half a line, already decoded: that is work which the other thread need not do. A kernel
 * event goes in a line, decoded as far as all of them are alike.
 * Anything else goes as the item that it is, in pieces.
 *
 *   [plain][plain][kernel][..event][whole][item..][..item..][..item][plain] ...
 */
#ifndef ORMA_PROCESSOR_READ_FORWARDED_H
#define ORMA_PROCESSOR_READ_FORWARDED_H
#include <assert.h>

#include "processor/read/bundle.h"
#include "processor/read/pipe.h"
#include "processor/read/sorter.h"

struct orma_forwarded {
    int64_t ts;
    union {
        struct orma_seq_gen *gen;
        struct {
            uint32_t bundle, index; /* kernel events, as in the item */
        };
    };
    const uint8_t *data; /* the event: it may have args, or must be read on the slow path */
    uint16_t len;
    uint16_t name_iid, category_iid;
    uint8_t type;     /* of kernel events: kind of the item */
    bool whole : 1;   /* an item follows; of the rest only `gen` counts, and only if retired */
    bool retired : 1; /* `gen` is to be given back afterwards */
    bool has_category : 1;
    bool annotated : 1;
    bool kernel : 1; /* struct orma_forwarded_kernel follows */
};
static_assert(sizeof(struct orma_forwarded) * 2 == ORMA_CACHE_LINE, "half a line");

/* The second half of a kernel event. */
struct orma_forwarded_kernel {
    union {
        struct orma_kernel_head event;
        struct orma_compact_sched sched;
        char room[sizeof(struct orma_forwarded)];
    };
};
static_assert(sizeof(struct orma_forwarded_kernel) == sizeof(struct orma_forwarded), "as long");

#define ORMA_FORWARDED_PIECES                                                                      \
    ((sizeof(struct orma_item) + sizeof(struct orma_forwarded) - 1) / sizeof(struct orma_forwarded))
/* Bytes of the item in its i-th piece. */
#define ORMA_FORWARDED_PIECE(i)                                                                    \
    ORMA_MIN(sizeof(struct orma_item) - (i) * sizeof(struct orma_forwarded),                       \
             sizeof(struct orma_forwarded))

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

/* Worker: the first half of a kernel event. False: it is none, or too long. */
static inline bool orma_forwarded_pack_kernel(struct orma_forwarded *p,
                                              const struct orma_item *item)
{
    if (item->kind < ORMA_ITEM_FTRACE_EVENT || item->kind > ORMA_ITEM_SCHED_WAKING ||
        item->len > UINT16_MAX)
        return false;
    *p = (struct orma_forwarded){
        .ts = item->ts,
        .bundle = item->bundle,
        .index = item->index,
        .data = item->data,
        .len = (uint16_t)item->len,
        .type = item->kind,
        .kernel = true,
    };
    return true;
}

/* Worker: the second half, decoded. */
static inline void orma_forwarded_read_kernel(struct orma_forwarded_kernel *ret,
                                              const struct orma_item *item)
{
    if (item->kind == ORMA_ITEM_FTRACE_EVENT)
        orma_bundle_event_head((struct orma_str){(const char *)item->data, item->len}, &ret->event);
    else
        ret->sched = item->sched;
}

/* Caller: the item that a kernel event was, but for its order. `bundle`: its own. Fields that no
 * kernel event has are not touched: *ret was zeroed once. Each is set by itself, for what is put
 * together elsewhere and then copied makes a processor wait for its own stores. */
static inline void orma_forwarded_kernel_item(const struct orma_forwarded *p,
                                              const struct orma_forwarded_kernel *rest,
                                              const struct orma_kernel_bundle *bundle,
                                              struct orma_item *ret)
{
    ret->ts = p->ts;
    ret->data = p->data;
    ret->len = p->len;
    ret->kind = p->type;
    ret->machine = bundle->machine;
    ret->bundle = p->bundle;
    ret->index = p->index;
    ret->gen = bundle->gen;
    if (p->type == ORMA_ITEM_FTRACE_EVENT)
        ret->event = rest->event;
    else
        ret->sched = rest->sched;
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
