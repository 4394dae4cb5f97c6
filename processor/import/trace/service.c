/* What the service says while it records, and the id of the trace. */
#include "processor/import/trace/ledger.h"
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"

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
            orma_trace_ledger_phase(imp, ORMA_TRACE_LEDGER_STARTED);
            orma_metadata_int(imp->model, "tracing_started_ns", false, scope, ctx->machine, ts);
            orma_port_set_tracing_start(imp, ctx->machine, ts);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED:
            orma_trace_ledger_phase(imp, ORMA_TRACE_LEDGER_DISABLED);
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
            orma_trace_ledger_phase(imp, ORMA_TRACE_LEDGER_READ);
            orma_reader_note_read(imp->reader);
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_SLOW_STARTING_DATA_SOURCES:
            slow_source(imp, ctx->machine, orma_pb_str(&f));
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_CLONE_STARTED:
            orma_trace_ledger_phase(imp, ORMA_TRACE_LEDGER_CLONED);
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
const struct orma_importer orma_trace_service_importer = {
    .name = "service_event", .fields = service_fields, .early = service_early};

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
    if (msb || lsb) {
        orma_metadata_uuid(imp->model, msb, lsb);
        orma_trace_ledger_recording(imp, msb, lsb);
    }
    return true;
}

static const uint16_t uuid_fields[] = {ORMA_PB_TRACE_PACKET_TRACE_UUID, 0};
const struct orma_importer orma_trace_uuid_importer = {
    .name = "trace_uuid", .fields = uuid_fields, .early = uuid_early};
