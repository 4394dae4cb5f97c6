/*
 * One group of perf events on one cpu, and the ring that the kernel fills with
 * its samples.
 *
 * Format: perf_event_open(2), "MMAP layout". Threads: none; the kernel is the
 * only writer, and we only move data_tail.
 */
#ifndef ORMA_PROBES_PERF_RING_H
#define ORMA_PROBES_PERF_RING_H
#include "probes/perf/plan.h"

#define ORMA_PERF_FRAMES_MAX 512

enum orma_perf_record_kind { ORMA_PERF_SAMPLE, ORMA_PERF_LOST };

/* Points into the ring's own copy; valid until the next record. */
struct orma_perf_record {
    enum orma_perf_record_kind kind;
    uint64_t time;
    uint32_t cpu, pid, tid;
    uint16_t misc; /* PERF_RECORD_MISC_*: the mode of the cpu */
    unsigned counts_num;
    uint64_t counts[ORMA_PERF_EVENTS_MAX]; /* since the start, timebase first */
    const uint64_t *chain;                 /* leaf first, with PERF_CONTEXT_* markers */
    size_t chain_num;
    uint64_t lost; /* ORMA_PERF_LOST: records that did not fit */
};

struct orma_perf_ring {
    uint32_t cpu;
    int fds[ORMA_PERF_EVENTS_MAX];
    unsigned fds_num;
    struct perf_event_mmap_page *page;
    size_t data_size, map_size;
    uint64_t *copy; /* of the record that is looked at */
    uint64_t clock_base;
};

/* Opens the group, switched off. 0 or -errno; nothing to close then. */
int orma_perf_ring_open(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        uint32_t cpu);
void orma_perf_ring_close(struct orma_perf_ring *self);

void orma_perf_ring_enable(struct orma_perf_ring *self);
void orma_perf_ring_disable(struct orma_perf_ring *self);

/* The next record. 1; 0: none for now; -EBADMSG: nonsense, the ring was emptied. */
int orma_perf_ring_next(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret);

/* Polled counters: reads the group now. 0 or -errno. */
int orma_perf_ring_read(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret);

/* Decodes one record: a perf_event_header and what follows, `len` bytes, 8-byte aligned. False: it
 * is malformed or of a kind that nobody asked for (*ret_skip tells which). */
bool orma_perf_record_decode(const struct orma_perf_plan *plan, const uint64_t *record, size_t len,
                             struct orma_perf_record *ret, bool *ret_skip);
#endif
