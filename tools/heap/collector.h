/*
 * Collector: reads what programs with our library in them report (sdk/heap/shared.h), unwinds it,
 * and writes a trace: heap profiles as Perfetto has them, one for each process.
 *
 *   ring ─► sites (process, call stack): allocated, freed ─► ProfilePacket, now and at the end
 *      └─► live (process, address): its site, its weight
 *
 * Threads: none; run turn() every few milliseconds while programs run.
 */
#ifndef ORMA_TOOLS_HEAP_COLLECTOR_H
#define ORMA_TOOLS_HEAP_COLLECTOR_H
#include <stdbool.h>
#include <stdint.h>

struct orma_heap_collector;

/*
 * `out_fd` is the trace, `shared_fd` the memory that a program has made (attach.h); -1: ours is
 * made. Both are the caller's. 0 or -errno.
 */
int orma_heap_collector_new(uint64_t interval, int shared_fd, int out_fd,
                            struct orma_heap_collector **ret);
void orma_heap_collector_free(struct orma_heap_collector *self);

/* What programs find the memory by: for ORMA_HEAP_ENV. */
const char *orma_heap_collector_path(const struct orma_heap_collector *self);

/* Takes what is there. 0, or -errno: the trace cannot be written. */
int orma_heap_collector_turn(struct orma_heap_collector *self);

/* The sums so far into the trace. */
int orma_heap_collector_dump(struct orma_heap_collector *self);

struct orma_heap_collector_stats {
    uint64_t programs, samples, lost;
    uint64_t cut, too_deep; /* samples whose stacks are not whole; of these, for their depth */
    bool own_new; /* a program's operator new is its allocator's: not in front of it, we miss it */
    bool corrupted; /* somebody wrote nonsense into the ring: what came behind it is not read */
};
struct orma_heap_collector_stats orma_heap_collector_stats(const struct orma_heap_collector *self);
#endif
