/*
 * Trace summaries, or metrics version 2: structured queries whose rows become
 * values with dimensions.
 *
 *     orma_summary_new(sql, &s);
 *     orma_summary_add_text(s, "spec.textproto", text);
 *     orma_summary_compute(s, NULL, 0, NULL, &out);          all metrics
 *     orma_summary_free(s);
 *
 * The result is a perfetto.protos.TraceSummary.
 */
#ifndef ORMA_PROCESSOR_METRICS_SUMMARY_H
#define ORMA_PROCESSOR_METRICS_SUMMARY_H
#include "processor/sql/engine.h"
#include "sdk/base/buf.h"

struct orma_summary;

/* 0, -ENOMEM. */
int orma_summary_new(struct orma_sql *sql, struct orma_summary **ret);
void orma_summary_free(struct orma_summary *self);

/* What went wrong in the last call. */
const char *orma_summary_error(struct orma_summary *self);

/* A TraceSummarySpec as bytes (copied) or as text. 0, -EINVAL, -ENOMEM. */
int orma_summary_add_spec(struct orma_summary *self, const void *data, size_t len);
int orma_summary_add_text(struct orma_summary *self, const char *name, struct orma_str text);

/*
 * Appends the TraceSummary. `ids` NULL: all metrics. `metadata` NULL: no query for metadata.
 * 0, -EINVAL, -ENOMEM, -ECANCELED.
 */
int orma_summary_compute(struct orma_summary *self, const char *const *ids, size_t num,
                         const char *metadata, struct orma_buf *out);

/* TraceSummary as text. 0, -ENOMEM. */
int orma_summary_print(const void *data, size_t len, struct orma_buf *out);

/*
 * Appends the SQL of a query of the specs. Tables that it needs are there until
 * orma_summary_free(). 0, -EINVAL, -ENOMEM.
 */
int orma_summary_query(struct orma_summary *self, const char *id, struct orma_buf *out);
#endif
