/*
 * linux.process_stats: who the processes and threads are, and what they use.
 *
 * Processes come from a walk through /proc at the start, and later one by one
 * when linux.ftrace of the same session meets their numbers. Both are cut into
 * slices of a few milliseconds, so that ten thousand threads stall nothing.
 */
#ifndef ORMA_PROBES_PROCESS_STATS_H
#define ORMA_PROBES_PROCESS_STATS_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_process_stats_source;
#endif
