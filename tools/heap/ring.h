/*
 * Ring: takes the records of programs out of the shared memory (sdk/heap/shared.h), in the order in
 * which they were begun, but does not wait for one that is not finished: its writer may be stopped,
 * or was killed. What is behind it is taken meanwhile; its bytes, and all behind them, are given
 * back when it is finished, or when its process is gone.
 *
 *   tail ─────── open ──── taken ──── open ──── read ──── head
 *                  not given back                  not taken
 *
 * The programs can write whatever they like into all of it. One thread.
 */
#ifndef ORMA_TOOLS_HEAP_RING_H
#define ORMA_TOOLS_HEAP_RING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/heap/shared.h"

#define ORMA_HEAP_RECORD_MAX (sizeof(struct orma_heap_record) + ORMA_HEAP_STACK_MAX)
#define ORMA_HEAP_RING_OPEN_MAX 64u   /* so many writers are stopped at once; then nobody goes on */
#define ORMA_HEAP_RING_NOW UINT64_MAX /* as a time: what is not finished never will be */

/* Bytes that are not finished: a record, or several of which nothing was written yet. */
struct orma_heap_open {
    uint64_t at, end;
    uint64_t looked_ns;
};

struct orma_heap_ring {
    struct orma_heap_shared *shared;
    uint8_t *bytes;
    uint64_t tail, read;     /* ours: the programs may be able to change those that are shared, */
    uint64_t interval, seen; /* and these */
    uint32_t owner;
    uint64_t head, lost, confined; /* theirs, as they were: they only grow */
    uint64_t contradicted;         /* how often something else was found there */
    uint64_t waits_ns;             /* since when `read` is not finished; 0: it was not looked at */
    struct orma_heap_open open[ORMA_HEAP_RING_OPEN_MAX];
    unsigned open_num;
    uint64_t dead;  /* records whose process ended before it had written them */
    bool corrupted; /* somebody wrote nonsense: what is behind it is not read */
    /* Is there such a process? True where that is not known. */
    bool (*is_alive)(void *ctx, uint64_t pid_space, uint32_t pid);
    void *ctx;
};

/* The next record, copied to `ret` (ORMA_HEAP_RECORD_MAX bytes, aligned to 8); nobody can change it
 * any more. The one before is given back: call it until there is none. False: there is none now. */
bool orma_heap_ring_take(struct orma_heap_ring *self, uint64_t now_ns,
                         struct orma_heap_record *ret);

/*
 * Looks whether the header is as it must be, and puts right what is ours: as often as records are
 * taken. A program that listens to nobody any more cannot be told to go on, so that reports are
 * missing then. Where `head` makes no sense, the rest is nonsense, too: `corrupted`.
 */
void orma_heap_ring_check(struct orma_heap_ring *self);

/* How many records are there, finished and not. From any thread, where the reader stands still. */
uint64_t orma_heap_ring_unread(const struct orma_heap_ring *self);
#endif
