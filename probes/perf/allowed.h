/* May this process watch others with perf events, and if not, what forbids it? Threads: any. */
#ifndef ORMA_PROBES_PERF_ALLOWED_H
#define ORMA_PROBES_PERF_ALLOWED_H
#include <stdbool.h>
#include <stddef.h>

/* NULL: no filter of system calls is in the way. Else what it is, and what would help. */
const char *orma_perf_filter_reason(void);

/* Can anything be recorded, be it our own processes only? Otherwise the reason. */
bool orma_perf_allowed(char *why, size_t why_size);
#endif
