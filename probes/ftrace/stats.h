/*
 * FtraceStats: the packet that says what the kernel's ring and we ourselves
 * counted, at the start and at each flush.
 */
#ifndef ORMA_PROBES_FTRACE_STATS_H
#define ORMA_PROBES_FTRACE_STATS_H
#include <stdbool.h>
#include <stdint.h>

#include "probes/ftrace/events.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/buf.h"

struct orma_ftrace_cpu_snapshot {
    uint32_t cpu;
    struct orma_tracefs_cpu_stats stats;
};

/* Counters at one moment. */
struct orma_ftrace_snapshot {
    struct orma_ftrace_cpu_snapshot *cpus;
    unsigned cpus_num;
    uint32_t buffer_pages; /* per cpu, of the system's page size */
    uint32_t symbols, symbols_kb;
    bool has_kprobes;
    uint64_t kprobe_hits, kprobe_misses;
};

/* What the packet reports besides the counters. */
struct orma_ftrace_report {
    uint32_t phase; /* enum FtraceStats.Phase */
    bool preserved;
    const struct orma_ftrace_events *events;           /* for names that failed; may be NULL */
    const struct orma_ftrace_translate_counts *counts; /* for parse errors; may be NULL */
    const char *exclusive_error;                       /* may be NULL */
    const char *setup_error;                           /* may be NULL: why nothing is recorded */
    struct orma_str incidents;                         /* fields of FtraceStats: see watch.h */
};

/* cpus_num cpus with the given ids; missing files count as zero. -ENOMEM. */
int orma_ftrace_snapshot_take(struct orma_ftrace_snapshot *self, const struct orma_tracefs *fs,
                              const uint32_t *cpus, unsigned cpus_num);
void orma_ftrace_snapshot_fini(struct orma_ftrace_snapshot *self);

/* Appends a whole TracePacket. */
void orma_ftrace_stats_put(struct orma_buf *out, const struct orma_ftrace_snapshot *snapshot,
                           const struct orma_ftrace_report *report);
#endif
