/*
 * Waits: threads that have left their cpu and are not back yet. Between the two a copy of
 * the sample is kept, so that only waits that are long enough cost an unwinding.
 *
 *   sample at the switch ─► keep() ─► switch out: why ─► switch in ─► take(): how long it was
 *
 * Without the right to see the kernel there are no samples at switches, but the switches
 * themselves: waits without a stack. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_WAITS_H
#define ORMA_PROBES_PERF_WAITS_H
#include "probes/perf/record.h"
#include "sdk/base/map.h"

struct orma_perf_wait {
    struct orma_perf_record record; /* points into `bytes` */
    bool has_stack, preempted;
    uint64_t bytes[];
};

struct orma_perf_waits {
    struct orma_map by_tid;       /* struct orma_perf_wait * */
    uint64_t short_num, short_ns; /* that were not worth it */
};

void orma_perf_waits_fini(struct orma_perf_waits *self);

/* The thread is about to leave its cpu. */
void orma_perf_waits_keep(struct orma_perf_waits *self, const struct orma_perf_record *record);

/* It has left. */
void orma_perf_waits_out(struct orma_perf_waits *self, const struct orma_perf_record *record);

/* It is back, or has ended: what it waited for, for free(). NULL: nobody saw it leave. */
struct orma_perf_wait *orma_perf_waits_take(struct orma_perf_waits *self, uint32_t tid);

/* Any of those that wait, for the end. NULL: none is left. */
struct orma_perf_wait *orma_perf_waits_take_any(struct orma_perf_waits *self);
#endif
