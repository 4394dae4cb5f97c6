/* What the files of trace summaries share. Private to summary*.c. */
#ifndef ORMA_PROCESSOR_METRICS_SUMMARY_IMPL_H
#define ORMA_PROCESSOR_METRICS_SUMMARY_IMPL_H
#include "processor/metrics/structured.h"
#include "processor/metrics/summary.h"
#include "protos/fields/trace_summary.h"

#define SPEC(x) ORMA_PB_TRACE_METRIC_V2_SPEC_##x

struct orma_summary_metric {
    struct orma_str id, bundle; /* slices of `spec` */
    struct orma_buf spec;       /* TraceMetricV2Spec */
    bool selected, done;
};

struct orma_summary {
    struct orma_structured structured;
    struct orma_buf **specs; /* what was added */
    size_t specs_num;
    struct orma_summary_metric *metrics;
    size_t metrics_num;
    bool read; /* metrics and queries are taken from the specs */
};

/* Sets the error. Returns -EINVAL. */
#define orma_summary_fail(self, ...) orma_structured_fail(&(self)->structured, __VA_ARGS__)

/* Takes metrics and queries from the specs, if that was not done yet. 0 or -errno. summary_spec.c
 */
int orma_summary_read_specs(struct orma_summary *self);
#endif
