/*
 * First the totals, which are always there; then histograms and ledgers of each
 * sequence, which are left out as a whole where they would not fit.
 */
#include "traced/sessions/stats.h"

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"
#include "traced/sessions/session.h"

/* Fields of BufferStats that are only written if not 0. */
static void put_buffer_stats(struct orma_buf *out, const struct traced_buffer *buf)
{
    const struct traced_buffer_stats *st = &buf->stats;
    const struct {
        uint32_t field;
        uint64_t val;
    } all[] = {
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, st->bytes_written},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_WRITTEN, st->chunks_written},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN, st->chunks_overwritten},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_WRITE_WRAP_COUNT, st->write_wrap_count},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_PATCHES_SUCCEEDED, st->patches_succeeded},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_PATCHES_FAILED, st->patches_failed},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_READAHEADS_SUCCEEDED, st->readaheads_succeeded},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_READAHEADS_FAILED, st->readaheads_failed},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_ABI_VIOLATIONS, st->abi_violations},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_REWRITTEN, st->chunks_rewritten},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_COMMITTED_OUT_OF_ORDER,
         st->chunks_committed_out_of_order},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, buf->size},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN, st->bytes_overwritten},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_READ, st->bytes_read},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_PADDING_BYTES_WRITTEN, st->padding_bytes_written},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_PADDING_BYTES_CLEARED, st->padding_bytes_cleared},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_READ, st->chunks_read},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_DISCARDED, st->chunks_discarded},
        {ORMA_PB_TRACE_STATS_BUFFER_STATS_TRACE_WRITER_PACKET_LOSS, st->trace_writer_packet_loss},
    };
    size_t msg = orma_pb_begin(out, ORMA_PB_TRACE_STATS_BUFFER_STATS);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(all); i++)
        if (all[i].val)
            orma_pb_put_u64(out, all[i].field, all[i].val);
    orma_pb_end(out, msg);
}

static void put_packed(struct orma_buf *out, uint32_t field, const uint64_t *vals, size_t num)
{
    size_t packed = orma_pb_begin(out, field);

    for (size_t i = 0; i < num; i++)
        orma_pb_put_raw_varint(out, vals[i]);
    orma_pb_end(out, packed);
}

static void put_writer_stats(struct orma_buf *out, const struct traced_seq *seq, uint32_t buffer)
{
    size_t msg = orma_pb_begin(out, ORMA_PB_TRACE_STATS_WRITER_STATS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_WRITER_STATS_SEQUENCE_ID, seq->sequence_id);
    put_packed(out, ORMA_PB_TRACE_STATS_WRITER_STATS_CHUNK_PAYLOAD_HISTOGRAM_COUNTS,
               seq->histogram_counts, ORMA_ARRAY_LEN(seq->histogram_counts));
    put_packed(out, ORMA_PB_TRACE_STATS_WRITER_STATS_CHUNK_PAYLOAD_HISTOGRAM_SUM,
               seq->histogram_sums, ORMA_ARRAY_LEN(seq->histogram_sums));
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_WRITER_STATS_BUFFER, buffer);
    orma_pb_end(out, msg);
}

static void put_histogram_bounds(struct orma_buf *out)
{
    for (size_t i = 0; i < TRACED_HISTOGRAM_BOUNDS; i++)
        orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_CHUNK_PAYLOAD_HISTOGRAM_DEF,
                        traced_buffer_histogram_bounds[i]);
}

size_t traced_session_seqs_num(const struct traced_session *s)
{
    size_t num = 0;

    for (size_t i = 0; i < s->buffers_num; i++)
        num += s->buffers[i].buf->seqs_num;
    return num;
}

static void put_reasons(struct orma_buf *out, const struct traced_ledger *l, uint64_t unreported)
{
    const struct {
        uint32_t field;
        uint64_t val;
    } reasons[] = {
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_DROPPED, l->dropped},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_OVERWRITTEN, l->overwritten},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_DISCARDED, l->discarded},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_INVALID, l->invalid},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_UNPATCHED, l->unpatched},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_CUT, l->cut},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_UNREPORTED, unreported},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_SERVICE_DIED, l->died},
        {ORMA_PB_ORMA_SEQUENCE_COUNTS_KEPT, l->kept},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(reasons); i++)
        if (reasons[i].val)
            orma_pb_put_u64(out, reasons[i].field, reasons[i].val);
}

static void put_ledger(struct orma_buf *out, const struct traced_seq *seq, uint32_t buffer)
{
    struct traced_ledger l = traced_seq_ledger(seq);
    size_t msg = orma_pb_begin(out, ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS);

    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_SEQUENCE_ID, seq->sequence_id);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_BUFFER, buffer);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_PRODUCER_ID, seq->producer_id);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_WRITER_ID, seq->writer_id);
    if (l.emitted != UINT64_MAX)
        orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_EMITTED, l.emitted);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED, l.delivered);
    put_reasons(out, &l, l.unreported);
    orma_pb_end(out, msg);
}

static void add(uint64_t *sum, uint64_t num)
{
    *sum = num > UINT64_MAX - *sum ? UINT64_MAX : *sum + num;
}

/* One for all of them: without a sequence, and with how many did not report. */
static void put_sum(struct orma_buf *out, const struct traced_session *s)
{
    struct traced_ledger sum = {0};
    uint64_t unreported = 0;
    size_t msg = orma_pb_begin(out, ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS);

    for (size_t i = 0; i < s->buffers_num; i++)
        ORMA_LIST_EACH (struct traced_seq, seq, &s->buffers[i].buf->seqs, link) {
            const struct traced_ledger l = traced_seq_ledger(seq);

            add(&sum.delivered, l.delivered);
            add(&sum.dropped, l.dropped);
            add(&sum.overwritten, l.overwritten);
            add(&sum.discarded, l.discarded);
            add(&sum.invalid, l.invalid);
            add(&sum.unpatched, l.unpatched);
            add(&sum.cut, l.cut);
            add(&sum.died, l.died);
            add(&sum.kept, l.kept);
            unreported += l.unreported;
        }
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED, sum.delivered);
    put_reasons(out, &sum, unreported);
    orma_pb_end(out, msg);
}

static uint64_t total_buffers(const struct traced_sessions *all)
{
    uint64_t num = 0;

    ORMA_LIST_EACH (struct traced_session, s, &all->list, link)
        num += s->buffers_num;
    return num;
}

static void put_totals(struct orma_buf *out, const struct traced_session *s)
{
    const struct traced_sessions *all = s->registry;
    uint64_t invalid = 0;

    for (size_t i = 0; i < s->buffers_num; i++) {
        put_buffer_stats(out, s->buffers[i].buf);
        invalid += s->buffers[i].buf->stats.invalid_packets;
    }
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_PRODUCERS_CONNECTED, all->producers->num);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_PRODUCERS_SEEN, all->producers->seen);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_DATA_SOURCES_REGISTERED,
                    all->producers->data_sources_num);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_DATA_SOURCES_SEEN, all->last_instance_id);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_TRACING_SESSIONS, all->num);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_TOTAL_BUFFERS, total_buffers(all));
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_CHUNKS_DISCARDED, all->producers->chunks_discarded);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_PATCHES_DISCARDED, all->producers->patches_discarded);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_INVALID_PACKETS, invalid);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_FLUSHES_REQUESTED, s->flushes.requested);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_FLUSHES_SUCCEEDED, s->flushes.succeeded);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_FLUSHES_FAILED, s->flushes.failed);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_FINAL_FLUSH_OUTCOME, s->flushes.final);
    traced_incidents_put(out, s);
}

/* A ledger with each of its fields in one byte, and its frame. */
#define SEQUENCE_BYTES_MIN 14

/* False: there is more than would fit. What is sure not to fit is not even begun. */
static bool put_sequences(struct orma_buf *out, const struct traced_session *s, size_t max_len)
{
    bool histograms = !(s->config->builtin_data_sources &&
                        s->config->builtin_data_sources->disable_chunk_usage_histograms);
    size_t num = traced_session_seqs_num(s);

    if (out->len > max_len || num > (max_len - out->len) / SEQUENCE_BYTES_MIN)
        return false;
    if (num && histograms)
        put_histogram_bounds(out);
    for (size_t i = 0; i < s->buffers_num && histograms; i++)
        ORMA_LIST_EACH (struct traced_seq, seq, &s->buffers[i].buf->seqs, link) {
            if (out->len > max_len)
                return false;
            put_writer_stats(out, seq, (uint32_t)i);
        }
    for (size_t i = 0; i < s->buffers_num; i++)
        ORMA_LIST_EACH (struct traced_seq, seq, &s->buffers[i].buf->seqs, link) {
            if (out->len > max_len)
                return false;
            put_ledger(out, seq, (uint32_t)i);
        }
    return out->len <= max_len;
}

bool traced_session_put_stats(struct orma_buf *out, const struct traced_session *s, size_t max_len)
{
    put_totals(out, s);
    size_t totals = out->len;
    bool all = put_sequences(out, s, max_len);
    if (!all)
        out->len = totals;
    return all;
}

void traced_session_put_reply(struct orma_buf *out, const struct traced_session *s, size_t max_len)
{
    if (!traced_session_put_stats(out, s, max_len))
        put_sum(out, s);
}
