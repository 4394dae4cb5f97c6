/* The files of sql/, as tables: made by tools/embed_files.py and tools/metrics_names.py. */
#ifndef ORMA_PROCESSOR_METRICS_EMBEDDED_H
#define ORMA_PROCESSOR_METRICS_EMBEDDED_H
#include "protos/reflect/embedded.h"

/* Messages, then SQL; keys are paths. */
extern const struct orma_embedded orma_metrics_files;

/* Functions of the messages in those files, fields that they add to TraceMetrics, and names of
 * metrics that others have. NULL ends each. */
extern const char *const orma_metrics_functions[];
extern const char *const orma_metrics_fields[];
extern const char *const orma_metrics_absent[];
#endif
