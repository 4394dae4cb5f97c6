/*
 * fork(): the child has none of our threads, and what it shares with its parent
 * (the connection, the shared memory, the files of recordings) stays the
 * parent's. Each module that has such state registers a part, which forgets it in
 * the child. Memory that the parent's other threads may have been changing is not
 * freed.
 *
 *     orma_fork_watch(NULL, NULL, forget);     before there is anything to forget
 *
 * Threads: any, but as noted.
 */
#ifndef ORMA_SDK_BASE_FORK_H
#define ORMA_SDK_BASE_FORK_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Modules that may register. */
#define ORMA_FORK_PARTS_MAX 12u

/*
 * Registers a part, once: it is known by `in_child`, and more calls do nothing. `before` and
 * `in_parent` (may be NULL) run around fork() in the thread that calls it, with the guard up
 * (guard.h); `in_child` in the only thread of the child, with the guard down. All in the order of
 * registration. Without memory children are not looked after.
 */
void orma_fork_watch(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/*
 * Children of clone() and _Fork() come without a word: memory that the kernel wipes in them tells.
 * Called before what would use the parent's state. True: this is such a child's first call; it is
 * as after fork() now. Nothing while the guard is up: then the handlers of fork() come. What shares the memory of its parent (vfork()) is its parent.
 */
bool orma_fork_was_missed(void);
/* 0 in it: the child knows nothing yet; NULL: not watched, or no memory. */
extern _Atomic(_Atomic(uint32_t) *) orma_fork_alive;

static inline bool orma_fork_check(void)
{
    /* acquire: whoever sees the address sees that this process is alive. */
    _Atomic(uint32_t) *alive = atomic_load_explicit(&orma_fork_alive, memory_order_acquire);

    return alive && !atomic_load_explicit(alive, memory_order_relaxed) && orma_fork_was_missed();
}

/* Counts forks down to this process: what was made under another number is an ancestor's. */
uint32_t orma_fork_generation(void);

/*
 * Restarts tracing in a child at its first event. Set by the module that can restart, called by
 * those that see events. Nothing until it is set.
 */
void orma_fork_set_revival(void (*fn)(void));
void orma_fork_revive(void);
#endif
