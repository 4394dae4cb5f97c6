/*
 * Calls of the RPC that take their arguments apart: packages, metrics, summaries, summarizers.
 * Each appends its result message to `out`, an error among its fields.
 */
#ifndef ORMA_PROCESSOR_SERVE_RPC_CALLS_H
#define ORMA_PROCESSOR_SERVE_RPC_CALLS_H
#include "processor/metrics/summarizer.h"
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

/*
 * The method of summarizers `method`: {Create,UpdateSpec,Query,Destroy}SummarizerArgs -> Result.
 * False: it is none of them. *all is made when it is first needed; who drops the tables of the
 * processor frees it before.
 */
bool orma_rpc_summarizer(struct orma_processor *tp, struct orma_summarizers **all, uint32_t method,
                         struct orma_str args, struct orma_buf *out);

/* Where the result of that method goes in the response; 0: it is none of them. */
uint32_t orma_rpc_summarizer_result(uint32_t method);
#endif
