/*
 * Collector: reads what programs with our library in them report (sdk/heap/shared.h), unwinds it,
 * and writes a trace: heap profiles as Perfetto has them, one for each process.
 *
 *   ring ─► sites (process, call stack): allocated, freed ─► ProfilePacket, now and at the end
 *      └─► live (process, address): its site, its weight
 *
 * Threads: one of its own reads the ring from start() to the end. It opens files of the programs,
 * which may lie where nothing answers (a file system of FUSE): whoever waits for its end decides
 * how long. All else belongs to one thread.
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

/* Begins to read. 0 or -errno. */
int orma_heap_collector_start(struct orma_heap_collector *self);

/* Every few milliseconds: programs may see that we are there. 0, or -errno: the trace cannot be
 * written. */
int orma_heap_collector_beat(struct orma_heap_collector *self);

/* The sums so far into the trace. 0, or -errno as above. */
int orma_heap_collector_dump(struct orma_heap_collector *self);

/* What is there now is read, and nothing more. True: it was, and the thread has ended. */
bool orma_heap_collector_end(struct orma_heap_collector *self);

/* Another number each time that something was done. */
uint64_t orma_heap_collector_progress(const struct orma_heap_collector *self);

/* The thread does not end. It is left where it is, and what it has not read is counted as unread. A
 * process with such a thread may never be gone (heap/front.h). */
void orma_heap_collector_give_up(struct orma_heap_collector *self);

struct orma_heap_collector_stats {
    uint64_t programs, samples, lost;
    uint64_t cut, too_deep; /* samples whose stacks are not whole; of these, for their depth */
    uint64_t left_out, left_out_bytes; /* allocations that are in no sum: beyond our limits */
    uint64_t unread;                   /* reports, when the reader was given up */
    uint64_t dead;     /* reports that were not finished: their process ended meanwhile */
    uint64_t stopped;  /* ... that were not finished when all was read */
    uint64_t confined; /* ... of children of sandboxed programs, which may not ask who they are */
    uint64_t contradicted; /* how often a program had written what only we write, or counted back */
    uint64_t strangers;    /* processes of other namespaces of pids that we did not find here */
    uint64_t running;      /* processes that were there at the end */
    bool given_up;
    bool own_new; /* a program's operator new is its allocator's: not in front of it, we miss it */
    bool corrupted; /* somebody wrote nonsense into the ring: what came behind it is not read */
};
struct orma_heap_collector_stats orma_heap_collector_stats(const struct orma_heap_collector *self);
#endif
