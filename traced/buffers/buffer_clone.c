/* Copies and successors of a central buffer, for snapshots of a running session. See buffer.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traced/buffers/buffer_internal.h"
#include "traced/buffers/kept.h"

/* Packets whose fate is known, or that can be read: what is known to have been emitted. */
static uint64_t accounted(const struct traced_seq *seq)
{
    struct traced_ledger l = traced_seq_ledger(seq);
    uint64_t sum = l.dropped + l.delivered + l.overwritten + l.discarded + l.invalid + l.unpatched;

    for (uint32_t i = seq->rd; i < seq->len; i++) {
        const struct traced_ref *ref = traced_seq_ref(seq, i);
        const struct traced_record *rec = traced_record_of(seq->buf, ref);

        sum += traced_record_count_ends(traced_record_payload(rec), traced_record_payload_size(rec),
                                        ref->pos, ref->read, rec->count, rec->flags);
    }
    return sum;
}

/*
 * The ledger of a snapshot: packets that somebody else has read are none of its
 * business, and what comes later is not, either.
 */
static void snapshot_ledger(struct traced_seq *to, const struct traced_seq *from)
{
    uint64_t overwritten = traced_seq_ledger(from).overwritten;

    if (from->ledger.emitted != UINT64_MAX)
        to->ledger.emitted = accounted(from) - from->ledger.delivered + (from->tail_open ? 1 : 0);
    to->ledger.overwritten = overwritten;
    to->overwritten_at_most = 0;
    to->ledger.delivered = to->ledger.kept = 0;
}

static bool copy_seq(struct traced_buffer *to, const struct traced_seq *from)
{
    struct traced_seq *seq = traced_buffer_seq(to, from->producer_id, from->writer_id);
    struct traced_ref *refs = from->len ? malloc(from->cap * sizeof(*refs)) : NULL;

    if (!seq || (from->len && !refs)) {
        free(refs);
        return false;
    }
    struct orma_list link = seq->link;
    *seq = *from;
    seq->link = link;
    seq->ready_link = seq->producer_link = seq->touch_link = (struct orma_list){0};
    seq->is_touched = seq->in_rescue = seq->has_mark = false;
    seq->is_ready = false;
    seq->buf = to;
    seq->refs = refs;
    seq->kept = NULL;
    seq->head = 0;
    seq->cap = from->len ? from->cap : 0;
    for (uint32_t i = 0; i < from->len; i++)
        refs[i] = *traced_seq_ref(from, i);
    snapshot_ledger(seq, from);
    if (!traced_kept_copy(seq, from))
        return false;
    if (seq->rd < seq->len || traced_kept_any(seq, true))
        traced_seq_make_ready(to, seq);
    return true;
}

int traced_buffer_clone(const struct traced_buffer *self, struct traced_buffer **ret)
{
    struct traced_buffer *to;
    int r = traced_buffer_new(self->size, self->policy, &to);

    if (r < 0)
        return r;
    to->wptr = self->wptr;
    to->used = self->used;
    to->discarding = self->discarding;
    to->stats = self->stats;
    to->stats.bytes_read = to->stats.chunks_read = 0;
    to->stats.readaheads_succeeded = to->stats.readaheads_failed = 0;
    memcpy(to->base, self->base, self->used);
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, link) {
        if (!copy_seq(to, seq)) {
            traced_buffer_free(to);
            return -ENOMEM;
        }
    }
    traced_buffer_settle(to);
    *ret = to;
    return 0;
}

/* Chunks that were scraped stay where they were; when they come again, so much of them is known. */
static void note_partials(struct traced_seq *next, const struct traced_seq *seq)
{
    size_t num = 0;

    memcpy(next->partial, seq->partial, sizeof(next->partial));
    next->has_partial = seq->has_partial;
    for (uint32_t i = seq->len; i-- > 0 && num < ORMA_ARRAY_LEN(next->partial);) {
        const struct traced_ref *ref = traced_seq_ref(seq, i);
        const struct traced_record *rec = traced_record_of(seq->buf, ref);

        if (rec->flags & TRACED_REC_INCOMPLETE && rec->count)
            next->partial[num++] = (struct traced_partial){ref->chunk_id, rec->count};
        next->has_partial |= num > 0;
    }
}

int traced_buffer_succeed(struct traced_buffer *self, struct traced_buffer **ret)
{
    struct traced_rescue_folder *folder = (struct traced_rescue_folder *)self->memory.folder;
    char name[TRACED_RESCUE_NAME_MAX], seqs_name[TRACED_RESCUE_NAME_MAX];
    struct traced_buffer *next;

    memcpy(name, self->memory.name, sizeof(name));
    memcpy(seqs_name, self->seq_memory.name, sizeof(seqs_name));
    traced_buffer_leave_folder(self);
    int r = traced_buffer_new_in(self->size, self->policy, folder, name, seqs_name, &next);

    if (r < 0)
        return r;
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, link) {
        if (seq->settled)
            continue;
        struct traced_seq *n = traced_buffer_seq(next, seq->producer_id, seq->writer_id);
        if (!n) {
            traced_buffer_free(next);
            return -ENOMEM;
        }
        n->has_last = seq->has_last;
        n->last_chunk_id = seq->last_chunk_id;
        n->next_id = seq->last_chunk_id + 1;
        n->owes_report = seq->owes_report;
        n->base_emitted = seq->base_emitted + accounted(seq);
        n->base_dropped = seq->base_dropped + seq->ledger.dropped;
        note_partials(n, seq);
    }
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, link) {
        snapshot_ledger(seq, seq);
        orma_list_remove(&seq->producer_link);
    }
    next->shared->target = self->shared->target;
    next->keeps_read = next->memory.folder && self->keeps_read;
    traced_buffer_settle(self);
    *ret = next;
    return 0;
}
