/*
 * linux.process_stats: who the processes and threads are, and what they use.
 *
 * Processes come from a walk through /proc at the start, and later one by one
 * when linux.ftrace of the same session meets their numbers. Both are cut into
 * slices of a few milliseconds, so that ten thousand threads stall nothing.
 */
#ifndef ORMA_PROBES_PROCESS_STATS_H
#define ORMA_PROBES_PROCESS_STATS_H
#include "probes/core/idset.h"
#include "probes/core/source.h"
#include "sdk/base/map.h"

/* From linux.ftrace: numbers to be forgotten first, numbers seen. The lists are copied. */
void orma_process_stats_seen(struct orma_source *self, const struct orma_source_idset *renamed,
                             const struct orma_source_idset *pids);

/* Does it want the descriptors that system calls have returned? */
bool orma_process_stats_wants_fds(const struct orma_source *self);
/* From linux.ftrace: keys are pid << 32 | descriptor. */
void orma_process_stats_fds(struct orma_source *self, const struct orma_map *pairs);

/* Looks up everything that waits, now. For flushes. */
void orma_process_stats_finish(struct orma_source *self);
#endif
