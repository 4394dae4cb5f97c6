/*
 * Packets that are facts about the trace and its machines: clock snapshots,
 * events and statistics of the service, config, uuid, system info.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/trace/ledger.h"
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "protos/loss.h"

#define SNAPSHOT_CLOCKS_MAX 256

/* ---- clock snapshots ---- */

static const char *clock_name(uint64_t key)
{
    switch (key) {
    case ORMA_CLOCK_REALTIME:
        return "REALTIME";
    case 2:
        return "REALTIME_COARSE";
    case ORMA_CLOCK_MONOTONIC:
        return "MONOTONIC";
    case 4:
        return "MONOTONIC_COARSE";
    case ORMA_CLOCK_MONOTONIC_RAW:
        return "MONOTONIC_RAW";
    case ORMA_CLOCK_BOOTTIME:
        return "BOOTTIME";
    }
    return NULL;
}

/* False: a private clock without a sequence. */
static bool read_clock(struct orma_str bytes, const struct orma_seq *seq,
                       struct orma_clock_value *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t id = 0;

    *ret = (struct orma_clock_value){.unit_ns = 1};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID:
            id = orma_pb_u32(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP:
            ret->raw = orma_pb_i64(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL:
            ret->incremental = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS:
            ret->unit_ns = orma_pb_i64(&f) ? orma_pb_i64(&f) : 1;
            break;
        }
    }
    ret->key = orma_clock_key(id, seq ? seq->id : 0);
    return seq || !orma_clock_is_private(id);
}

/* A clock that went back has lost its way to the trace's clock, which may stand beside it. */
static bool get_time_beside(struct orma_import_ctx *imp, const struct orma_clock_value *v,
                            uint32_t num, int64_t *ret)
{
    for (uint32_t i = 0; i < num; i++)
        if (v[i].key == imp->reader->trace_clock) {
            *ret = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns);
            return true;
        }
    return false;
}

static void write_snapshot(struct orma_import_ctx *imp, uint16_t machine,
                           const struct orma_clock_value *v, uint32_t num, uint32_t snapshot)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CLOCK_SNAPSHOT);

    for (uint32_t i = 0; i < num; i++) {
        const char *name = clock_name(v[i].key);
        int64_t ns = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns), ts;

        if (!orma_reader_to_trace_time(imp->reader, machine, v[i].key, ns, &ts, NULL) &&
            !get_time_beside(imp, v, num, &ts))
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set_time(t, ORMA_CLOCK_SNAPSHOT_TS, row, ts);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_ID, row, (int64_t)(uint32_t)v[i].key);
        if (name)
            orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_NAME, row,
                           orma_model_cstr(imp->model, name));
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_VALUE, row, ns);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_SNAPSHOT_ID, row, snapshot);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_MACHINE_ID, row, machine);
    }
}

void orma_trace_clock_snapshot(struct orma_import_ctx *imp, uint16_t machine, struct orma_seq *seq,
                               const struct orma_clock_value *values, uint32_t num,
                               uint64_t primary)
{
    uint32_t snapshot = orma_trace(imp)->clock_snapshots++;

    if (!orma_reader_add_clocks(imp->reader, machine, seq, values, num, primary))
        return;
    write_snapshot(imp, machine, values, num, snapshot);
}

static bool clock_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_clock_value values[SNAPSHOT_CLOCKS_MAX];
    uint32_t num = 0;
    uint64_t primary = 0;
    bool good = true;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS && num < SNAPSHOT_CLOCKS_MAX)
            good = read_clock(orma_pb_str(&f), ctx->seq, &values[num++]) && good;
        else if (f.id == ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK)
            primary = orma_pb_u64(&f);
    }
    if (!good || !num) {
        if (!good)
            orma_stats_inc(orma_model_stats(imp->model, 0), ORMA_STAT_INVALID_CLOCK_SNAPSHOTS);
        return true;
    }
    orma_trace_clock_snapshot(imp, ctx->machine, ctx->seq, values, num, primary);
    return true;
}

static const uint16_t clock_fields[] = {ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT, 0};
const struct orma_importer orma_trace_clock_importer = {.name = "clock_snapshot",
                                                        .room = &orma_trace_room,
                                                        .fields = clock_fields,
                                                        .early = clock_early};

/* ---- clocks of other machines, read at both ends at once ---- */

#define SYNC_ROUND_NS 30000000000

/* What one exchange read: the trace's clock at both ends, and BOOTTIME of the client. */
struct exchange {
    int64_t client, host, client_boot;
    bool has_client, has_host;
};

static void read_end(struct orma_str bytes, uint64_t clock, int64_t *ret, bool *ret_found,
                     int64_t *ret_boot)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_clock_value v;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_CLOCK_SNAPSHOT_CLOCKS || !read_clock(orma_pb_str(&f), NULL, &v))
            continue;
        if (v.key == clock) {
            *ret = v.raw;
            *ret_found = true;
        }
        if (v.key == ORMA_CLOCK_BOOTTIME)
            *ret_boot = v.raw;
    }
}

static struct exchange read_exchange(const struct orma_pb_field *f, uint64_t clock)
{
    struct orma_pb_reader r = orma_pb_sub(f);
    struct orma_pb_field g;
    struct exchange e = {0};
    int64_t host_boot;

    while (orma_pb_next(&r, &g)) {
        if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS)
            read_end(orma_pb_str(&g), clock, &e.client, &e.has_client, &e.client_boot);
        else if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS)
            read_end(orma_pb_str(&g), clock, &e.host, &e.has_host, &host_boot);
    }
    return e;
}

/*
 * Four readings in turn, client, host, client, host, are two round trips: that of the client has
 * the host's reading in its middle, that of the host the client's second one. The offset of a round
 * is the mean of both.
 */
static int64_t round_offset(const struct exchange *ping, const struct exchange *update)
{
    uint64_t by_client =
        (uint64_t)((int64_t)((uint64_t)ping->client + (uint64_t)update->client) / 2) -
        (uint64_t)ping->host;
    uint64_t by_host = (uint64_t)update->client -
                       (uint64_t)((int64_t)((uint64_t)ping->host + (uint64_t)update->host) / 2);

    return (int64_t)(by_client + by_host) / 2;
}

/* The mean over all rounds; two exchanges are a round if they are close to each other. */
static bool remote_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct exchange before = {0};
    uint64_t sum = 0;
    int64_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS)
            continue;
        struct exchange e = read_exchange(&f, imp->reader->trace_clock);
        if (before.has_client && before.has_host && e.has_client && e.has_host &&
            (uint64_t)e.client_boot - (uint64_t)before.client_boot < SYNC_ROUND_NS) {
            sum += (uint64_t)round_offset(&before, &e);
            num++;
        }
        before = e;
    }
    if (num && ctx->machine)
        orma_reader_set_machine_offset(imp->reader, ctx->machine, (int64_t)sum / num);
    return true;
}

static const uint16_t remote_fields[] = {ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC, 0};
const struct orma_importer orma_trace_remote_clock_importer = {.name = "remote_clock_sync",
                                                               .room = &orma_trace_room,
                                                               .fields = remote_fields,
                                                               .early = remote_early};

/* ---- events of the service ---- */

static void slow_source(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader src = orma_pb_sub(&f);
        struct orma_pb_field g;
        struct orma_str producer = {"", 0}, source = {"", 0};

        if (f.id != ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE)
            continue;
        while (orma_pb_next(&src, &g)) {
            if (g.id == ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_PRODUCER_NAME)
                producer = orma_pb_str(&g);
            else if (g.id ==
                     ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_DATA_SOURCE_NAME)
                source = orma_pb_str(&g);
        }
        orma_metadata_str(imp->model, "slow_start_data_source", true,
                          ORMA_METADATA_MACHINE_AND_TRACE, machine,
                          orma_strpool_addf(&imp->model->storage->pool, "%.*s %.*s",
                                            ORMA_STR_ARG(producer), ORMA_STR_ARG(source)));
    }
}

static bool service_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    const enum orma_metadata_scope scope = ORMA_METADATA_MACHINE_AND_TRACE;
    int64_t ts = (int64_t)ctx->p->timestamp; /* as it is, whatever the trace's clock */

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED:
            orma_metadata_int(imp->model, "tracing_started_ns", false, scope, ctx->machine, ts);
            orma_port_set_tracing_start(imp, ctx->machine, ts);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED:
            orma_metadata_int(imp->model, "tracing_disabled_ns", false, scope, ctx->machine, ts);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_STARTED:
            orma_metadata_int(imp->model, "all_data_source_started_ns", false, scope, ctx->machine,
                              ts);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED:
            orma_metadata_int(imp->model, "all_data_source_flushed_ns", true, scope, ctx->machine,
                              ts);
            orma_reader_note_flush(imp->reader);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED:
            orma_reader_note_read(imp->reader);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_SLOW_STARTING_DATA_SOURCES:
            slow_source(imp, ctx->machine, orma_pb_str(&f));
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_CLONE_STARTED:
            orma_stats_set(orma_model_stats(imp->model, ctx->machine),
                           ORMA_STAT_TRACED_CLONE_STARTED_TIMESTAMP_NS, ts);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_BUFFER_CLONED:
            orma_stats_set_at(orma_model_stats(imp->model, ctx->machine),
                              ORMA_STAT_TRACED_BUF_CLONE_DONE_TIMESTAMP_NS, orma_pb_i32(&f), ts);
            break;
        }
    }
    return true;
}

static const uint16_t service_fields[] = {ORMA_PB_TRACE_PACKET_SERVICE_EVENT, 0};
const struct orma_importer orma_trace_service_importer = {.name = "service_event",
                                                          .room = &orma_trace_room,
                                                          .fields = service_fields,
                                                          .early = service_early};

/* ---- config, uuid ---- */

static bool uuid_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    uint64_t msb = 0, lsb = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_UUID_MSB)
            msb = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_TRACE_UUID_LSB)
            lsb = orma_pb_u64(&f);
    }
    if (msb || lsb)
        orma_metadata_uuid(imp->model, msb, lsb);
    return true;
}

static const uint16_t uuid_fields[] = {ORMA_PB_TRACE_PACKET_TRACE_UUID, 0};
const struct orma_importer orma_trace_uuid_importer = {
    .name = "trace_uuid", .room = &orma_trace_room, .fields = uuid_fields, .early = uuid_early};

/* ---- statistics of the service ---- */

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

static void filter_stats(struct orma_stats *stats, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int32_t buffer = 0;

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
            buffer = orma_pb_u32(&f);
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
                      (int64_t)seq->losses);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(reasons); i++) {
        orma_stats_add_at(stats, reasons[i].stat, buffer,
                          seq->losses_by_reason[__builtin_ctz(reasons[i].bit)]);
    }
    orma_stats_add_at(stats, ORMA_STAT_TRACED_BUF_INCREMENTAL_SEQUENCES_DROPPED, buffer,
                      seq->needed && seq->skipped == seq->needed);
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
    orma_ledger_finish(imp);
}

static void stats_fini(struct orma_import_ctx *imp)
{
    if (orma_trace(imp)->buffers)
        orma_map_fini(orma_trace(imp)->buffers);
    orma_ledger_fini(imp);
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
    int32_t buffer = 0;

    orma_ledger_begin(imp);
    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(by_field) && by_field[f.id])
            orma_stats_set(stats, by_field[f.id], orma_pb_i64(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_BUFFER_STATS)
            buffer_stats(stats, orma_pb_str(&f), buffer++, orma_trace(imp)->into_file);
        else if (f.id == ORMA_PB_TRACE_STATS_WRITER_STATS)
            writer_stats(imp, ctx->machine, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_FILTER_STATS)
            filter_stats(stats, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACE_STATS_FINAL_FLUSH_OUTCOME)
            flush_outcome(stats, orma_pb_u64(&f));
        else if (f.id == ORMA_TRACE_STATS_SEQUENCE_COUNTS)
            orma_ledger_add(imp, ctx->machine, orma_pb_str(&f));
    }
    return true;
}

static const uint16_t stats_fields[] = {ORMA_PB_TRACE_PACKET_TRACE_STATS, 0};
const struct orma_importer orma_trace_trace_stats_importer = {
    .name = "trace_stats",
    .room = &orma_trace_room,
    .fields = stats_fields,
    .early = stats_early,
    .finish = stats_finish,
    .fini = stats_fini,
};
