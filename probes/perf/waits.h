/*
 * Waits: threads that have left their cpu and are not back yet. Between the two a copy of
 * the sample is kept, so that only waits that are long enough cost an unwinding.
 *
 *   sample at the switch ─► keep() ─► switch out: why ─► switch in ─► take(): how long it was
 *
 * Without the right to see the kernel there are no samples at switches, but the switches
 * themselves: waits whose stack is there if somebody looked meanwhile (look.h). Threads: none.
 */
#ifndef ORMA_PROBES_PERF_WAITS_H
#define ORMA_PROBES_PERF_WAITS_H
#include "probes/perf/record.h"
#include "sdk/base/map.h"

struct orma_perf_wait {
    struct orma_perf_record record; /* points into `bytes` */
    bool has_stack, preempted, looked;
    uint64_t look_end;     /* of the clock of records; 0: the stack is of the switch itself */
    char wait_channel[40]; /* function of the kernel that it waits in; empty: not known */
    struct orma_perf_wait *waker; /* the first that ended it; NULL: not seen */
    uint64_t bytes[];
};

struct orma_perf_waits {
    struct orma_map by_tid;       /* struct orma_perf_wait * */
    struct orma_map ended;        /* tids: the last time that they leave is no wait */
    uint64_t short_num, short_ns; /* that were not worth it */
    uint64_t refused;             /* looks: memory that is closed to us */
};

void orma_perf_waits_fini(struct orma_perf_waits *self);

/* Switches were lost: who waits is not known any more. */
void orma_perf_waits_clear(struct orma_perf_waits *self);

/* A thread ends, or begins. */
void orma_perf_waits_end(struct orma_perf_waits *self, uint32_t tid);
void orma_perf_waits_begin(struct orma_perf_waits *self, uint32_t tid);

/* The thread is about to leave its cpu. */
void orma_perf_waits_keep(struct orma_perf_waits *self, const struct orma_perf_record *record);

/* It has left. */
void orma_perf_waits_out(struct orma_perf_waits *self, const struct orma_perf_record *record);

/* Somebody wakes a thread up. */
void orma_perf_waits_woken(struct orma_perf_waits *self, const struct orma_perf_record *record);

/*
 * Looks at threads that have left before `before` and have no stack yet, at most `max` of them;
 * `now` is called behind each look.
 */
void orma_perf_waits_look(struct orma_perf_waits *self, int proc_fd, uint64_t before, unsigned max,
                          uint64_t (*now)(const void *ctx), const void *ctx);

/* NULL is fine. */
void orma_perf_wait_free(struct orma_perf_wait *wait);

/* It is back: what it waited for, the caller's. NULL: nobody saw it leave. */
struct orma_perf_wait *orma_perf_waits_take(struct orma_perf_waits *self, uint32_t tid);

/* Any of those that wait, for the end. NULL: none is left. */
struct orma_perf_wait *orma_perf_waits_take_any(struct orma_perf_waits *self);
#endif
