/*
 * What a trace says of itself: its config, clocks, sessions, triggers, statistics of the service,
 * what was lost, and the descriptions of its own fields.
 */
#ifndef ORMA_PROCESSOR_IMPORT_TRACE_TRACE_H
#define ORMA_PROCESSOR_IMPORT_TRACE_TRACE_H
#include "processor/import/core/ports.h"

/* The state of the module; parts are made when they are needed. */
struct orma_trace {
    struct orma_map *buffers;                   /* stats.c */
    struct orma_trace_ledger *ledger;           /* ledger.c */
    struct orma_trace_sessions *sessions;       /* sessions.c */
    struct orma_trace_content *content;         /* proto_content.c */
    struct orma_trace_diagnostics *diagnostics; /* diagnostics.c */
    bool into_file; /* the trace was written to its file while it was recorded */
};

static inline struct orma_trace *orma_trace(const struct orma_import_ctx *imp)
{
    return imp->state;
}

/* A snapshot of clocks: for conversions, and as rows of clock_snapshot. */
void orma_trace_clock_snapshot(struct orma_import_ctx *imp, uint16_t machine, struct orma_seq *seq,
                               const struct orma_clock_value *values, uint32_t num,
                               uint64_t primary);

extern const struct orma_import_module orma_trace_module;
extern const struct orma_importer orma_trace_clock_importer, orma_trace_remote_clock_importer,
    orma_trace_service_importer, orma_trace_uuid_importer, orma_trace_trace_stats_importer,
    orma_trace_config_importer, orma_trace_extensions_importer, orma_trace_self_trace_importer,
    orma_trace_sessions_importer, orma_trace_triggers_importer, orma_trace_proto_content_importer,
    orma_trace_diagnostics_importer, orma_trace_translation_importer,
    orma_trace_attributes_importer;

/* A TraceAttributes message. */
void orma_trace_attributes(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes);

/* The config of the file at hand, to be looked through at the end; its bytes stay. */
void orma_trace_diagnostics_config(struct orma_import_ctx *imp, uint16_t machine,
                                   struct orma_str bytes);
#endif
