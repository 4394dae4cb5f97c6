/*
 * What the files of the central buffer share: record headers, the queue of
 * references, fragments. See buffer.h.
 */
#ifndef ORMA_TRACED_BUFFERS_BUFFER_INTERNAL_H
#define ORMA_TRACED_BUFFERS_BUFFER_INTERNAL_H
#include <stdatomic.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/shm/layout.h"
#include "traced/buffers/buffer.h"

/* In the mapping, in front of each payload. */
struct traced_record {
    uint32_t chunk_id;
    uint16_t producer_id;
    uint16_t writer_id;
    uint16_t count; /* fragments */
    uint16_t size;  /* of the whole record, a multiple of 16; never 0 */
    uint8_t flags;  /* enum traced_record_flag */
    uint8_t slack;  /* zeros at the end that are not payload, 0..15 */
    uint16_t check; /* over all of the above */
};
_Static_assert(sizeof(struct traced_record) == TRACED_RECORD_HEADER,
               "sizes show in the statistics");

enum traced_record_flag {
    TRACED_REC_CONT_PREV = 1,
    TRACED_REC_CONT_NEXT = 2,
    TRACED_REC_NEEDS_PATCH = 4,
    TRACED_REC_INCOMPLETE = 8, /* scraped; the whole chunk may still come */
    TRACED_REC_PADDING = 16,
};

enum traced_ref_state {
    TRACED_REF_ENTERED = 1,  /* continuity with the chunk before was judged */
    TRACED_REF_CONSUMED = 2, /* all fragments read, counted as read */
    TRACED_REF_COUNTED = 4,  /* `ends` is known */
};

enum traced_frag {
    TRACED_FRAG_OK,
    TRACED_FRAG_EMPTY,       /* size 0: carries no packet */
    TRACED_FRAG_DROP_MARKER, /* the writer gave the packet up */
    TRACED_FRAG_BAD,         /* runs over the chunk */
};

uint16_t traced_record_check(const struct traced_record *rec);

/* The half of a header that changes, in one store: there is no moment with half of it. */
static inline void traced_record_set(struct traced_record *to, const struct traced_record *from)
{
    uint64_t half;

    memcpy(&half, (const uint8_t *)from + sizeof(half), sizeof(half));
    atomic_store_explicit((_Atomic uint64_t *)((uint8_t *)to + sizeof(half)), half,
                          memory_order_relaxed);
}

/* Is it, and all before it, in the trace file? Also of those that reading has passed over. */
static inline bool traced_seq_is_in_file(const struct traced_seq *seq, uint32_t chunk_id)
{
    return seq->has_mark && (int32_t)(chunk_id - seq->mark_id) < 0;
}

/* Reading has changed something that the next mark is to have. */
static inline void traced_seq_touch(struct traced_buffer *buf, struct traced_seq *seq)
{
    if (ORMA_UNLIKELY(!seq->is_touched) && buf->keeps_read) {
        seq->is_touched = true;
        orma_list_insert(&buf->just_read, &seq->touch_link);
    }
}

static inline struct traced_record *traced_record_at(const struct traced_buffer *buf, size_t offset)
{
    ORMA_ASSERT_HOT(offset < buf->size && offset % TRACED_RECORD_HEADER == 0);
    return (struct traced_record *)(buf->base + offset);
}

static inline struct traced_record *traced_record_of(const struct traced_buffer *buf,
                                                     const struct traced_ref *ref)
{
    return traced_record_at(buf, (size_t)ref->offset16 * TRACED_RECORD_HEADER);
}

static inline const uint8_t *traced_record_payload(const struct traced_record *rec)
{
    return (const uint8_t *)(rec + 1);
}

static inline uint32_t traced_record_payload_size(const struct traced_record *rec)
{
    return rec->size - TRACED_RECORD_HEADER - rec->slack;
}

static inline struct traced_ref *traced_seq_ref(const struct traced_seq *seq, uint32_t idx)
{
    ORMA_ASSERT_HOT(idx < seq->len);
    return &seq->refs[(seq->head + idx) & (seq->cap - 1)];
}

/* Index of the chunk, or -1. */
int64_t traced_seq_find_ref(const struct traced_seq *seq, uint32_t chunk_id);
/* Is it newer than all so far? The half of the number space ahead of the newest is. */
static inline bool traced_seq_is_newest(const struct traced_seq *seq, uint32_t chunk_id)
{
    return !seq->has_last || chunk_id - seq->last_chunk_id < INT32_MAX;
}

/* Reserves a place for this id. False: it has none in the order, or no memory. */
bool traced_seq_reserve(struct traced_seq *seq, uint32_t chunk_id);
/* A new reference in its place, zeroed but for chunk_id. After traced_seq_reserve(). */
struct traced_ref *traced_seq_insert_ref(struct traced_seq *seq, uint32_t chunk_id);
void traced_seq_remove_ref(struct traced_seq *seq, uint32_t idx);

/*
 * The fragment at *pos of a payload of `size` bytes; on OK and EMPTY *pos moves
 * past it and [*ret_data, *ret_len) is set.
 */
static inline enum traced_frag traced_frag_at(const uint8_t *payload, uint32_t size, uint32_t *pos,
                                              const uint8_t **ret_data, uint32_t *ret_len)
{
    uint32_t at = *pos, len = 0;

    for (unsigned shift = 0;; shift += 7) {
        if (at >= size || shift > 21)
            return TRACED_FRAG_BAD;
        uint8_t byte = payload[at++];
        len |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    if (len == ORMA_SHM_DROP_MARKER)
        return TRACED_FRAG_DROP_MARKER;
    if (len > size - at)
        return TRACED_FRAG_BAD;
    *ret_data = payload + at;
    *ret_len = len;
    *pos = at + len;
    return len ? TRACED_FRAG_OK : TRACED_FRAG_EMPTY;
}

/*
 * Packets that end in fragments [from, count) of a payload, the first of which
 * is at `pos`: sizes of 0 carry none, a drop marker ends it, and after a bad
 * size each counted fragment counts as one.
 */
uint32_t traced_record_count_ends(const uint8_t *payload, uint32_t size, uint32_t pos,
                                  uint32_t from, uint32_t count, uint8_t flags);

/* Has something new: to be looked at by the reader. */
static inline void traced_seq_make_ready(struct traced_buffer *buf, struct traced_seq *seq)
{
    if (seq->is_ready)
        return;
    seq->is_ready = true;
    orma_list_remove(&seq->ready_link);
    orma_list_insert(&buf->ready, &seq->ready_link);
}
#endif
