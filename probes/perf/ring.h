/*
 * The events of one cpu, and the ring that the kernel fills with their records.
 *
 * Either one group of events that watches everybody, or a group for each
 * thread of the processes that are watched, all of them writing into one ring.
 *
 * Format: perf_event_open(2), "MMAP layout". Threads: of a ring none; the kernel is the
 * only writer, and we only move data_tail. Of rings, any may call next().
 */
#ifndef ORMA_PROBES_PERF_RING_H
#define ORMA_PROBES_PERF_RING_H
#include <pthread.h>

#include "probes/perf/plan.h"
#include "probes/perf/record.h"

struct orma_perf_ring {
    bool switches; /* nothing else is in it */
    uint32_t cpu;
    struct orma_buf fds;     /* int: all events */
    struct orma_buf leaders; /* int: the first of each group, the owner of the ring before all */
    struct perf_event_mmap_page *page;
    size_t data_size, map_size;
    uint64_t *copy; /* of a record that runs over the end */
    size_t held;    /* bytes of the record that is looked at: the kernel may not write there */
};

/*
 * Opens the group of everybody (tids NULL) or of these threads, switched off. 0 or -errno, nothing
 * to close then. -ESRCH: none of the threads is there any more.
 */
int orma_perf_ring_open(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        uint32_t cpu, const int32_t *tids, size_t tids_num);
void orma_perf_ring_close(struct orma_perf_ring *self);

void orma_perf_ring_enable(struct orma_perf_ring *self);
void orma_perf_ring_disable(struct orma_perf_ring *self);

/* The time of the next record. False: there is none for now. */
bool orma_perf_ring_peek(struct orma_perf_ring *self, uint64_t *ret_time);

/* The next record. 1; 0: none for now; -EBADMSG: nonsense, the ring was emptied. Valid until the
 * next call of this or of peek(): it lies in the ring. */
int orma_perf_ring_next(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret);

/* What a sample is of, without taking it. */
struct orma_perf_glimpse {
    uint64_t time;
    uint32_t pid, tid;
};

/* The next sample behind `*seen`, a place that only grows, or behind what was taken. False: there
 * is none for now. With the lock of the rings held. */
bool orma_perf_ring_glimpse(const struct orma_perf_ring *self, uint64_t *seen,
                            struct orma_perf_glimpse *ret);

/* Readable when the kernel wants to be heard. */
int orma_perf_ring_fd(const struct orma_perf_ring *self);

/* All of a recording. */
struct orma_perf_rings {
    const struct orma_perf_plan *plan;
    struct orma_perf_ring *all;
    size_t num;
    pthread_mutex_t lock; /* of what is in the rings */
    _Atomic uint64_t saves;
    uint64_t bad_records;
};

typedef void orma_perf_take(void *ctx, const struct orma_perf_record *record);

/*
 * Takes the oldest record of all rings, if it is older than `until`: `take` copies what it needs,
 * with the lock held. False: there is none, or some were saved since there were so many `saves`.
 */
bool orma_perf_rings_next(struct orma_perf_rings *self, uint64_t until, uint64_t saves,
                          orma_perf_take *take, void *ctx);

/* The same for who saves them from who should take them: that one must see what was saved first. */
bool orma_perf_rings_save(struct orma_perf_rings *self, uint64_t until, orma_perf_take *take,
                          void *ctx);

/* By the clock of the records. */
uint64_t orma_perf_rings_now(const struct orma_perf_rings *self);

/* What the events of all its threads, and of those that came of them, have counted. 0 or -errno. */
int orma_perf_ring_total(const struct orma_perf_ring *self, uint64_t *ret);

/* Polled counters: reads the group now. 0 or -errno. */
int orma_perf_ring_read(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret);
#endif
