/*
 * Statistics of the service (TraceStats), as statistics of the trace and as its loss ledger.
 *
 * The last ones of a recording count: each has totals. Losses of sequences, which readers count as
 * they go, are attributed to the buffers of their writers at the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/trace/ledger.h"
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "protos/loss.h"

static void buffer_stats(struct orma_stats *stats, struct orma_str bytes, int32_t buffer,
                         bool into_file)
{
#define B(name) [ORMA_PB_TRACE_STATS_BUFFER_STATS_##name] = ORMA_STAT_TRACED_BUF_##name
    static const uint16_t by_field[] = {
        B(BYTES_WRITTEN),
        B(CHUNKS_WRITTEN),
        B(CHUNKS_OVERWRITTEN),
        B(WRITE_WRAP_COUNT),
        B(PATCHES_SUCCEEDED),
        B(PATCHES_FAILED),
        B(READAHEADS_SUCCEEDED),
        B(READAHEADS_FAILED),
        B(ABI_VIOLATIONS),
        B(CHUNKS_REWRITTEN),
        B(CHUNKS_COMMITTED_OUT_OF_ORDER),
        B(BUFFER_SIZE),
        B(BYTES_OVERWRITTEN),
        B(BYTES_READ),
        B(PADDING_BYTES_WRITTEN),
        B(PADDING_BYTES_CLEARED),
        B(CHUNKS_READ),
        B(CHUNKS_DISCARDED),
        B(TRACE_WRITER_PACKET_LOSS),
        B(CHUNKS_RELOCATED),
    };
#undef B
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int64_t values[ORMA_ARRAY_LEN(by_field)] = {0};

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(by_field))
            values[f.id] = orma_pb_i64(&f);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(by_field); i++)
        if (by_field[i])
            orma_stats_set_at(stats, by_field[i], buffer, values[i]);
    int64_t overwritten = values[ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN];
    if (into_file && overwritten)
        orma_stats_set_at(stats, ORMA_STAT_LONG_TRACE_MODE_BYTES_OVERWRITTEN, buffer, overwritten);
}

static void filter_stats(struct orma_stats *stats, struct orma_str bytes, int32_t buffer)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_STATS_FILTER_STATS_INPUT_PACKETS:
            orma_stats_set(stats, ORMA_STAT_FILTER_INPUT_PACKETS, orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACE_STATS_FILTER_STATS_INPUT_BYTES:
            orma_stats_set(stats, ORMA_STAT_FILTER_INPUT_BYTES, orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACE_STATS_FILTER_STATS_OUTPUT_BYTES:
            orma_stats_set(stats, ORMA_STAT_FILTER_OUTPUT_BYTES, orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACE_STATS_FILTER_STATS_ERRORS:
            orma_stats_set(stats, ORMA_STAT_FILTER_ERRORS, orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACE_STATS_FILTER_STATS_TIME_TAKEN_NS:
            orma_stats_set(stats, ORMA_STAT_FILTER_TIME_TAKEN_NS, orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACE_STATS_FILTER_STATS_BYTES_DISCARDED_PER_BUFFER:
            orma_stats_set_at(stats, ORMA_STAT_TRACED_BUF_BYTES_FILTERED_OUT, buffer++,
                              orma_pb_i64(&f));
            break;
        }
    }
}

/* ---- losses of sequences, by buffer ---- */

/* Which buffer each sequence was in: sequence → buffer. */
static struct orma_map *buffers_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_trace(imp)->buffers, sizeof(struct orma_map));
}

static void writer_stats(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_map *map = buffers_of(imp);
    uint32_t sequence = 0, buffer = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_STATS_WRITER_STATS_SEQUENCE_ID)
            sequence = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TRACE_STATS_WRITER_STATS_BUFFER)
            buffer = orma_pb_u32(&f) + (uint32_t)orma_trace_ledger_first_buffer(imp);
    }
    if (map && orma_map_put(map, orma_seqs_key(&imp->reader->seqs, machine, sequence), buffer))
        imp->model->storage->failed = true;
}

static void add_losses(struct orma_stats *stats, const struct orma_seq *seq, int32_t buffer)
{
    static const struct {
        uint32_t bit;
        enum orma_stat stat;
    } reasons[] = {
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_READ_GAP, ORMA_STAT_TRACED_BUF_DATA_LOSS_READ_GAP},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_CHUNK_CORRUPTED,
         ORMA_STAT_TRACED_BUF_DATA_LOSS_CHUNK_CORRUPTED},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_ORPHAN_CONTINUATION,
         ORMA_STAT_TRACED_BUF_DATA_LOSS_ORPHAN_CONTINUATION},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_REASSEMBLY_GAP,
         ORMA_STAT_TRACED_BUF_DATA_LOSS_REASSEMBLY_GAP},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_REASSEMBLY_BROKEN_CHAIN,
         ORMA_STAT_TRACED_BUF_DATA_LOSS_REASSEMBLY_BROKEN_CHAIN},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_OVERWRITE, ORMA_STAT_TRACED_BUF_DATA_LOSS_OVERWRITE},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_WRITER_ABORT, ORMA_STAT_TRACED_BUF_DATA_LOSS_WRITER_ABORT},
        {ORMA_PB_TRACE_PACKET_DATA_LOSS_SMB_FULL, ORMA_STAT_TRACED_BUF_DATA_LOSS_SMB_FULL},
    };

    orma_stats_add_at(stats, ORMA_STAT_TRACED_BUF_SEQUENCE_PACKET_LOSS, buffer,
                      (int64_t)seq->counts.losses);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(reasons); i++) {
        orma_stats_add_at(stats, reasons[i].stat, buffer,
                          seq->counts.losses_by_reason[__builtin_ctz(reasons[i].bit)]);
    }
    orma_stats_add_at(stats, ORMA_STAT_TRACED_BUF_INCREMENTAL_SEQUENCES_DROPPED, buffer,
                      seq->counts.needed && seq->counts.skipped == seq->counts.needed);
}

static void stats_finish(struct orma_import_ctx *imp)
{
    const struct orma_map *map = orma_trace(imp)->buffers;

    ORMA_MAP_EACH (slot, &imp->reader->seqs.by_id) {
        const struct orma_seq *seq = (const struct orma_seq *)(uintptr_t)slot->val;
        uint64_t buffer = map ? orma_map_get(map, slot->key) : ORMA_MAP_NONE;

        orma_model_use_trace(imp->model, seq->trace);
        if (buffer != ORMA_MAP_NONE)
            add_losses(orma_model_stats(imp->model, (uint16_t)seq->machine), seq, (int32_t)buffer);
    }
    orma_trace_ledger_finish(imp);
}

static void stats_fini(struct orma_import_ctx *imp)
{
    if (orma_trace(imp)->buffers)
        orma_map_fini(orma_trace(imp)->buffers);
    orma_trace_ledger_fini(imp);
}

static void flush_outcome(struct orma_stats *stats, uint64_t outcome)
{
    if (outcome == ORMA_PB_TRACE_STATS_FINAL_FLUSH_SUCCEEDED)
        orma_stats_set(stats, ORMA_STAT_TRACED_FINAL_FLUSH_SUCCEEDED, 1);
    else if (outcome == ORMA_PB_TRACE_STATS_FINAL_FLUSH_FAILED)
        orma_stats_set(stats, ORMA_STAT_TRACED_FINAL_FLUSH_FAILED, 1);
}

static bool stats_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
#define S(name) [ORMA_PB_TRACE_STATS_##name] = ORMA_STAT_TRACED_##name
    static const uint16_t by_field[] = {
        S(PRODUCERS_CONNECTED), S(PRODUCERS_SEEN),    S(DATA_SOURCES_REGISTERED),
        S(DATA_SOURCES_SEEN),   S(TRACING_SESSIONS),  S(TOTAL_BUFFERS),
        S(CHUNKS_DISCARDED),    S(PATCHES_DISCARDED), S(FLUSHES_REQUESTED),
        S(FLUSHES_SUCCEEDED),   S(FLUSHES_FAILED),
    };
#undef S
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_stats *stats = orma_model_stats(imp->model, ctx->machine);
    static const uint32_t totals =
        1u << ORMA_PB_TRACE_STATS_CHUNKS_DISCARDED | 1u << ORMA_PB_TRACE_STATS_PATCHES_DISCARDED |
        1u << ORMA_PB_TRACE_STATS_FLUSHES_REQUESTED | 1u << ORMA_PB_TRACE_STATS_FLUSHES_SUCCEEDED |
        1u << ORMA_PB_TRACE_STATS_FLUSHES_FAILED;
    const int32_t first_buffer = orma_trace_ledger_first_buffer(imp);
    int32_t buffer = first_buffer;

    orma_trace_ledger_begin(imp);
    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_TRACE_LEDGER_TOTALS && totals >> f.id & 1)
            orma_stats_add(stats, by_field[f.id],
                           orma_trace_ledger_more(imp, ctx->machine, f.id, orma_pb_i64(&f)));
        else if (f.id < ORMA_ARRAY_LEN(by_field) && by_field[f.id])
            orma_stats_set(stats, by_field[f.id], orma_pb_i64(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_BUFFER_STATS)
            buffer_stats(stats, orma_pb_str(&f), buffer++, orma_trace(imp)->into_file);
        else if (f.id == ORMA_PB_TRACE_STATS_WRITER_STATS)
            writer_stats(imp, ctx->machine, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_FILTER_STATS)
            filter_stats(stats, orma_pb_str(&f), first_buffer);
        else if (f.id == ORMA_PB_TRACE_STATS_FINAL_FLUSH_OUTCOME)
            flush_outcome(stats, orma_pb_u64(&f));
        else if (f.id == ORMA_TRACE_STATS_SEQUENCE_COUNTS)
            orma_trace_ledger_add(imp, ctx->machine, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_ORMA_PACKETS_BEFORE)
            orma_trace_ledger_before(imp, orma_pb_u64(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_ORMA_PACKETS_AFTER)
            orma_trace_ledger_after(imp, orma_pb_u64(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_ORMA_INCIDENTS)
            orma_trace_ledger_add_incident(imp, ctx->machine, orma_pb_str(&f));
    }
    orma_trace_ledger_note_buffers(imp, buffer - first_buffer);
    return true;
}

static const uint16_t stats_fields[] = {ORMA_PB_TRACE_PACKET_TRACE_STATS, 0};
const struct orma_importer orma_trace_trace_stats_importer = {
    .name = "trace_stats",
    .fields = stats_fields,
    .early = stats_early,
    .finish = stats_finish,
    .fini = stats_fini,
};
