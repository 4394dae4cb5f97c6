/*
 * The index of one sequence: a ring of references ordered by chunk id. Ids wrap
 * at 2^32, so order is distance back from the newest id:
 *
 *   refs:   [id 7] [id 8] [id 10] [id 11]      newest = 11
 *   behind:    4      3       1      0         strictly falling
 *
 * An id that would make the oldest distance pass 2^32 is refused, so the order
 * stays total whatever a producer sends.
 */
#include <stdlib.h>
#include <string.h>

#include "sdk/base/search.h"
#include "traced/buffers/buffer_internal.h"

#define FIRST_CAP 4u
/* A chunk that is late by more than this is refused: moving references costs, and nobody honest is.
 */
#define LATE_MAX 4096u

static uint32_t behind(const struct traced_seq *seq, uint32_t chunk_id)
{
    return seq->last_chunk_id - chunk_id;
}

/* First index whose reference is not older than chunk_id. */
static uint32_t lower_bound(const struct traced_seq *seq, uint32_t chunk_id)
{
    uint32_t want = behind(seq, chunk_id);

    return ORMA_PARTITION_POINT(i, 0, seq->len,
                                behind(seq, traced_seq_ref(seq, i)->chunk_id) > want);
}

int64_t traced_seq_find_ref(const struct traced_seq *seq, uint32_t chunk_id)
{
    if (!seq->len || (seq->has_last && chunk_id != seq->last_chunk_id &&
                      chunk_id - seq->last_chunk_id < INT32_MAX))
        return -1; /* newer than all */

    /* Nearly always the ids are without gaps, and the place follows from the oldest. */
    uint32_t guess = chunk_id - traced_seq_ref(seq, 0)->chunk_id;
    if (guess < seq->len && traced_seq_ref(seq, guess)->chunk_id == chunk_id)
        return guess;
    uint32_t idx = lower_bound(seq, chunk_id);
    return idx < seq->len && traced_seq_ref(seq, idx)->chunk_id == chunk_id ? (int64_t)idx : -1;
}

static bool grow(struct traced_seq *seq)
{
    uint32_t cap = seq->cap ? seq->cap * 2 : FIRST_CAP;
    struct traced_ref *refs = malloc(cap * sizeof(*refs));

    if (!refs)
        return false;
    for (uint32_t i = 0; i < seq->len; i++)
        refs[i] = *traced_seq_ref(seq, i);
    free(seq->refs);
    seq->refs = refs;
    seq->cap = cap;
    seq->head = 0;
    return true;
}

/* Opens a place at idx by moving the shorter side. */
static void open_place(struct traced_seq *seq, uint32_t idx)
{
    seq->len++;
    if (idx < seq->len / 2) {
        seq->head = (seq->head - 1) & (seq->cap - 1);
        for (uint32_t i = 0; i < idx; i++)
            *traced_seq_ref(seq, i) = *traced_seq_ref(seq, i + 1);
    } else {
        for (uint32_t i = seq->len - 1; i > idx; i--)
            *traced_seq_ref(seq, i) = *traced_seq_ref(seq, i - 1);
    }
}

bool traced_seq_reserve(struct traced_seq *seq, uint32_t chunk_id)
{
    if (traced_seq_is_newest(seq, chunk_id)) {
        uint32_t ahead = chunk_id - seq->last_chunk_id;

        if (seq->len && ahead > UINT32_MAX - behind(seq, traced_seq_ref(seq, 0)->chunk_id))
            return false;
    } else {
        uint32_t idx = lower_bound(seq, chunk_id);

        if (idx > LATE_MAX && seq->len - idx > LATE_MAX)
            return false;
    }
    return seq->len < seq->cap || grow(seq);
}

struct traced_ref *traced_seq_insert_ref(struct traced_seq *seq, uint32_t chunk_id)
{
    uint32_t idx = traced_seq_is_newest(seq, chunk_id) ? seq->len : lower_bound(seq, chunk_id);

    ORMA_ASSERT_HOT(seq->len < seq->cap); /* traced_seq_reserve() was called */
    if (idx == seq->len)
        seq->len++;
    else
        open_place(seq, idx);
    if (idx < seq->rd)
        seq->rd = idx; /* a late chunk: the reader goes back for it */
    struct traced_ref *ref = traced_seq_ref(seq, idx);
    *ref = (struct traced_ref){.chunk_id = chunk_id};
    ORMA_ASSERT_HOT(seq->rd <= seq->len);
    return ref;
}

void traced_seq_remove_ref(struct traced_seq *seq, uint32_t idx)
{
    ORMA_ASSERT_HOT(idx < seq->len);
    if (idx < seq->len / 2 || idx == 0) {
        for (uint32_t i = idx; i > 0; i--)
            *traced_seq_ref(seq, i) = *traced_seq_ref(seq, i - 1);
        seq->head = (seq->head + 1) & (seq->cap - 1);
    } else {
        for (uint32_t i = idx; i + 1 < seq->len; i++)
            *traced_seq_ref(seq, i) = *traced_seq_ref(seq, i + 1);
    }
    seq->len--;
    if (idx < seq->rd)
        seq->rd--;
    ORMA_ASSERT_HOT(seq->rd <= seq->len);
}

uint32_t traced_record_count_ends(const uint8_t *payload, uint32_t size, uint32_t pos,
                                  uint32_t from, uint32_t count, uint8_t flags)
{
    uint32_t ends = 0, len;
    const uint8_t *data;
    bool cont_next = flags & TRACED_REC_CONT_NEXT;

    for (uint32_t i = from; i < count; i++) {
        bool open = i + 1 == count && cont_next;

        switch (traced_frag_at(payload, size, &pos, &data, &len)) {
        case TRACED_FRAG_OK:
            ends += !open;
            break;
        case TRACED_FRAG_EMPTY: /* no packet, unless it is the (empty) rest of one */
            ends += i == 0 && flags & TRACED_REC_CONT_PREV && !open;
            break;
        case TRACED_FRAG_DROP_MARKER:
            return ends;
        case TRACED_FRAG_BAD:
            return ends + (count - i) - cont_next;
        }
    }
    return ends;
}
