/* The module, and what it does for others. */
#include "processor/import/trace/ledger.h"
#include "processor/import/trace/proto_content.h"
#include "processor/import/trace/trace.h"

static void offer(struct orma_ports *ports, struct orma_import_ctx *self)
{
    ports->trace = (struct orma_trace_port){
        .module = self,
        .clock_snapshot = orma_trace_clock_snapshot,
        .service_version = orma_trace_ledger_service,
        .content_event = self->options->analyze_content ? orma_trace_content_event : NULL,
    };
}

static int start(struct orma_import_ctx *self)
{
    return self->options->analyze_content ? orma_trace_content_start(self) : 0;
}

const struct orma_import_module orma_trace_module = {
    .name = "trace", .state_size = sizeof(struct orma_trace), .offer = offer, .start = start};
