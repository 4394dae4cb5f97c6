/*
 * fork(): the child has none of our threads, and what it shares with its parent
 * (the connection, the shared memory, the files of recordings) stays the
 * parent's. Each module that has such state registers a part, which forgets it in
 * the child. Memory that the parent's other threads may have been changing is not
 * freed.
 *
 *     static struct orma_fork_part part = {.in_child = forget};
 *     ...
 *     orma_fork_watch(&part);      before there is anything to forget
 *
 * Threads: any, but as noted.
 */
#ifndef ORMA_SDK_BASE_FORK_H
#define ORMA_SDK_BASE_FORK_H
#include <stdatomic.h>
#include <stdint.h>

/* Static memory. Any of the three may be NULL. */
struct orma_fork_part {
    /* Around fork(), in the thread that calls it, with the guard up (guard.h). */
    void (*before)(void);
    void (*in_parent)(void);
    /* In the only thread of the child; the guard is down. In the order of registration. */
    void (*in_child)(void);
    _Atomic(struct orma_fork_part *) next; /* fork.c's */
};

/* Registers the part, once; more calls do nothing. Without memory children are not looked after. */
void orma_fork_watch(struct orma_fork_part *part);

/* Counts forks down to this process: what was made under another number is an ancestor's. */
uint32_t orma_fork_generation(void);

/*
 * What begins anew in a child at its first event: set by whoever knows how, called by those who
 * meet events. Nothing until it is set.
 */
void orma_fork_set_revival(void (*fn)(void));
void orma_fork_revive(void);
#endif
