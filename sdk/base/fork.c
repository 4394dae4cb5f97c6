/*
 * The parts are a table that is filled from its begin, without a lock, so that a
 * child forked at any moment finds it whole: an entry belongs to whoever swaps its
 * `in_child` from NULL. What is added to it later than the fork is not needed yet.
 */
#include "sdk/base/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "sdk/base/assert.h"
#include "sdk/base/guard.h"
#include "sdk/base/mem.h"

typedef void (*fork_fn)(void);

/* All accesses are relaxed: functions are code, which needs no publishing. */
struct part {
    _Atomic(fork_fn) before, in_parent, in_child;
};

static struct part parts[ORMA_FORK_PARTS_MAX];
static _Atomic(fork_fn) revival;
static uint32_t generation;
_Atomic(_Atomic(uint32_t) *) orma_fork_alive;

static void call(_Atomic(fork_fn) *fn)
{
    fork_fn now = atomic_load_explicit(fn, memory_order_relaxed);

    if (now)
        now();
}

/* A handler's event would still be the parent's in the child: it is lost, and counted, meanwhile.
 */
static void before(void)
{
    orma_guard_up();
    for (size_t i = 0; i < ORMA_FORK_PARTS_MAX; i++)
        call(&parts[i].before);
}

static void in_parent(void)
{
    for (size_t i = 0; i < ORMA_FORK_PARTS_MAX; i++)
        call(&parts[i].in_parent);
    orma_guard_down();
}

static void in_child(void)
{
    _Atomic(uint32_t) *alive = atomic_load_explicit(&orma_fork_alive, memory_order_relaxed);

    if (alive)
        atomic_store_explicit(alive, 1, memory_order_relaxed);
    generation++;
    orma_mem_after_fork(); /* takes the guard down */
    for (size_t i = 0; i < ORMA_FORK_PARTS_MAX; i++)
        call(&parts[i].in_child);
}

static void watch(void)
{
    _Atomic(uint32_t) *alive = orma_mem_new_wiped(sizeof(*alive));

    if (alive)
        atomic_store_explicit(alive, 1, memory_order_relaxed);
    atomic_store_explicit(&orma_fork_alive, alive, memory_order_release);
    (void)pthread_atfork(before, in_parent, in_child);
}

bool orma_fork_was_missed(void)
{
    _Atomic(uint32_t) *alive = atomic_load_explicit(&orma_fork_alive, memory_order_relaxed);
    uint32_t wiped = 0;

    if (orma_guard_is_up()) /* in fork(), before its handlers: they will do it */
        return false;
    if (!atomic_compare_exchange_strong_explicit(alive, &wiped, 1, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false; /* another thread of this child was first */
    in_child();
    return true;
}

void orma_fork_watch(fork_fn before_fn, fork_fn in_parent_fn, fork_fn in_child_fn)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    fork_fn found = NULL;
    struct part *p = parts;

    pthread_once(&once, watch);
    while (!atomic_compare_exchange_strong_explicit(&p->in_child, &found, in_child_fn,
                                                    memory_order_relaxed, memory_order_relaxed)) {
        if (found == in_child_fn)
            return;
        ORMA_ASSERT_HOT(p < parts + ORMA_FORK_PARTS_MAX - 1);
        found = NULL;
        p++;
    }
    atomic_store_explicit(&p->before, before_fn, memory_order_relaxed);
    atomic_store_explicit(&p->in_parent, in_parent_fn, memory_order_relaxed);
}

uint32_t orma_fork_generation(void)
{
    return generation;
}

void orma_fork_set_revival(fork_fn fn)
{
    atomic_store_explicit(&revival, fn, memory_order_relaxed);
}

void orma_fork_revive(void)
{
    call(&revival);
}
