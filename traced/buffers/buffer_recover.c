/*
 * A central buffer from what a service has left of it (traced/rescue/layout.h). Nothing of it is
 * trusted: offsets, sizes and counts are checked, records by their own check as well. Records stay
 * where they were; the index is made anew, by walking over them in the order in which they were
 * written:
 *
 *   [3][4][5, being written ...][1][2][0 ............]
 *         ^ wptr                ^ busy ^ used
 *
 * What follows (chunks that were still in shared memory) is appended behind them.
 */
#include <errno.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "traced/buffers/buffer_internal.h"

/* More sequences than any service has. */
#define SEQS_MAX ((size_t)1 << 24)

static bool is_record(const struct traced_record *rec, size_t rest)
{
    const uint8_t known = TRACED_REC_CONT_PREV | TRACED_REC_CONT_NEXT | TRACED_REC_NEEDS_PATCH |
                          TRACED_REC_INCOMPLETE | TRACED_REC_PADDING;

    return rec->size >= TRACED_RECORD_HEADER && rec->size % TRACED_RECORD_HEADER == 0 &&
           rec->size <= rest && rec->slack < TRACED_RECORD_HEADER &&
           (size_t)rec->slack + TRACED_RECORD_HEADER <= rec->size && !(rec->flags & ~known) &&
           rec->count <= ORMA_SHM_PACKETS_MASK && rec->check == traced_record_check(rec);
}

/* ---- sequences ---- */

/* A byte from outside may be no valid bool. */
static bool flag(const bool *at)
{
    uint8_t byte;

    memcpy(&byte, at, sizeof(byte));
    return byte;
}

/* The mark that holds: the newest of a block that is in the file. */
static const struct traced_mark *find_mark(const struct traced_seq *from, uint64_t blocks)
{
    const struct traced_mark *best = NULL;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(from->marks); i++) {
        const struct traced_mark *m = &from->marks[i];

        if (m->block && m->block <= blocks && (!best || m->block > best->block))
            best = m;
    }
    return best;
}

static uint64_t bounded(uint64_t count)
{
    return ORMA_MIN(count, TRACED_SEQ_COUNT_MAX);
}

/* What was counted by the time from which on it is read again. */
static void take_ledger(struct traced_seq *to, const struct traced_seq *from,
                        const struct traced_mark *mark)
{
    const struct traced_ledger *l = &from->ledger;
    uint64_t again =
        bounded(from->orphans) - ORMA_MIN(bounded(from->orphans), mark ? mark->orphans : 0);

    to->ledger = (struct traced_ledger){
        .emitted = l->emitted == UINT64_MAX ? UINT64_MAX : bounded(l->emitted),
        .dropped = bounded(l->dropped),
        .delivered = mark ? bounded(mark->delivered) : 0,
        .overwritten = bounded(l->overwritten) - ORMA_MIN(bounded(l->overwritten), again),
        .discarded = bounded(l->discarded),
        .invalid = mark ? bounded(mark->invalid) : 0,
        .unpatched = mark ? bounded(mark->unpatched) : 0,
        .unreported = flag(&l->unreported),
    };
    to->overwritten_at_most = bounded(from->overwritten_at_most);
    to->reports = flag(&from->reports) && l->emitted != UINT64_MAX;
    to->owes_report = flag(&from->owes_report);
    to->base_emitted = bounded(from->base_emitted);
    to->base_dropped = bounded(from->base_dropped);
}

static bool take_seq(struct traced_buffer *to, const struct traced_seq *from, uint64_t blocks)
{
    if (!from->writer_id || from->writer_id > ORMA_SHM_WRITER_ID_MAX || !from->producer_id ||
        from->trailer_len > sizeof(from->trailer) ||
        traced_buffer_find(to, from->producer_id, from->writer_id))
        return true; /* not complete when the service died, or nothing of ours */
    struct traced_seq *seq = traced_buffer_seq(to, from->producer_id, from->writer_id);
    if (!seq)
        return false;
    const struct traced_mark *mark = find_mark(from, blocks);

    seq->sequence_id = from->sequence_id;
    memcpy(seq->trailer, from->trailer, from->trailer_len);
    seq->trailer_len = from->trailer_len;
    seq->has_last = flag(&from->has_last);
    seq->last_chunk_id = from->last_chunk_id;
    seq->tail_open = flag(&from->tail_open);
    seq->has_gone = flag(&from->has_gone);
    seq->gone_id = from->gone_id;
    seq->next_id = from->next_id; /* how far it had been read, until start_reading() */
    seq->has_partial = flag(&from->has_partial);
    memcpy(seq->partial, from->partial, sizeof(seq->partial));
    seq->marks[0] = mark ? *mark : (struct traced_mark){0};
    take_ledger(seq, from, mark);
    return true;
}

/* ---- records ---- */

static void take_record(struct traced_buffer *to, const struct traced_record *rec, size_t at,
                        struct traced_remains *remains)
{
    struct traced_seq *seq = traced_buffer_find(to, rec->producer_id, rec->writer_id);

    if (!seq) /* there was no space for the sequence, or its file is damaged */
        remains->damaged_bytes += rec->size;
    if (!seq || traced_seq_find_ref(seq, rec->chunk_id) >= 0 ||
        !traced_seq_reserve(seq, rec->chunk_id))
        return;
    bool newer = traced_seq_is_newest(seq, rec->chunk_id);
    struct traced_ref *ref = traced_seq_insert_ref(seq, rec->chunk_id);

    ref->offset16 = (uint32_t)(at / TRACED_RECORD_HEADER);
    if (newer) {
        seq->has_last = true;
        seq->last_chunk_id = rec->chunk_id;
        seq->tail_open = rec->flags & TRACED_REC_CONT_NEXT;
    }
    to->stats.chunks_written++;
    to->stats.bytes_written += rec->size;
}

/* From one record to the next. What cannot be one ends the walk: where the next begins is unknown.
 */
static void walk(struct traced_buffer *to, size_t from, size_t end, struct traced_remains *remains)
{
    while (from < end) {
        struct traced_record rec;

        if (end - from < sizeof(rec)) {
            remains->damaged_bytes += end - from;
            return;
        }
        memcpy(&rec, to->base + from, sizeof(rec));
        if (!is_record(&rec, end - from)) {
            remains->damaged_bytes += end - from;
            return;
        }
        if (!(rec.flags & TRACED_REC_PADDING))
            take_record(to, &rec, from, remains);
        from += rec.size;
    }
}

static void walk_all(struct traced_buffer *to, size_t valid, struct traced_remains *remains)
{
    const struct traced_rescue_buffer *head = remains->head;
    uint64_t wptr = head->wptr, busy = head->busy;
    size_t old = (size_t)ORMA_MIN(ORMA_MAX(wptr, busy), valid);

    walk(to, old, valid, remains);
    walk(to, 0, (size_t)ORMA_MIN(wptr, valid), remains);
}

/* ---- where reading begins ---- */

/* What was overwritten before the first chunk shows in front of its first packet. */
static void start_at_first(struct traced_seq *seq, bool show_gone)
{
    if (seq->rd >= seq->len)
        return;
    seq->next_id = traced_seq_ref(seq, seq->rd)->chunk_id;
    if (show_gone && seq->has_gone && seq->gone_id + 1 == seq->next_id)
        seq->next_id = seq->gone_id;
}

/* Of these references: how many packets end in their chunks. */
static uint64_t count_packets(const struct traced_seq *seq, uint32_t from, uint32_t end)
{
    uint64_t num = 0;

    for (uint32_t i = from; i < end; i++) {
        const struct traced_record *rec = traced_record_of(seq->buf, traced_seq_ref(seq, i));

        num += traced_record_count_ends(traced_record_payload(rec), traced_record_payload_size(rec),
                                        0, 0, rec->count, rec->flags);
    }
    return num;
}

/* The chunk is left out: it was read before, and what follows it is not there any more. */
static void leave_out(struct traced_seq *seq, uint32_t idx)
{
    struct traced_ref *ref = traced_seq_ref(seq, idx);

    ref->read = traced_record_of(seq->buf, ref)->count;
    ref->state |= TRACED_REF_ENTERED | TRACED_REF_CONSUMED;
    seq->rd = idx + 1;
}

/*
 * Without a file: who read it may be gone as well. So of what was read the last chunks are read
 * once more, as far back as they are there without a gap; what was read before is not of this
 * trace.
 */
static void start_anew(struct traced_seq *seq, const struct traced_seq *from)
{
    uint64_t delivered = bounded(from->ledger.delivered);
    uint32_t unread = 0, first;

    while (unread < seq->len && (int32_t)(traced_seq_ref(seq, unread)->chunk_id - seq->next_id) < 0)
        unread++;
    first = unread;
    while (first > 0 &&
           traced_seq_ref(seq, first - 1)->chunk_id ==
               (first == unread ? seq->next_id : traced_seq_ref(seq, first)->chunk_id) - 1)
        first--;
    uint64_t again = ORMA_MIN(delivered, count_packets(seq, first, unread));
    uint64_t elsewhere =
        delivered - again + bounded(from->ledger.invalid) + bounded(from->ledger.unpatched);

    if (seq->ledger.emitted != UINT64_MAX)
        seq->ledger.emitted -= ORMA_MIN(seq->ledger.emitted, elsewhere);
    for (uint32_t i = 0; i < first; i++)
        leave_out(seq, i);
    start_at_first(seq, !delivered);
}

/* The first so many fragments of a chunk were read. */
static void skip_read(struct traced_ref *ref, const struct traced_record *rec, uint16_t frags)
{
    const uint8_t *data;
    uint32_t pos = 0, len;

    for (; ref->read < frags && ref->read < rec->count; ref->read++)
        if (traced_frag_at(traced_record_payload(rec), traced_record_payload_size(rec), &pos, &data,
                           &len) >= TRACED_FRAG_DROP_MARKER)
            break;
    ref->pos = (uint16_t)pos;
    ref->state |= TRACED_REF_ENTERED;
}

/* Behind what is in the file. */
static void start_at_mark(struct traced_seq *seq, const struct traced_mark *mark)
{
    bool found = false;

    seq->rd = 0;
    seq->next_id = mark->chunk_id;
    for (uint32_t i = 0; i < seq->len; i++) {
        struct traced_ref *ref = traced_seq_ref(seq, i);
        const struct traced_record *rec = traced_record_of(seq->buf, ref);
        int32_t ahead = (int32_t)(ref->chunk_id - mark->chunk_id);

        if (ahead < 0) {
            leave_out(seq, i);
        } else if (ahead == 0 && mark->read) {
            skip_read(ref, rec, mark->read);
            found = true;
        }
    }
    if (mark->read && !found) { /* it may still be in shared memory */
        seq->partial[1] = seq->partial[0];
        seq->partial[0] = (struct traced_partial){mark->chunk_id, mark->read};
        seq->has_partial = true;
    }
    seq->mark_id = mark->chunk_id;
    seq->has_mark = true;
}

static void start_reading(struct traced_buffer *to, const struct traced_remains *remains)
{
    for (size_t i = 0; i < remains->seqs_num; i++) {
        const struct traced_seq *from = &remains->seqs[i];
        struct traced_seq *seq = traced_buffer_find(to, from->producer_id, from->writer_id);

        if (!seq || seq->is_ready)
            continue;
        if (seq->marks[0].block)
            start_at_mark(seq, &seq->marks[0]);
        else if (remains->has_file)
            start_at_first(seq, true);
        else
            start_anew(seq, from);
        if (seq->rd < seq->len)
            traced_seq_make_ready(to, seq);
    }
}

/* Into memory that is zero: what is so in the file, too, need not be there. */
static void copy_content(uint8_t *to, const uint8_t *from, size_t len)
{
    enum { BLOCK = 4096 };
    static const uint8_t zeroes[BLOCK];

    for (size_t at = 0; at < len; at += BLOCK) {
        size_t num = ORMA_MIN(len - at, (size_t)BLOCK);

        if (memcmp(from + at, zeroes, num) != 0)
            memcpy(to + at, from + at, num);
    }
}

int traced_buffer_recover(struct traced_remains *remains, struct traced_buffer **ret)
{
    const struct traced_rescue_buffer *head = remains->head;
    uint64_t used = head->used, limit = head->limit;
    struct traced_buffer *to;

    if (!head->size || head->size % 1024 || head->size > (uint64_t)4 << 30 || used > head->size ||
        used % TRACED_RECORD_HEADER || head->wptr > head->size ||
        head->wptr % TRACED_RECORD_HEADER || head->busy > head->size ||
        head->busy % TRACED_RECORD_HEADER || limit > head->size || remains->seqs_num > SEQS_MAX)
        return -EBADMSG;
    /* A chunk may have been on its way when it was the first. */
    size_t valid = (size_t)ORMA_MIN(used, limit);
    int r = traced_buffer_new(orma_align_up(valid + remains->spare + TRACED_RECORD_MAX, 1024),
                              TRACED_RING, &to);
    if (r < 0)
        return r;
    copy_content(to->base, remains->data, valid);
    to->recovered = true;
    to->wptr = to->used = orma_align_up(valid, TRACED_RECORD_HEADER);
    for (size_t i = 0; i < remains->seqs_num && r == 0; i++)
        if (!take_seq(to, &remains->seqs[i], remains->has_file ? remains->blocks : 0))
            r = -ENOMEM;
    if (r < 0) {
        traced_buffer_free(to);
        return r;
    }
    walk_all(to, valid, remains);
    start_reading(to, remains);
    *ret = to;
    return 0;
}
