/*
 * Metrics, version 1: SQL files that fill messages.
 *
 * A metric is a field of perfetto.protos.TraceMetrics and a file of SQL whose
 * base name is that of the field. The file makes a view or table NAME_output
 * with one column and at most one row: the message, built by functions that are
 * called as the messages are, AndroidCpuMetric_Thread('name', t.name, ...).
 *
 *     orma_metrics_new(sql, &metrics);
 *     orma_metrics_compute(metrics, names, 2, ORMA_METRICS_TEXT, &out);
 *     orma_metrics_free(metrics);                     before the engine is closed
 *
 * What users add: messages (.proto as text), then SQL.
 * Shipped are the metrics in sql/, whose messages are those of the schema and of
 * sql/metrics.proto. That is read when a metric is first computed or added, or a message built.
 */
#ifndef ORMA_PROCESSOR_METRICS_METRICS_H
#define ORMA_PROCESSOR_METRICS_METRICS_H
#include "processor/metrics/proto_source.h"
#include "processor/sql/engine.h"

struct orma_metrics;

enum orma_metrics_format { ORMA_METRICS_BINARY, ORMA_METRICS_TEXT, ORMA_METRICS_JSON };

/* Adds the functions to the engine. 0, -ENOMEM, -EIO (with an error of the engine). */
int orma_metrics_new(struct orma_sql *sql, struct orma_metrics **ret);
void orma_metrics_free(struct orma_metrics *self);

/* What went wrong in the last call; "" if nothing did. */
const char *orma_metrics_error(struct orma_metrics *self);

/* More messages, and fields of TraceMetrics. 0, -EINVAL, -ENOMEM. */
int orma_metrics_add_protos(struct orma_metrics *self, const struct orma_proto_source *files,
                            size_t num);

/* The SQL of the virtual path "dir/name.sql"; that of a known path is replaced. 0, -EINVAL. */
int orma_metrics_add_sql(struct orma_metrics *self, const char *path, struct orma_str sql);

/* Appends the TraceMetrics of these metrics to `out`. Metrics that others have and we have not are
 * no errors: their names are in its field orma_absent. 0, -EINVAL, -ENOMEM, -ECANCELED. */
int orma_metrics_compute(struct orma_metrics *self, const char *const *names, size_t num,
                         enum orma_metrics_format format, struct orma_buf *out);

/*
 * Appends a DescriptorSet of the RPC interface: a DescriptorProto for each message of metrics, flat,
 * with full names.
 */
void orma_metrics_descriptors(struct orma_metrics *self, struct orma_buf *out);
#endif
