/*
 * What registers metrics (metrics.c) shares with what computes them (compute.c).
 */
#ifndef ORMA_PROCESSOR_METRICS_METRICS_IMPL_H
#define ORMA_PROCESSOR_METRICS_METRICS_IMPL_H

#include <stdint.h>

#include "processor/metrics/metrics.h"
#include "processor/sql/engine.h"
#include "protos/reflect/schema.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"

struct orma_metrics_metric {
    struct orma_metrics_metric *next;
    char *path;
    char *field; /* of TraceMetrics that it fills; NULL: a helper */
    struct orma_buf sql;
};

struct orma_metrics {
    struct orma_sql *sql;
    sqlite3 *attached; /* the connection that has our functions */
    enum {
        ORMA_METRICS_UNREAD,
        ORMA_METRICS_READING,
        ORMA_METRICS_READ
    } shipped;                  /* messages of ours that are not in the default schema */
    struct orma_schema *schema; /* NULL: unread */
    uint8_t *has_fn;            /* by message: it has a function */
    uint32_t fns_num;           /* messages that `has_fn` has room for */
    struct orma_map fn_by_name; /* hash of the name, or what follows it → message */
    struct orma_metrics_metric *metrics;
    struct orma_buf error;
};

/* -EINVAL, and the text of orma_metrics_error(). */
int orma_metrics_fail(struct orma_metrics *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* The message TraceMetrics. */
uint32_t orma_metrics_root(const struct orma_metrics *self);

/* Reads what is shipped, if that was not done. 0, -ENOMEM, -EINVAL. */
int orma_metrics_load(struct orma_metrics *self);

/* The field of TraceMetrics for "dir/name.sql": its name or, for extensions, the end of it. */
const struct orma_field *orma_metrics_root_field(const struct orma_metrics *self,
                                                 struct orma_str name);

#endif
