/*
 * Blocked: threads that wait already when a recording of waits begins. They may not run at all
 * until it ends: no record would say anything of them.
 *
 * Threads: none.
 */
#ifndef ORMA_PROBES_PERF_BLOCKED_H
#define ORMA_PROBES_PERF_BLOCKED_H
#include "probes/perf/record.h"

/*
 * For each thread of the process that has left its cpu, a record that it did so at `time`. How many
 * there were.
 */
size_t orma_perf_blocked_find(int proc_fd, uint32_t pid, uint64_t time,
                              void (*put)(void *ctx, const struct orma_perf_record *record),
                              void *ctx);
#endif
