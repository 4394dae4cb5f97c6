/*
 * Reading side of the central buffer.
 *
 * The reader stands in each sequence at reference `rd` and there at fragment
 * `read`. Packets inside a chunk are one fragment; a packet over several chunks
 * is the last fragment of one (CONT_NEXT), whole chunks of one fragment with
 * both flags, and the first fragment of another (CONT_PREV):
 *
 *     [c0: a b x…] [c1: …x…] [c2: …x c d]
 *              └── chain ─────────┘
 *
 * A chain is consumed as a whole or not at all; while a piece may still come,
 * the sequence is stalled.
 */
#include <stdlib.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/vec.h"
#include "traced/buffers/buffer_internal.h"
#include "traced/buffers/kept.h"
#include "traced/buffers/packet.h"

/* Chunks and sequences that one call looks at before it gives others a turn. */
#define PATIENCE 4096u

/*
 * Packets of one sequence, until it is the turn of the next one. That is so where reading may have
 * to wait for the disk: what a writer left in the buffer once would never be read beside one that
 * goes on writing, and be overwritten.
 */
#define TURN 1024u

/* More chunks than this are no packet: 64 MiB in pages of 4 KiB. */
#define CHAIN_MAX 16384u

enum read_step {
    STEP_AGAIN,  /* something was consumed, no packet yet */
    STEP_PACKET, /* one is ready */
    STEP_STALL,  /* nothing more in this pass */
};

void traced_buffer_read_begin(struct traced_buffer *self)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &self->stalled, ready_link)
        traced_seq_make_ready(self, seq);
    self->read_at = self->stats.bytes_written;
}

static bool is_settled(const struct traced_buffer *buf, const struct traced_seq *seq)
{
    return seq->settled || buf->settled;
}

static void add_to_histogram(struct traced_seq *seq, uint32_t bytes)
{
    unsigned i = 0;

    while (i < TRACED_HISTOGRAM_BOUNDS && bytes > traced_buffer_histogram_bounds[i])
        i++;
    seq->histogram_counts[i]++;
    seq->histogram_sums[i] += bytes;
}

/* The reader leaves the chunk for good. */
static void consume(struct traced_buffer *buf, struct traced_seq *seq, struct traced_ref *ref,
                    const struct traced_record *rec)
{
    ref->read = rec->count;
    if (!(ref->state & TRACED_REF_CONSUMED)) {
        ref->state |= TRACED_REF_CONSUMED;
        buf->stats.chunks_read++;
        buf->stats.bytes_read += rec->size;
        add_to_histogram(seq, ref->pos);
    }
    seq->next_id = ref->chunk_id + 1;
    seq->rd++;
    traced_seq_touch(buf, seq);
}

/* The rest of the chunk can't be read. `lost`: are its packets to be counted as invalid? */
static void give_up_rest(struct traced_seq *seq, struct traced_ref *ref,
                         const struct traced_record *rec, bool lost)
{
    uint32_t rest = (uint32_t)rec->count - ref->read;
    uint32_t open = rec->flags & TRACED_REC_CONT_NEXT ? 1 : 0;

    if (lost && rest > open)
        seq->ledger.invalid += rest - open;
    ref->read = rec->count;
}

/* The next fragment of the chunk; consumes it, or the whole chunk if it can't be read. */
static enum traced_frag take_frag(struct traced_buffer *buf, struct traced_seq *seq,
                                  struct traced_ref *ref, const struct traced_record *rec,
                                  struct traced_slice *ret)
{
    uint32_t pos = ref->pos, len = 0;
    enum traced_frag got = traced_frag_at(traced_record_payload(rec),
                                          traced_record_payload_size(rec), &pos, &ret->data, &len);

    switch (got) {
    case TRACED_FRAG_OK:
    case TRACED_FRAG_EMPTY:
        ret->len = len;
        ref->pos = (uint16_t)pos;
        ref->read++;
        break;
    case TRACED_FRAG_DROP_MARKER:
        buf->stats.trace_writer_packet_loss++;
        seq->loss |= TRACED_LOSS_WRITER_ABORT;
        give_up_rest(seq, ref, rec, false); /* the writer itself has counted it */
        break;
    case TRACED_FRAG_BAD:
        buf->stats.abi_violations++;
        seq->loss |= TRACED_LOSS_CORRUPT;
        give_up_rest(seq, ref, rec, true);
        break;
    }
    return got;
}

/* The first fragment belongs to a packet whose beginning is not there: it is skipped for ever. */
static void skip_orphan(struct traced_buffer *buf, struct traced_seq *seq, struct traced_ref *ref,
                        const struct traced_record *rec)
{
    bool ends = rec->count > 1 || !(rec->flags & TRACED_REC_CONT_NEXT);
    struct traced_slice slice;

    if (take_frag(buf, seq, ref, rec, &slice) >= TRACED_FRAG_DROP_MARKER)
        return;
    traced_kept_join(seq, &slice, ends);
    if (ends && seq->loss & TRACED_LOSS_OVERWRITTEN) {
        seq->ledger.overwritten++;
        seq->orphans++;
    } else if (ends)
        seq->ledger.unpatched++;
    seq->loss |= TRACED_LOSS_ORPHAN;
}

/* Was the chunk overwritten when only a scraped copy of it was there? */
static bool is_partial(const struct traced_seq *seq, uint32_t chunk_id)
{
    for (size_t i = 0; seq->has_partial && i < ORMA_ARRAY_LEN(seq->partial); i++)
        if (seq->partial[i].frags && seq->partial[i].chunk_id == chunk_id)
            return true;
    return false;
}

/* Judges whether the chunk follows the one before. False: wait for those between. */
static bool enter(struct traced_buffer *buf, struct traced_seq *seq, struct traced_ref *ref,
                  const struct traced_record *rec)
{
    if (ref->chunk_id != seq->next_id) {
        bool predecessor =
            seq->rd > 0 && traced_seq_ref(seq, seq->rd - 1)->chunk_id == seq->next_id - 1;

        bool gone = seq->has_gone && (int32_t)(seq->gone_id - seq->next_id) >= 0;

        if (predecessor && !gone && !is_settled(buf, seq))
            return false;
        seq->loss |= gone ? TRACED_LOSS_OVERWRITTEN : TRACED_LOSS_GAP;
        seq->next_id = ref->chunk_id;
    }
    if (ORMA_UNLIKELY(is_partial(seq, ref->chunk_id - 1)))
        seq->loss |= TRACED_LOSS_GAP; /* what its writer added after that copy is not known */
    ref->state |= TRACED_REF_ENTERED;
    if (rec->flags & TRACED_REC_CONT_PREV && rec->count && !ref->read)
        skip_orphan(buf, seq, ref, rec);
    return true;
}

/* ---- packets over several chunks ---- */

/* CUT: the next piece was given up before, and its packet counted there. */
enum chain { CHAIN_WHOLE, CHAIN_WAIT, CHAIN_BROKEN, CHAIN_CUT, CHAIN_MISSING };

/* Looks for the piece in reference idx; `id` is the chunk it must be. */
static enum chain find_piece(const struct traced_buffer *buf, const struct traced_seq *seq,
                             uint32_t idx, uint32_t id)
{
    bool settled = is_settled(buf, seq);

    if (idx >= seq->len)
        return settled ? CHAIN_MISSING : CHAIN_WAIT;
    const struct traced_ref *ref = traced_seq_ref(seq, idx);
    const struct traced_record *rec = traced_record_of(buf, ref);
    if (ref->chunk_id != id)
        return settled ? CHAIN_MISSING : CHAIN_WAIT;
    if (!rec->count && rec->flags & TRACED_REC_INCOMPLETE)
        return settled ? CHAIN_MISSING : CHAIN_WAIT;
    if (!(rec->flags & TRACED_REC_CONT_PREV) || !rec->count)
        return CHAIN_BROKEN;
    if (ref->read)
        return CHAIN_CUT;
    if (rec->flags & TRACED_REC_NEEDS_PATCH && !settled)
        return CHAIN_WAIT;
    return CHAIN_WHOLE;
}

/* Does the chunk hold nothing but a middle piece? */
static bool is_middle(const struct traced_record *rec)
{
    return rec->count == 1 && rec->flags & TRACED_REC_CONT_NEXT;
}

/* The index of the last piece of the packet that begins at the end of chunk rd. */
static enum chain find_chain(const struct traced_buffer *buf, const struct traced_seq *seq,
                             uint32_t *ret_last)
{
    uint32_t id = traced_seq_ref(seq, seq->rd)->chunk_id;

    for (uint32_t idx = seq->rd + 1;; idx++) {
        if (idx - seq->rd > CHAIN_MAX)
            return CHAIN_BROKEN;
        enum chain found = find_piece(buf, seq, idx, ++id);

        if (found != CHAIN_WHOLE)
            return found;
        if (!is_middle(traced_record_of(buf, traced_seq_ref(seq, idx)))) {
            *ret_last = idx;
            return CHAIN_WHOLE;
        }
    }
}

/* Consumes the pieces rd..last into buf->slices. False: one of them could not be read. */
static bool take_chain(struct traced_buffer *buf, struct traced_seq *seq, uint32_t last,
                       struct traced_packet *ret, bool *ret_unpatched)
{
    *ret_unpatched = false;
    ret->slices_num = 0;
    ret->len = 0;
    for (uint32_t num = last - seq->rd + 1; num; num--) {
        struct traced_ref *ref = traced_seq_ref(seq, seq->rd);
        const struct traced_record *rec = traced_record_of(buf, ref);
        struct traced_slice *slice = &buf->slices[ret->slices_num];
        bool open = ref->read + 1 == rec->count && rec->flags & TRACED_REC_CONT_NEXT;

        if (take_frag(buf, seq, ref, rec, slice) >= TRACED_FRAG_DROP_MARKER)
            return false;
        /* Patches always belong to the packet that a chunk ends in. */
        *ret_unpatched |= open && rec->flags & TRACED_REC_NEEDS_PATCH;
        ret->len += slice->len;
        ret->slices_num += slice->len > 0;
        ref->state |= TRACED_REF_ENTERED;
        if (num > 1)
            consume(buf, seq, ref, rec);
    }
    seq->next_id = traced_seq_ref(seq, seq->rd)->chunk_id;
    return true;
}

/* The chunk's last fragment, when the packet does not end there. */
static enum read_step read_chain(struct traced_buffer *buf, struct traced_seq *seq,
                                 struct traced_ref *ref, const struct traced_record *rec,
                                 struct traced_packet *ret)
{
    struct traced_slice lost;
    uint32_t last = 0;
    bool unpatched;
    enum chain found = find_chain(buf, seq, &last);

    if (found == CHAIN_WHOLE &&
        ORMA_GROW(&buf->slices, &buf->slices_cap, (size_t)last - seq->rd + 1))
        found = CHAIN_WAIT; /* no memory now */
    switch (found) {
    case CHAIN_WAIT:
        buf->stats.readaheads_failed++;
        return STEP_STALL;
    case CHAIN_BROKEN:
    case CHAIN_CUT:
    case CHAIN_MISSING:
        /* If the end is elsewhere it is counted there; if it can't come, here; at the tail: cut. */
        buf->stats.readaheads_failed++;
        if (take_frag(buf, seq, ref, rec, &lost) < TRACED_FRAG_DROP_MARKER && found == CHAIN_BROKEN)
            seq->ledger.unpatched++;
        seq->loss |= found == CHAIN_MISSING ? TRACED_LOSS_REASSEMBLY : TRACED_LOSS_BROKEN_CHAIN;
        return STEP_AGAIN;
    case CHAIN_WHOLE:
        break;
    }
    if (!take_chain(buf, seq, last, ret, &unpatched))
        return STEP_AGAIN;
    if (unpatched) {
        seq->ledger.unpatched++;
        seq->loss |= TRACED_LOSS_REASSEMBLY;
        return STEP_AGAIN;
    }
    buf->stats.readaheads_succeeded++;
    ret->slices = buf->slices;
    return ret->len ? STEP_PACKET : STEP_AGAIN;
}

/* ---- one step ---- */

/* All fragments are consumed: leave the chunk, or wait for more of it. */
static enum read_step leave(struct traced_buffer *buf, struct traced_seq *seq,
                            struct traced_ref *ref, const struct traced_record *rec)
{
    if (rec->flags & TRACED_REC_INCOMPLETE) {
        if (!is_settled(buf, seq))
            return STEP_STALL;
        seq->loss |= TRACED_LOSS_GAP; /* for what follows a part that was never handed over */
    }
    consume(buf, seq, ref, rec);
    return STEP_AGAIN;
}

static ORMA_COLD enum read_step read_border(struct traced_buffer *buf, struct traced_seq *seq,
                                            struct traced_ref *ref, const struct traced_record *rec,
                                            struct traced_packet *ret)
{
    struct traced_slice slice;

    if (rec->flags & TRACED_REC_CONT_NEXT)
        return read_chain(buf, seq, ref, rec, ret);
    /* Settled, and the last packet waits for sizes that will not come. */
    if (take_frag(buf, seq, ref, rec, &slice) == TRACED_FRAG_OK) {
        seq->ledger.unpatched++;
        seq->loss |= TRACED_LOSS_REASSEMBLY;
    }
    return STEP_AGAIN;
}

static enum read_step step(struct traced_buffer *buf, struct traced_seq *seq,
                           struct traced_packet *ret)
{
    struct traced_ref *ref = traced_seq_ref(seq, seq->rd);
    const struct traced_record *rec = traced_record_of(buf, ref);

    if (ORMA_UNLIKELY(!(ref->state & TRACED_REF_ENTERED)) && !enter(buf, seq, ref, rec))
        return STEP_STALL;
    if (ORMA_UNLIKELY(rec->flags & TRACED_REC_NEEDS_PATCH) && !is_settled(buf, seq))
        return STEP_STALL;
    if (ORMA_UNLIKELY(ref->read >= rec->count))
        return leave(buf, seq, ref, rec);
    if (ORMA_UNLIKELY(ref->read + 1 == rec->count &&
                      rec->flags & (TRACED_REC_CONT_NEXT | TRACED_REC_NEEDS_PATCH)))
        return read_border(buf, seq, ref, rec, ret);
    if (take_frag(buf, seq, ref, rec, &buf->slices[0]) != TRACED_FRAG_OK)
        return STEP_AGAIN;
    ret->slices = buf->slices;
    ret->slices_num = 1;
    ret->len = buf->slices[0].len;
    return STEP_PACKET;
}

/*
 * What was kept of overwritten packets comes before the first one that is left, and behind the rest
 * of one whose beginning was overwritten. True: *ret is a packet of that. Otherwise it is the turn
 * of others.
 */
static ORMA_COLD bool read_kept(struct traced_buffer *buf, struct traced_seq *seq,
                                struct traced_packet *ret)
{
    bool alone = seq->rd == seq->len;

    if (!alone) {
        struct traced_ref *ref = traced_seq_ref(seq, seq->rd);
        const struct traced_record *rec = traced_record_of(buf, ref);

        if (!(ref->state & TRACED_REF_ENTERED) && !enter(buf, seq, ref, rec))
            return false;
        if (ref->read >= rec->count)
            return false; /* the next chunk continues that rest */
    }
    if (!traced_kept_any(seq, alone) || !traced_kept_next(seq, alone, &buf->slices[0]))
        return false;
    *ret = (struct traced_packet){
        .seq = seq,
        .slices = buf->slices,
        .slices_num = 1,
        .len = buf->slices[0].len,
        .loss = seq->loss ? seq->loss | TRACED_LOSS_PRESENT : 0,
        .is_kept = true,
    };
    seq->loss = 0;
    seq->ledger.kept++;
    return true;
}

/* False: the sequence has nothing more in this pass, or the reading pauses. */
static bool read_seq(struct traced_buffer *buf, struct traced_seq *seq, struct traced_packet *ret,
                     uint32_t *patience)
{
    ORMA_ASSERT_HOT(seq->buf == buf && seq->rd <= seq->len);
    if (ORMA_UNLIKELY(seq->kept != NULL) && seq->rd == seq->len)
        return read_kept(buf, seq, ret);
    while (seq->rd < seq->len) {
        if (ORMA_UNLIKELY(seq->kept != NULL) && read_kept(buf, seq, ret))
            return true;
        switch (step(buf, seq, ret)) {
        case STEP_AGAIN:
            if (ORMA_UNLIKELY(!--*patience))
                return false;
            continue;
        case STEP_STALL:
            return false;
        case STEP_PACKET:
            break;
        }
        if (ORMA_UNLIKELY(!traced_packet_valid(ret->slices, ret->slices_num))) {
            buf->stats.invalid_packets++;
            seq->ledger.invalid++;
            seq->loss |= TRACED_LOSS_CORRUPT;
            if (!--*patience)
                return false;
            continue;
        }
        traced_seq_touch(buf, seq);
        ret->seq = seq;
        ret->loss = seq->loss ? seq->loss | TRACED_LOSS_PRESENT : 0;
        ret->is_kept = false;
        seq->loss = 0;
        seq->ledger.delivered++;
        return true;
    }
    return false;
}

bool traced_buffer_read(struct traced_buffer *self, struct traced_packet *ret)
{
    uint32_t patience = PATIENCE;

    self->paused = false;
    if (ORMA_GROW(&self->slices, &self->slices_cap, (size_t)1))
        return false;
    while (!orma_list_empty(&self->ready)) {
        struct traced_seq *seq = ORMA_CONTAINER_OF(self->ready.next, struct traced_seq, ready_link);

        if (read_seq(self, seq, ret, &patience)) {
            if (self->keeps_read && ORMA_UNLIKELY(++self->turn >= TURN)) {
                self->turn = 0;
                orma_list_remove(&seq->ready_link);
                orma_list_insert(&self->ready, &seq->ready_link);
            }
            return true;
        }
        if (ORMA_UNLIKELY(patience <= 1)) {
            self->paused = true;
            return false;
        }
        patience--;
        orma_list_remove(&seq->ready_link);
        seq->is_ready = false;
        self->turn = 0;
        if (seq->rd < seq->len)
            orma_list_insert(&self->stalled, &seq->ready_link);
    }
    return false;
}

void traced_buffer_take_marks(struct traced_buffer *self, uint64_t block, traced_mark_fn fn,
                              void *ctx)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &self->just_read, touch_link) {
        const struct traced_ref *ref = seq->rd < seq->len ? traced_seq_ref(seq, seq->rd) : NULL;
        bool inside = ref && ref->read > 0;
        const struct traced_mark mark = {
            .block = block,
            .chunk_id = inside ? ref->chunk_id : seq->next_id,
            .read = inside ? ref->read : 0,
            .delivered = seq->ledger.delivered,
            .invalid = seq->ledger.invalid,
            .unpatched = seq->ledger.unpatched,
            .orphans = seq->orphans,
        };

        orma_list_remove(&seq->touch_link);
        seq->is_touched = false;
        if (fn(ctx, seq, &mark) < 0)
            return; /* no memory: it gets its next mark later, and is read again until then */
    }
}

void traced_seq_set_mark(struct traced_seq *seq, const struct traced_mark *mark)
{
    struct traced_mark *to =
        &seq->marks[seq->marks[0].block > seq->marks[1].block]; /* the older one */
    const struct traced_mark *other = &seq->marks[to == &seq->marks[0]];

    if (mark->block <= other->block)
        return;
    to->block = 0; /* while it is neither */
    traced_rescue_barrier();
    to->chunk_id = mark->chunk_id;
    to->read = mark->read;
    to->delivered = mark->delivered;
    to->invalid = mark->invalid;
    to->unpatched = mark->unpatched;
    to->orphans = mark->orphans;
    traced_rescue_barrier();
    to->block = mark->block;
    seq->mark_id = mark->chunk_id;
    seq->has_mark = true;
}

void traced_buffer_undeliver(const struct traced_packet *packet)
{
    struct traced_seq *seq = packet->seq;

    if (packet->is_kept) {
        seq->ledger.kept--;
        return;
    }
    ORMA_ASSERT_HOT(seq->ledger.delivered > 0);
    seq->ledger.delivered--;
    seq->ledger.discarded++;
}

void traced_seq_settle(struct traced_seq *seq)
{
    if (!is_settled(seq->buf, seq)) /* after the session's end nobody asks for reports */
        traced_seq_lose_report(seq);
    seq->settled = true;
    if (seq->rd < seq->len)
        traced_seq_make_ready(seq->buf, seq);
}

void traced_buffer_settle(struct traced_buffer *self)
{
    self->settled = true;
    traced_buffer_read_begin(self);
}

void traced_seq_report(struct traced_seq *seq, uint64_t emitted, uint64_t dropped)
{
    emitted = ORMA_MIN(emitted, TRACED_SEQ_COUNT_MAX);
    dropped = ORMA_MIN(dropped, TRACED_SEQ_COUNT_MAX);
    emitted -= ORMA_MIN(emitted, seq->base_emitted);
    dropped -= ORMA_MIN(dropped, seq->base_dropped);
    if (seq->ledger.emitted != UINT64_MAX && emitted < seq->ledger.emitted)
        return;
    seq->reports = seq->owes_report = true;
    seq->ledger.emitted = emitted;
    seq->ledger.dropped = dropped;
}

void traced_seq_reported(struct traced_seq *seq)
{
    seq->owes_report = false;
}

void traced_seq_lose_report(struct traced_seq *seq)
{
    seq->ledger.unreported |= seq->owes_report;
    seq->owes_report = false;
}

struct traced_ledger traced_seq_ledger(const struct traced_seq *seq)
{
    struct traced_ledger sum = seq->ledger;
    uint64_t known =
        sum.dropped + sum.delivered + sum.overwritten + sum.discarded + sum.invalid + sum.unpatched;

    if (seq->overwritten_at_most) {
        uint64_t rest = sum.emitted > known ? sum.emitted - known : 0;
        uint64_t more = ORMA_MIN(seq->overwritten_at_most, rest);

        sum.overwritten += more;
        known += more;
    }

    sum.cut = seq->tail_open ? 1 : 0;
    if (seq->buf->recovered && sum.emitted != UINT64_MAX && sum.emitted > known + sum.cut)
        sum.died = sum.emitted - known - sum.cut;
    /* What a writer that is gone had begun and never handed over. */
    else if (is_settled(seq->buf, seq) && sum.emitted != UINT64_MAX &&
             sum.emitted > known + sum.cut)
        sum.cut = sum.emitted - known;
    /* What it had handed over, or was scraped, after its last report. */
    if (is_settled(seq->buf, seq) && sum.emitted != UINT64_MAX && sum.emitted < known + sum.cut)
        sum.emitted = known + sum.cut;
    return sum;
}
