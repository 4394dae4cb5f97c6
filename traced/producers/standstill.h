/*
 * Whether a producer's process stands still: it was stopped by a signal or a
 * debugger, its control group was frozen, or it neither runs nor reads what it
 * is sent. Who waits for an answer need not wait for such a process; what is in
 * its shared memory is there all the same.
 *
 * A process that runs, waits for a disk, or has read all that it was sent never
 * counts as standing still, however long it takes; nor does one that we cannot
 * see (another machine, another PID namespace, /proc closed to us).
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_PRODUCERS_STANDSTILL_H
#define ORMA_TRACED_PRODUCERS_STANDSTILL_H
#include <stdbool.h>
#include <stdint.h>

struct traced_producer;

/* Looks should be so far from each other. */
#define TRACED_STANDSTILL_LOOK_MS 100

/* Part of a producer: what was seen last. */
struct traced_standstill {
    uint64_t since_ns; /* of the first look that found it so; 0: it moved */
    uint64_t cpu;      /* what it had used by then, in the kernel's ticks */
    uint64_t heard;    /* bytes that it had sent by then */
    uint64_t round;    /* of its session's looks (awaited.c) */
    bool halted;       /* stopped or frozen, rather than hanging */
    bool sure;         /* for long enough; what traced_standstill_look() said last */
};

/* True: it has stood still for long enough not to be waited for. */
bool traced_standstill_look(struct traced_producer *producer);

/* Its connection is over. Does its process go on, so that it may still write into the memory? True
 * for one that became another program, too. False: not, or it can't be seen. */
bool traced_standstill_may_write(const struct traced_producer *producer);
#endif
