/*
 * Calls of the RPC that take their arguments apart: packages, metrics, summaries.
 * Each appends its result message to `out`, an error among its fields.
 */
#ifndef ORMA_PROCESSOR_SERVE_RPC_CALLS_H
#define ORMA_PROCESSOR_SERVE_RPC_CALLS_H
#include "processor/processor.h"
#include "sdk/base/buf.h"

/* RegisterSqlPackageArgs -> RegisterSqlPackageResult */
void orma_rpc_register_package(struct orma_processor *tp, struct orma_str args,
                               struct orma_buf *out);
/* ComputeMetricArgs -> ComputeMetricResult */
void orma_rpc_compute_metrics(struct orma_processor *tp, struct orma_str args,
                              struct orma_buf *out);
/* TraceSummaryArgs -> TraceSummaryResult */
void orma_rpc_summarize(struct orma_processor *tp, struct orma_str args, struct orma_buf *out);
#endif
