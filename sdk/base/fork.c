/*
 * The parts are a list that only grows, at its end: an append is one
 * compare-and-swap, so that a child forked at any moment finds it whole.
 */
#include "sdk/base/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "sdk/base/guard.h"
#include "sdk/base/mem.h"

static _Atomic(struct orma_fork_part *) first;
static _Atomic(void (*)(void)) revival;
static uint32_t generation;

/* acquire: pairs with the append in orma_fork_watch(). */
static struct orma_fork_part *after(_Atomic(struct orma_fork_part *) *link)
{
    return atomic_load_explicit(link, memory_order_acquire);
}

/* A handler's event would still be the parent's in the child: it is lost, and counted, meanwhile.
 */
static void before(void)
{
    orma_guard_up();
    for (struct orma_fork_part *p = after(&first); p; p = after(&p->next)) {
        if (p->before)
            p->before();
    }
}

static void in_parent(void)
{
    for (struct orma_fork_part *p = after(&first); p; p = after(&p->next)) {
        if (p->in_parent)
            p->in_parent();
    }
    orma_guard_down();
}

static void in_child(void)
{
    generation++;
    orma_mem_after_fork(); /* takes the guard down */
    for (struct orma_fork_part *p = after(&first); p; p = after(&p->next)) {
        if (p->in_child)
            p->in_child();
    }
}

static void watch(void)
{
    (void)pthread_atfork(before, in_parent, in_child);
}

void orma_fork_watch(struct orma_fork_part *part)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    _Atomic(struct orma_fork_part *) *link = &first;
    struct orma_fork_part *found;

    pthread_once(&once, watch);
    for (;; link = &found->next) {
        found = NULL;
        /* release: pairs with after(). acquire: `found` is looked into. */
        if (atomic_compare_exchange_strong_explicit(link, &found, part, memory_order_acq_rel,
                                                    memory_order_acquire) ||
            found == part)
            return;
    }
}

uint32_t orma_fork_generation(void)
{
    return generation;
}

void orma_fork_set_revival(void (*fn)(void))
{
    atomic_store_explicit(&revival, fn, memory_order_relaxed); /* code needs no publishing */
}

void orma_fork_revive(void)
{
    void (*fn)(void) = atomic_load_explicit(&revival, memory_order_relaxed);

    if (fn)
        fn();
}
