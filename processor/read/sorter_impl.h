/* What a stream of the sorter is made of: for sorter.c, which fills streams, and merge.c. */
#ifndef ORMA_PROCESSOR_READ_SORTER_IMPL_H
#define ORMA_PROCESSOR_READ_SORTER_IMPL_H
#include <stdlib.h>

#include "processor/read/bundle.h"
#include "processor/read/sorter.h"

enum stream_sort { STREAM_RUN, STREAM_BUNDLES, STREAM_LOOSE, STREAM_SOURCE };

/* Packets that follow each other in the file, of one generation and one clock. */
struct segment {
    const uint8_t *record; /* the first one's tag */
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
    uint32_t len, field;
    uint16_t machine;
    uint8_t kind, format;
};

struct orma_run {
    struct segment *segments;
    uint32_t num, cap;
    uint32_t at;   /* the one being read */
    uint32_t read; /* packets of it that were read */
    const uint8_t *pos;
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

struct loose_list {
    struct loose *items;
    uint32_t num, cap, at;
    bool unsorted;
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

/* Room for one more element. False: memory is out. */
static inline bool orma_sorter_grow(void **array, uint32_t *cap, uint32_t num, size_t size)
{
    if (ORMA_LIKELY(num < *cap))
        return true;
    if (*cap > UINT32_MAX / 4)
        return false;
    uint32_t more = *cap ? *cap * 2 : 8;
    void *mem = realloc(*array, more * size);
    if (!mem)
        return false;
    *array = mem;
    *cap = more;
    return true;
}

/* Puts the next item in `head`; false when there is none (yet). */
bool orma_stream_next(struct orma_sorter *self, struct orma_stream *s);

/* The head was emitted. Gives back the generation that the stream kept for it, if it needs it no
 * more. */
struct orma_seq_gen *orma_stream_done(struct orma_stream *s);

void orma_stream_free(struct orma_stream *s);

/* Puts loose items in order. */
void orma_loose_sort(struct orma_stream *s);
#endif
