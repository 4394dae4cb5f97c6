/*
 * The writing side of the central buffer; reading is in buffer_read.c, its life in buffer_life.c.
 *
 * A chunk that is new goes to the write pointer (append()): records in its way are
 * evicted from their sequences, what is left of the last one becomes padding, and
 * before the end of the mapping, where it would not fit, padding fills the rest and
 * writing wraps. A chunk that was scraped before is written over its old record
 * (rewrite()). What can't be stored is counted from a copy (discard(), refuse()).
 *
 * A buffer that is read while it is written seldom holds much. After each reading
 * it begins anew (traced_buffer_rewind()): over records that were read, around
 * those that are still needed, and then behind the last one. So it takes only as
 * much memory as arrives between two readings, and that stays in the cache:
 *
 *   [new][new][old, read][old, read][scraped][old, read]......untouched......
 *             ^ write pointer                           ^ used
 */
#include "traced/buffers/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"
#include "traced/buffers/buffer_internal.h"
#include "traced/buffers/kept.h"

/* How far ahead of the write pointer pages are made to exist, and how much at a time. */
#define TOUCH_AHEAD ((size_t)1 << 20)
#define TOUCH_STEP ((size_t)256 << 10)
#define TOUCH_LEAST ((size_t)32 << 10)
const uint32_t traced_buffer_histogram_bounds[TRACED_HISTOGRAM_BOUNDS] = {
    8, 32, 128, 512, 1024, 2048, 4096, 8192, 12288, 16384};

uint16_t traced_record_check(const struct traced_record *rec)
{
    uint64_t words[2];

    memcpy(words, rec, sizeof(words));
    words[1] &= 0x0000ffffffffffffu; /* the check itself is in the high bytes */
    uint64_t mixed = (words[0] ^ words[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (uint16_t)(mixed >> 48);
}

/* ---- overwriting ---- */

static void remember_partial(struct traced_seq *seq, uint32_t chunk_id, uint16_t frags)
{
    struct traced_partial *slot = &seq->partial[0];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(seq->partial); i++)
        if (seq->partial[i].frags && seq->partial[i].chunk_id == chunk_id)
            slot = &seq->partial[i];
    if (slot == &seq->partial[0] && slot->frags && slot->chunk_id != chunk_id)
        seq->partial[1] = *slot; /* the older of the two is forgotten */
    *slot = (struct traced_partial){chunk_id, frags};
    seq->has_partial = true;
}

static uint16_t take_partial(struct traced_seq *seq, uint32_t chunk_id)
{
    if (ORMA_LIKELY(!seq->has_partial))
        return 0;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(seq->partial); i++) {
        if (seq->partial[i].frags && seq->partial[i].chunk_id == chunk_id) {
            uint16_t frags = seq->partial[i].frags;
            seq->partial[i].frags = 0;
            seq->has_partial = seq->partial[0].frags || seq->partial[1].frags;
            return frags;
        }
    }
    return 0;
}

#define WALKS 4
/* With fewer fragments one walk is as good. */
#define WALK_MIN 8

struct size_walk {
    const uint8_t *at, *end;
};

static struct size_walk walk_begin(const struct traced_record *rec)
{
    const uint8_t *payload = traced_record_payload(rec);

    return (struct size_walk){payload, payload + traced_record_payload_size(rec)};
}

/*
 * The walks of four chunks side by side: each waits for its own loads only. How
 * many fragments of each were passed: as long as all four have sizes of one
 * byte which are not 0 and do not run over.
 */
static uint32_t walk_four(struct size_walk *walks, uint32_t rounds)
{
    struct size_walk a = walks[0], b = walks[1], c = walks[2], d = walks[3];
    uint32_t done = 0;

    for (; done < rounds; done++) {
        if (ORMA_UNLIKELY(a.at >= a.end || b.at >= b.end || c.at >= c.end || d.at >= d.end))
            break;
        uint32_t la = *a.at, lb = *b.at, lc = *c.at, ld = *d.at;
        bool zero = ((la - 1) | (lb - 1) | (lc - 1) | (ld - 1)) > 0xff;
        bool longer = (la | lb | lc | ld) & 0x80;
        if (ORMA_UNLIKELY(zero | longer))
            break;
        a.at += la + 1;
        b.at += lb + 1;
        c.at += lc + 1;
        d.at += ld + 1;
    }
    walks[0] = a, walks[1] = b, walks[2] = c, walks[3] = d;
    return done;
}

static void count_four(const struct traced_record *const *recs, struct traced_ref *const *refs,
                       unsigned num)
{
    struct size_walk walks[WALKS];
    uint32_t rounds = UINT32_MAX, done = 0;

    for (unsigned i = 0; i < num; i++) {
        walks[i] = walk_begin(recs[i]);
        rounds = ORMA_MIN(rounds, recs[i]->count);
    }
    if (num == WALKS && rounds > 1)
        done = walk_four(walks, rounds - 1);
    for (unsigned i = 0; i < num; i++) {
        const uint8_t *payload = traced_record_payload(recs[i]);
        uint32_t size = traced_record_payload_size(recs[i]), from = done;

        /* The last size may have led over the end: then nothing of it counts. */
        if ((size_t)(walks[i].at - payload) > size) {
            walks[i].at = payload;
            from = 0;
        }
        refs[i]->ends = (uint16_t)(from + traced_record_count_ends(
                                              payload, size, (uint32_t)(walks[i].at - payload),
                                              from, recs[i]->count, recs[i]->flags));
        refs[i]->state |= TRACED_REF_COUNTED;
    }
}

/* Counts the record, and up to three of the next ones that will have to go soon. */
static void count_ahead(struct traced_buffer *self, const struct traced_record *first)
{
    const struct traced_record *recs[WALKS];
    struct traced_ref *refs[WALKS];
    size_t at = (size_t)((const uint8_t *)first - self->base);
    unsigned num = 0;

    for (unsigned tries = 0; num < WALKS && tries < 2 * WALKS && at < self->used; tries++) {
        const struct traced_record *rec = traced_record_at(self, at);

        at += rec->size;
        if (rec->flags & TRACED_REC_PADDING)
            continue;
        struct traced_seq *seq = traced_buffer_find(self, rec->producer_id, rec->writer_id);
        int64_t idx = seq ? traced_seq_find_ref(seq, rec->chunk_id) : -1;
        struct traced_ref *ref = idx < 0 ? NULL : traced_seq_ref(seq, (uint32_t)idx);
        if (!ref || ref->read || ref->state & TRACED_REF_COUNTED || !rec->count ||
            rec->flags & TRACED_REC_INCOMPLETE)
            continue;
        recs[num] = rec;
        refs[num++] = ref;
    }
    if (num)
        count_four(recs, refs, num);
}

static bool ref_is_unread(const struct traced_ref *ref, const struct traced_record *rec)
{
    return ref->read < rec->count;
}

/*
 * The unread packets of a record that goes away. Finding their ends means a walk
 * from size to size, which costs more than the copy of a chunk. A writer that
 * reports what it emits needs none: its fragments are counted, at most one too
 * many in a chunk that ends with a drop marker, and the report puts the sum
 * right (traced_seq_ledger()). For others four records are walked side by side.
 */
static void count_overwritten(struct traced_buffer *self, struct traced_seq *seq,
                              struct traced_ref *ref, const struct traced_record *rec)
{
    uint32_t open = rec->flags & TRACED_REC_CONT_NEXT ? 1 : 0;

    if (ORMA_LIKELY(seq->reports)) {
        seq->overwritten_at_most += (uint32_t)rec->count - ref->read - open;
        return;
    }
    if (!ref->read && !(ref->state & TRACED_REF_COUNTED) && rec->count >= WALK_MIN)
        count_ahead(self, rec);
    seq->ledger.overwritten +=
        !ref->read && ref->state & TRACED_REF_COUNTED
            ? ref->ends
            : traced_record_count_ends(traced_record_payload(rec), traced_record_payload_size(rec),
                                       ref->pos, ref->read, rec->count, rec->flags);
}

/*
 * Takes the record out of its sequence; unread packets are counted as
 * overwritten. `hint` (or NULL): the sequence that it probably belongs to.
 */
static void evict(struct traced_buffer *self, const struct traced_record *rec,
                  struct traced_seq *hint)
{
    struct traced_seq *seq =
        hint && hint->producer_id == rec->producer_id && hint->writer_id == rec->writer_id
            ? hint
            : traced_buffer_find(self, rec->producer_id, rec->writer_id);
    int64_t idx = seq ? traced_seq_find_ref(seq, rec->chunk_id) : -1;

    if (idx < 0)
        return;
    struct traced_ref *ref = traced_seq_ref(seq, (uint32_t)idx);
    bool unread = ref_is_unread(ref, rec), scraped = rec->flags & TRACED_REC_INCOMPLETE;
    if (unread) {
        self->stats.chunks_overwritten++;
        self->stats.bytes_overwritten += rec->size;
        count_overwritten(self, seq, ref, rec);
        traced_kept_fold(self, seq, ref, rec);
    } else if (ORMA_UNLIKELY(seq->kept != NULL) && !scraped) {
        traced_kept_skip(seq, rec);
    }
    /* Where the reader stands. A hole further on it finds when it comes there. */
    if ((uint32_t)idx == seq->rd && (unread || !scraped)) {
        seq->loss |= unread ? TRACED_LOSS_OVERWRITTEN : 0;
        if ((int32_t)(rec->chunk_id + 1 - seq->next_id) > 0)
            seq->next_id = rec->chunk_id + 1;
    }
    if (!seq->has_gone || (int32_t)(rec->chunk_id - seq->gone_id) > 0)
        seq->gone_id = rec->chunk_id;
    seq->has_gone = true;
    if (scraped && rec->count)
        remember_partial(seq, rec->chunk_id, rec->count);
    traced_seq_remove_ref(seq, (uint32_t)idx);
}

/* May all records that begin in [wptr, wptr + bytes) be replaced? */
static bool all_read(const struct traced_buffer *self, size_t bytes)
{
    for (size_t at = self->wptr; at < self->wptr + bytes && at < self->used;) {
        const struct traced_record *rec = traced_record_at(self, at);

        if (!(rec->flags & TRACED_REC_PADDING)) {
            struct traced_seq *seq = traced_buffer_find(self, rec->producer_id, rec->writer_id);
            int64_t idx = seq ? traced_seq_find_ref(seq, rec->chunk_id) : -1;

            if (idx >= 0 && ref_is_unread(traced_seq_ref(seq, (uint32_t)idx), rec))
                return false;
        }
        at += rec->size;
    }
    return true;
}

/* Records tile [0, used): whoever walks over them goes from header to header. */
static void check_record(const struct traced_buffer *self, size_t at,
                         const struct traced_record *rec)
{
    ORMA_ASSERT_HOT(rec->size >= TRACED_RECORD_HEADER && rec->size % TRACED_RECORD_HEADER == 0 &&
                    rec->size <= self->used - at);
    ORMA_ASSERT_HOT(rec->check == traced_record_check(rec));
}

/*
 * Clears whole records until [wptr, wptr + bytes) is free. Bytes of the last
 * one that are left over, or -1: the discard buffer is full.
 */
static int64_t clear_records(struct traced_buffer *self, size_t bytes, struct traced_seq *hint)
{
    size_t at = self->wptr, end = self->wptr + bytes;

    if (self->policy == TRACED_DISCARD && !all_read(self, bytes))
        return -1;
    while (at < end) {
        if (at >= self->used)
            return 0;
        const struct traced_record *rec = traced_record_at(self, at);
        check_record(self, at, rec);
        if (rec->flags & TRACED_REC_PADDING)
            self->stats.padding_bytes_cleared += rec->size;
        else
            evict(self, rec, hint);
        at += rec->size;
    }
    return (int64_t)(at - end);
}

static void put_padding(struct traced_buffer *self, size_t size)
{
    struct traced_record rec = {.size = (uint16_t)size, .flags = TRACED_REC_PADDING};

    rec.check = traced_record_check(&rec);
    memcpy(traced_record_at(self, self->wptr), &rec, sizeof(rec));
    self->stats.padding_bytes_written += size;
}

/* Records from the write pointer up to `end` are about to change ... */
static inline void begin_change(struct traced_buffer *self, size_t end)
{
    if (ORMA_UNLIKELY(end > self->backed)) {
        traced_rescue_back(&self->memory, end);
        self->backed = self->memory.backed;
        atomic_store_explicit(&self->shared->limit, self->memory.limit, memory_order_relaxed);
    }
    atomic_store_explicit(&self->shared->busy, end, memory_order_relaxed);
    traced_rescue_barrier();
}

/* ... and are whole again. */
static inline void end_change(struct traced_buffer *self)
{
    traced_rescue_barrier();
    atomic_store_explicit(&self->shared->used, self->used, memory_order_relaxed);
    traced_rescue_barrier();
    atomic_store_explicit(&self->shared->busy, 0, memory_order_relaxed);
    traced_rescue_barrier();
    atomic_store_explicit(&self->shared->wptr, self->wptr, memory_order_relaxed);
}

/* ---- beginning anew ---- */

/* Is there anything in the record that was not read, or may it come again? */
static bool is_needed(const struct traced_buffer *self, const struct traced_record *rec)
{
    if (rec->flags & TRACED_REC_PADDING)
        return false;
    struct traced_seq *seq = traced_buffer_find(self, rec->producer_id, rec->writer_id);
    int64_t idx = seq ? traced_seq_find_ref(seq, rec->chunk_id) : -1;
    if (idx < 0)
        return false;
    return rec->flags & TRACED_REC_INCOMPLETE ||
           ref_is_unread(traced_seq_ref(seq, (uint32_t)idx), rec) ||
           (self->keeps_read && !traced_seq_is_in_file(seq, rec->chunk_id));
}

/* The records in [wptr, to), none of which is needed, become one of padding. */
static void replace_by_padding(struct traced_buffer *self, size_t to)
{
    for (size_t at = self->wptr; at < to;) {
        const struct traced_record *rec = traced_record_at(self, at);

        if (rec->flags & TRACED_REC_PADDING)
            self->stats.padding_bytes_cleared += rec->size;
        else
            evict(self, rec, NULL);
        at += rec->size;
    }
    if (to > self->wptr) {
        begin_change(self, to);
        put_padding(self, to - self->wptr);
        end_change(self);
    }
}

/*
 * While the buffer has room behind `used`, nothing that is needed is overwritten: the write pointer
 * goes to the first place from which on `bytes` bytes hold nothing of that kind.
 */
static void step_over_needed(struct traced_buffer *self, size_t bytes)
{
    for (size_t at = self->wptr; at < self->wptr + bytes && at < self->used;) {
        const struct traced_record *rec = traced_record_at(self, at);

        check_record(self, at, rec);
        if (is_needed(self, rec)) {
            replace_by_padding(self, at);
            self->wptr = at + rec->size;
            atomic_store_explicit(&self->shared->wptr, self->wptr, memory_order_relaxed);
        }
        at += rec->size;
    }
}

void traced_buffer_rewind(struct traced_buffer *self)
{
    /* Once it was full to the end, it is a ring as any other. */
    if (self->used < self->size && self->wptr >= self->rewind_min) {
        self->wptr = 0;
        atomic_store_explicit(&self->shared->wptr, 0, memory_order_relaxed);
    }
}

/* ---- a chunk comes in ---- */

static size_t record_size(uint32_t payload_size)
{
    return orma_align_up((size_t)payload_size + TRACED_RECORD_HEADER, TRACED_RECORD_HEADER);
}

static struct traced_record make_record(const struct traced_seq *seq,
                                        const struct traced_chunk *chunk, size_t size)
{
    struct traced_record rec = {
        .chunk_id = chunk->chunk_id,
        .producer_id = seq->producer_id,
        .writer_id = seq->writer_id,
        .count = chunk->packets & ORMA_SHM_PACKETS_MASK,
        .size = (uint16_t)size,
        .slack = (uint8_t)(size - TRACED_RECORD_HEADER - chunk->payload_size),
    };

    if (chunk->packets & ORMA_SHM_CONT_PREV)
        rec.flags |= TRACED_REC_CONT_PREV;
    if (!chunk->complete) {
        /* What the last fragment is going to be is not known yet. */
        rec.flags |= TRACED_REC_INCOMPLETE;
        rec.count -= rec.count > 0;
        return rec;
    }
    if (chunk->packets & ORMA_SHM_CONT_NEXT)
        rec.flags |= TRACED_REC_CONT_NEXT;
    if (chunk->packets & ORMA_SHM_NEEDS_PATCH)
        rec.flags |= TRACED_REC_NEEDS_PATCH;
    return rec;
}

/* Packets that end in a chunk which is not stored, after `skip` fragments; counted from a copy. */
static uint32_t count_refused(struct traced_buffer *self, const struct traced_record *rec,
                              const struct traced_chunk *chunk, uint32_t skip)
{
    uint32_t size = ORMA_MIN(chunk->payload_size, TRACED_RECORD_MAX);

    if (!self->scratch && !(self->scratch = malloc(TRACED_RECORD_MAX)))
        return rec->count > skip ? rec->count - skip : 0;
    memcpy(self->scratch, chunk->payload, size);
    uint32_t all = traced_record_count_ends(self->scratch, size, 0, 0, rec->count, rec->flags);
    uint32_t before = traced_record_count_ends(
        self->scratch, size, 0, 0, ORMA_MIN(skip, rec->count), rec->flags & TRACED_REC_CONT_PREV);
    return all - ORMA_MIN(before, all);
}

static void note_newest(struct traced_seq *seq, const struct traced_record *rec)
{
    seq->has_last = true;
    seq->last_chunk_id = rec->chunk_id;
    seq->tail_open = rec->flags & TRACED_REC_CONT_NEXT;
}

static ORMA_COLD void discard(struct traced_buffer *self, struct traced_seq *seq,
                              const struct traced_record *rec, const struct traced_chunk *chunk)
{
    self->discarding = true;
    self->stats.chunks_discarded++;
    uint16_t known = take_partial(seq, rec->chunk_id);
    seq->ledger.discarded += count_refused(self, rec, chunk, known);
    if (rec->flags & TRACED_REC_INCOMPLETE && (rec->count || known))
        remember_partial(seq, rec->chunk_id, ORMA_MAX(rec->count, known));
    if (traced_seq_is_newest(seq, rec->chunk_id))
        note_newest(seq, rec);
}

static ORMA_COLD void refuse(struct traced_buffer *self, struct traced_seq *seq,
                             const struct traced_record *rec, const struct traced_chunk *chunk)
{
    self->stats.abi_violations++;
    /* Larger than this buffer is not malformed: the buffer is too small. */
    uint64_t *fate = rec->size > self->size ? &seq->ledger.discarded : &seq->ledger.invalid;
    *fate += count_refused(self, rec, chunk, 0);
}

static void store(struct traced_record *to, const struct traced_record *rec,
                  const struct traced_chunk *chunk)
{
    uint8_t *payload = (uint8_t *)(to + 1);

    *to = *rec;
    memcpy(payload, chunk->payload, chunk->payload_size);
    memset(payload + chunk->payload_size, 0, rec->slack);
    to->check = traced_record_check(to);
}

/*
 * Over an older, shorter copy of the same chunk, whose packets stay where they are: first the
 * bytes, then the half of the header that differs, in one store.
 */
static void store_over(struct traced_record *to, const struct traced_record *rec,
                       const struct traced_chunk *chunk)
{
    struct traced_record next = *rec;

    next.check = traced_record_check(&next);
    memcpy(to + 1, chunk->payload, chunk->payload_size);
    traced_rescue_barrier();
    traced_record_set(to, &next);
}

static ORMA_COLD void complete_unchanged(struct traced_buffer *self, struct traced_seq *seq,
                                         struct traced_ref *ref, struct traced_record *old,
                                         const struct traced_record *rec)
{
    if (!(old->flags & TRACED_REC_INCOMPLETE) || rec->flags & TRACED_REC_INCOMPLETE)
        return;
    struct traced_record next = *old;
    /* A fragment that was read as a whole packet can't be an open one any more. */
    next.flags = ref->read < old->count || !old->count ? rec->flags : old->flags;
    next.flags &= (uint8_t)~TRACED_REC_INCOMPLETE;
    next.check = traced_record_check(&next);
    traced_record_set(old, &next);
    if (old->chunk_id == seq->last_chunk_id)
        note_newest(seq, old);
    traced_seq_make_ready(self, seq);
}

/* The chunk was scraped before and comes again. */
static ORMA_COLD void rewrite(struct traced_buffer *self, struct traced_seq *seq, uint32_t idx,
                              const struct traced_record *rec, const struct traced_chunk *chunk)
{
    struct traced_ref *ref = traced_seq_ref(seq, idx);
    struct traced_record *old = traced_record_of(self, ref);
    const uint8_t shown = TRACED_REC_CONT_PREV | TRACED_REC_CONT_NEXT | TRACED_REC_NEEDS_PATCH;
    const struct traced_ref *next = idx + 1 < seq->len ? traced_seq_ref(seq, idx + 1) : NULL;
    bool next_read = next && next->chunk_id == ref->chunk_id + 1 && next->read > 0;

    if (old->size != rec->size || old->slack != rec->slack || rec->count < old->count ||
        (old->flags & shown & ~rec->flags)) {
        self->stats.abi_violations++;
        return;
    }
    if (rec->count == old->count) {
        complete_unchanged(self, seq, ref, old, rec);
        return;
    }
    if (next_read) {
        self->stats.abi_violations++;
        return;
    }
    self->stats.chunks_rewritten++;
    store_over(old, rec, chunk);
    ref->state &= (uint8_t) ~(TRACED_REF_CONSUMED | TRACED_REF_COUNTED);
    if (idx < seq->rd)
        seq->rd = idx;
    if (rec->chunk_id == seq->last_chunk_id)
        note_newest(seq, rec);
    traced_seq_make_ready(self, seq);
}

/* Where reading of a new chunk begins: after what was settled in an earlier copy of it. */
static ORMA_COLD void skip_settled(struct traced_ref *ref, const struct traced_record *rec,
                                   uint16_t frags)
{
    const uint8_t *payload = traced_record_payload(rec), *data;
    uint32_t size = traced_record_payload_size(rec), pos = 0, len;

    for (; ref->read < frags && ref->read < rec->count; ref->read++)
        if (traced_frag_at(payload, size, &pos, &data, &len) >= TRACED_FRAG_DROP_MARKER)
            break;
    ref->pos = (uint16_t)pos;
    ref->state |= TRACED_REF_ENTERED;
}

static bool wrap(struct traced_buffer *self, struct traced_seq *hint)
{
    size_t rest = self->size - self->wptr;

    if (clear_records(self, rest, hint) < 0)
        return false;
    begin_change(self, self->size);
    put_padding(self, rest);
    self->used = self->size;
    self->wptr = 0;
    end_change(self);
    self->stats.write_wrap_count++;
    return true;
}

/* Index and statistics of the record that was just put at `ref`. */
static void account(struct traced_buffer *self, struct traced_seq *seq, struct traced_ref *ref,
                    const struct traced_record *rec, bool newer)
{
    self->stats.chunks_written++;
    self->stats.bytes_written += rec->size;
    if (newer)
        note_newest(seq, rec);
    else
        self->stats.chunks_committed_out_of_order++;
    uint16_t frags = take_partial(seq, rec->chunk_id);
    if (ORMA_UNLIKELY(frags))
        skip_settled(ref, rec, frags);
    traced_seq_make_ready(self, seq);
}

/* Headers are where they are if sizes repeat. */
static void prefetch_next(const struct traced_buffer *self, size_t size)
{
    size_t at = self->wptr;

    if (at + 2 * size >= self->used)
        return;
    __builtin_prefetch(self->base + at + size, 1);
    __builtin_prefetch(self->base + at + 2 * size, 1);
}

void traced_seq_prefetch(const struct traced_seq *seq)
{
    if (seq->cap)
        __builtin_prefetch(&seq->refs[(seq->head + seq->len) & (seq->cap - 1)], 1);
}

static void append(struct traced_buffer *self, struct traced_seq *seq,
                   const struct traced_record *rec, const struct traced_chunk *chunk)
{
    if (!traced_seq_reserve(seq, rec->chunk_id)) {
        refuse(self, seq, rec, chunk);
        return;
    }
    int64_t left_over = -1;
    if (self->wptr < self->used && self->used < self->size)
        step_over_needed(self, rec->size);
    if (rec->size <= self->size - self->wptr || wrap(self, seq))
        left_over = clear_records(self, rec->size, seq);
    if (left_over < 0) {
        discard(self, seq, rec, chunk);
        return;
    }

    ORMA_ASSERT_HOT(rec->size <= self->size - self->wptr);
    bool newer = traced_seq_is_newest(seq, rec->chunk_id);
    struct traced_ref *ref = traced_seq_insert_ref(seq, rec->chunk_id);
    struct traced_record *to = traced_record_at(self, self->wptr);
    ref->offset16 = (uint32_t)(self->wptr / TRACED_RECORD_HEADER);
    begin_change(self, self->wptr + rec->size + (size_t)left_over);
    store(to, rec, chunk);
    self->wptr += rec->size;
    self->used = ORMA_MAX(self->used, self->wptr);
    if (left_over)
        put_padding(self, (size_t)left_over);
    if (self->wptr == self->size) {
        self->wptr = 0;
        self->stats.write_wrap_count++;
    }
    end_change(self);
    account(self, seq, ref, to, newer);
    prefetch_next(self, rec->size);
}

void traced_buffer_write(struct traced_buffer *self, struct traced_seq *seq,
                         const struct traced_chunk *chunk)
{
    size_t size = record_size(chunk->payload_size);
    struct traced_record rec = make_record(seq, chunk, size);

    ORMA_ASSERT_HOT(seq->buf == self && self->base);
    if (size > ORMA_MIN(self->size, (size_t)TRACED_RECORD_MAX)) {
        refuse(self, seq, &rec, chunk);
        return;
    }
    int64_t idx = traced_seq_find_ref(seq, chunk->chunk_id);
    if (ORMA_UNLIKELY(idx >= 0))
        rewrite(self, seq, (uint32_t)idx, &rec, chunk);
    else if (ORMA_UNLIKELY(self->discarding))
        discard(self, seq, &rec, chunk);
    else
        append(self, seq, &rec, chunk);
}

void traced_buffer_patch(struct traced_buffer *self, struct traced_seq *seq, uint32_t chunk_id,
                         const struct traced_patch *patches, size_t num, bool more)
{
    int64_t idx = seq ? traced_seq_find_ref(seq, chunk_id) : -1;

    if (idx < 0) {
        self->stats.patches_failed++;
        return;
    }
    struct traced_record *rec = traced_record_of(self, traced_seq_ref(seq, (uint32_t)idx));
    uint32_t size = traced_record_payload_size(rec);
    for (size_t i = 0; i < num; i++) {
        if (size < sizeof(patches[i].data) || patches[i].offset > size - sizeof(patches[i].data)) {
            self->stats.patches_failed++;
            return;
        }
        memcpy((uint8_t *)(rec + 1) + patches[i].offset, patches[i].data, sizeof(patches[i].data));
    }
    self->stats.patches_succeeded += num;
    if (more || !(rec->flags & TRACED_REC_NEEDS_PATCH))
        return;
    struct traced_record next = *rec;
    next.flags &= (uint8_t)~TRACED_REC_NEEDS_PATCH;
    next.check = traced_record_check(&next);
    traced_rescue_barrier();
    traced_record_set(rec, &next);
    traced_seq_make_ready(self, seq);
}

bool traced_buffer_touch_ahead(struct traced_buffer *self)
{
    /* A quarter of what was written: a session of some kilobytes needs no megabyte. */
    size_t ahead = ORMA_MIN((self->used / 4 + TOUCH_LEAST) & ~(size_t)4095, TOUCH_AHEAD);
    size_t want = ORMA_MIN(self->size, self->wptr + ahead);

    self->touched = ORMA_MAX(self->touched, self->used & ~(size_t)4095);
    if (self->used == self->size || self->touched >= want)
        return false;
    if (self->memory.folder) {
        traced_rescue_back(&self->memory, ORMA_MIN(want, self->touched + TOUCH_STEP));
        self->touched = self->backed = self->memory.backed;
        atomic_store_explicit(&self->shared->limit, self->memory.limit, memory_order_relaxed);
        return self->touched < want;
    }
    size_t end = ORMA_MIN(self->size, self->touched + ORMA_MIN(ahead, TOUCH_STEP));
#ifdef MADV_POPULATE_WRITE
    if (madvise(self->base + self->touched, end - self->touched, MADV_POPULATE_WRITE) == 0) {
        self->touched = end;
        return self->touched < want;
    }
#endif
    for (size_t at = ORMA_MAX(self->touched, self->used); at < end; at += 4096)
        self->base[at] = 0; /* an older kernel: behind `used` there is nothing yet */
    self->touched = end;
    return self->touched < want;
}

void traced_buffer_clear(struct traced_buffer *self)
{
    for (size_t at = 0; at < self->used;) {
        const struct traced_record *rec = traced_record_at(self, at);

        check_record(self, at, rec);
        if (!(rec->flags & TRACED_REC_PADDING))
            evict(self, rec, NULL);
        at += rec->size;
    }
    self->wptr = self->used = 0;
    self->discarding = false;
    atomic_store_explicit(&self->shared->used, 0, memory_order_relaxed);
    traced_rescue_barrier();
    atomic_store_explicit(&self->shared->wptr, 0, memory_order_relaxed);
}
