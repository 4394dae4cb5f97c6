/* What a stream of the sorter is made of: for sorter.c, which fills streams, and merge.c. */
#ifndef ORMA_PROCESSOR_READ_SORTER_IMPL_H
#define ORMA_PROCESSOR_READ_SORTER_IMPL_H
#include <stdlib.h>
#include <string.h>

#include "processor/read/bundle.h"
#include "processor/read/sorter.h"
#include "sdk/base/vec.h"

enum stream_sort { STREAM_RUN, STREAM_BUNDLES, STREAM_LOOSE, STREAM_SOURCE };

/* Packets that follow each other in the file, of one generation and one clock. */
struct segment {
    const uint8_t *record; /* the first one's tag */
    const uint8_t *end;    /* where the last one ended when they were read first */
    uint32_t count;
    bool incremental;
    uint64_t order;
    struct orma_seq_gen *gen;
    int64_t raw; /* incremental: the sum before the first packet */
    int64_t unit, offset;
    uint16_t machine;
    bool once; /* each packet has one time and one payload: no need to read on behind them */
};

/* An item at rest: what a loose one may have. */
struct loose {
    int64_t ts;
    uint64_t order;
    const uint8_t *data;
    struct orma_seq_gen *gen;
    const struct orma_event_extra *extra;
    uint64_t aux;
    uint32_t len, field, before;
    uint16_t machine;
    uint8_t kind, format;
};

struct orma_run {
    struct segment *segments;
    uint32_t num, cap;
    uint32_t at;   /* the one being read */
    uint32_t read; /* packets of it that were read */
    const uint8_t *pos;
    const uint8_t *behind; /* of a mapped file: up to where a long segment was let go */
    int64_t raw;
    const uint8_t *tail; /* end of the last packet pushed: where the next one must begin */
    int64_t last_ts;
};

struct bundle_list {
    uint32_t *bundles;
    uint32_t num, cap, at;
    enum orma_item_kind kind;
    int64_t last_ts;
    struct orma_bundle_cursor cursor;
    bool open;
};

/* Each run that is kept is less than half of the one below it (see orma_loose_sort()). */
#define LOOSE_RUNS_MAX 40

/*
 * Items in the order of their arrival; `sorted` of them are in runs, each in order:
 *
 *   items: [ run 0: done | rest ][ run 1: done | rest ] ... [ not in a run yet ]
 *                        at   end                   sorted                  num
 */
struct loose_list {
    struct loose *items;
    uint32_t num, cap;
    uint32_t sorted;
    bool unsorted; /* what is not in a run is not in order */
    uint8_t runs_num;
    uint8_t current; /* the run that the head is of */
    struct loose_run {
        uint32_t at, end;
    } runs[LOOSE_RUNS_MAX];
};

struct source {
    bool (*next)(void *data, struct orma_item *ret);
    void *data;
};

struct orma_stream {
    struct orma_stream *next;
    enum stream_sort sort;
    bool has_head;
    bool current;   /* BUNDLES: the one that bundles of its cpu and kind are added to */
    uint32_t queue; /* see merge.c */
    struct orma_item head;
    union {
        struct orma_run run;
        struct bundle_list list;
        struct loose_list loose;
        struct source source;
    };
};

/*
 * Memory in lines of the cache of its own, for what the merging thread writes per item: with a
 * neighbour that the importing thread writes, two threads are slower than one. Two lines, since
 * some processors fetch them in pairs. Freed with free(); zeroed.
 */
#define ORMA_LINES (2 * (size_t)ORMA_CACHE_LINE)
static inline void *orma_lines_alloc(size_t size)
{
    void *mem = aligned_alloc(ORMA_LINES, orma_align_up(size, ORMA_LINES));

    if (mem)
        memset(mem, 0, size);
    return mem;
}

/* Space for one more element of such memory. False: memory is out. */
static inline bool orma_lines_grow(void **array, uint32_t *cap, uint32_t num, size_t size)
{
    if (ORMA_LIKELY(num < *cap))
        return true;
    if (*cap > UINT32_MAX / 4)
        return false;
    uint32_t more = *cap ? *cap * 2 : 8;
    void *mem = orma_lines_alloc(more * size);
    if (!mem)
        return false;
    if (num)
        memcpy(mem, *array, num * size);
    free(*array);
    *array = mem;
    *cap = more;
    return true;
}

/* ---- runs: the part that is done per packet ---- */

bool orma_run_next_slow(struct orma_stream *s);
struct orma_seq_gen *orma_run_done_slow(struct orma_stream *s);

static inline void orma_run_set_time(struct orma_stream *s, const struct segment *seg, uint64_t raw)
{
    if (seg->incremental)
        s->run.raw = (int64_t)(raw += (uint64_t)s->run.raw);
    s->head.ts = (int64_t)(raw * (uint64_t)seg->unit + (uint64_t)seg->offset);
}

/* The form that most packets have: time, flags, event. False: it is another one. The first walk has
 * found the record to be whole, with one time and one payload; but a mapped file may have changed
 * since, so nothing is read beyond `limit`, the end of the segment. */
static inline bool orma_run_read_usual(const uint8_t **pos, const uint8_t *limit,
                                       struct orma_item *ret, uint64_t *ret_time)
{
    const uint8_t *at = *pos + 1, *end;
    uint64_t len, event_len;

    if (*pos == limit || !orma_pb_varint_at(&at, limit, &len) || len < 2 ||
        len > (uint64_t)(limit - at))
        return false;
    const uint8_t *packet = at;
    end = at + len;
    if (*at++ != ORMA_PB_TRACE_PACKET_TIMESTAMP << 3 || !orma_pb_varint_at(&at, end, ret_time))
        return false;
    if (end - at > 2 && at[0] == ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3 && at[1] < 0x80)
        at += 2;
    if (at == end || *at++ != (ORMA_PB_TRACE_PACKET_TRACK_EVENT << 3 | ORMA_PB_LEN) ||
        !orma_pb_varint_at(&at, end, &event_len) || event_len > (uint64_t)(end - at))
        return false;
    ret->data = at;
    ret->len = (uint32_t)event_len;
    ret->before = (uint32_t)(at - packet);
    ret->field = ORMA_PB_TRACE_PACKET_TRACK_EVENT;
    *pos = end;
    return true;
}

/* Runs lie in pieces all over the file, which the processor alone does not see coming, least of all
 * on a core that was not the one to walk over them first. */
#define ORMA_RUN_AHEAD 512

/* Puts the next packet of the run in `head`; false when there is none (yet). */
static inline bool orma_run_next(struct orma_stream *s)
{
    struct orma_run *run = &s->run;
    const struct segment *seg = &run->segments[run->at];
    uint64_t time;

    /* a number: there is no pointer before a run has begun, or so far behind its end */
    __builtin_prefetch((const void *)((uintptr_t)run->pos + ORMA_RUN_AHEAD));
    if (!run->read || !seg->once || !orma_run_read_usual(&run->pos, seg->end, &s->head, &time))
        return orma_run_next_slow(s);
    s->head.order += ORMA_ORDER_STEP;
    orma_run_set_time(s, seg, time);
    return true;
}

/* The head was emitted; gives back what orma_stream_done() does. */
static inline struct orma_seq_gen *orma_run_done(struct orma_stream *s)
{
    struct orma_run *run = &s->run;

    return ++run->read < run->segments[run->at].count ? NULL : orma_run_done_slow(s);
}

/* ---- any stream ---- */

/* Puts the next item in `head`; false when there is none (yet). */
bool orma_stream_next(struct orma_sorter *self, struct orma_stream *s);

/* The head was emitted. Gives back the generation that the stream kept for it, if it needs it no
 * more. */
struct orma_seq_gen *orma_stream_done(struct orma_stream *s);

void orma_stream_free(struct orma_stream *s);

/* Puts loose items in order. Has_head is false if some are new. */
void orma_loose_sort(struct orma_stream *s);
#endif
