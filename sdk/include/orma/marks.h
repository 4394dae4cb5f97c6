/*
 * Marks for locks and memory, on top of track_event.h.
 *
 *     static struct orma_lock queue_lock;            beside the lock, zero at first
 *
 *     ORMA_LOCK_ACQUIRE(app, &queue_lock, "queue", pthread_mutex_lock(&mutex));
 *     ...
 *     ORMA_LOCK_RELEASE(app, &queue_lock, pthread_mutex_unlock(&mutex));
 *
 * shows "wait queue" while the lock is waited for and "hold queue" while it is held, with an arrow
 * from the hold of the owner before. Where the thread need not wait (ORMA_LOCK_TRY succeeds at
 * once), there is no wait. ORMA_LOCK_SCOPE does both for a pthread_mutex_t, to the end of the
 * block.
 *
 *     ORMA_ALLOC(app, "frames", ptr, size);           after it was taken
 *     ORMA_FREE(app, "frames", ptr);                  before it is given back
 *
 * are instants, joined by an arrow for each piece of memory.
 *
 * Threads: struct orma_lock is changed only by who holds the lock.
 */
#ifndef ORMA_MARKS_H
#define ORMA_MARKS_H
#include <pthread.h>

#include "orma/track_event.h"

ORMA_BEGIN_DECLS

struct orma_lock {
    uint64_t owner;    /* flow of the hold before; 0: none was recorded */
    uint32_t recorded; /* is the present one? */
    uint32_t count;
};

/* The flow of a hold: differs between locks, and from that of the hold before. */
static inline uint64_t orma_lock_next_(struct orma_lock *lock)
{
    return ((uint64_t)(uintptr_t)lock << 16) ^ ++lock->count;
}

/* With the lock held. */
#define ORMA_LOCK_HELD_(ident, lock, name)                                                         \
    do {                                                                                           \
        (lock)->recorded = 0;                                                                      \
        if (ORMA_ENABLED(ident)) {                                                                 \
            const uint64_t orma_before_ = (lock)->owner;                                           \
            (lock)->recorded = 1;                                                                  \
            (lock)->owner = orma_lock_next_(lock);                                                 \
            if (orma_before_)                                                                      \
                ORMA_SLICE_BEGIN(ident, "hold " name, ORMA_FLOW_END(orma_before_),                 \
                                 ORMA_FLOW((lock)->owner));                                        \
            else                                                                                   \
                ORMA_SLICE_BEGIN(ident, "hold " name, ORMA_FLOW((lock)->owner));                   \
        }                                                                                          \
    } while (0)

/* `acquire` waits until the lock is held. */
#define ORMA_LOCK_ACQUIRE(ident, lock, name, acquire)                                              \
    do {                                                                                           \
        {                                                                                          \
            ORMA_SLICE(ident, "wait " name);                                                       \
            (void)(acquire);                                                                       \
        }                                                                                          \
        ORMA_LOCK_HELD_(ident, lock, name);                                                        \
    } while (0)

/* `attempt` is true if it got the lock; only else is there a wait. */
#define ORMA_LOCK_TRY(ident, lock, name, attempt, acquire)                                         \
    do {                                                                                           \
        if (!(attempt)) {                                                                          \
            ORMA_SLICE(ident, "wait " name);                                                       \
            (void)(acquire);                                                                       \
        }                                                                                          \
        ORMA_LOCK_HELD_(ident, lock, name);                                                        \
    } while (0)

#define ORMA_LOCK_RELEASE(ident, lock, release)                                                    \
    do {                                                                                           \
        if ((lock)->recorded)                                                                      \
            ORMA_SLICE_END(ident);                                                                 \
        (void)(release);                                                                           \
    } while (0)

/* A mutex to the end of the block. */
struct orma_lock_scope_ {
    struct orma_lock *lock;
    pthread_mutex_t *mutex;
    struct orma_category *category;
};

static inline void orma_lock_scope_end_(struct orma_lock_scope_ *scope)
{
    if (scope->lock->recorded && __atomic_load_n(&scope->category->enabled, __ATOMIC_RELAXED))
        orma_slice_end(scope->category, UINT32_MAX);
    (void)pthread_mutex_unlock(scope->mutex);
}

#ifdef ORMA_DISABLE_TRACING
#define ORMA_LOCK_SCOPE(ident, lock_, mutex_, name)                                                \
    __attribute__((cleanup(orma_lock_scope_end_), unused)) struct orma_lock_scope_ ORMA_JOIN(      \
        orma_lock_scope_, __LINE__) = {(lock_), (mutex_), NULL};                                   \
    ORMA_LOCK_ACQUIRE(ident, lock_, name, pthread_mutex_lock(mutex_))
#else
#define ORMA_LOCK_SCOPE(ident, lock_, mutex_, name)                                                \
    __attribute__((cleanup(orma_lock_scope_end_), unused)) struct orma_lock_scope_ ORMA_JOIN(      \
        orma_lock_scope_, __LINE__) = {(lock_), (mutex_), &orma_category_##ident};                 \
    ORMA_LOCK_TRY(ident, lock_, name, pthread_mutex_trylock(mutex_) == 0,                          \
                  pthread_mutex_lock(mutex_))
#endif

#define ORMA_ALLOC(ident, what, ptr_, size_)                                                       \
    ORMA_INSTANT(ident, "alloc " what, ORMA_ARG_POINTER("address", ptr_),                          \
                 ORMA_ARG_UINT("bytes", size_), ORMA_FLOW((uintptr_t)(ptr_)))
#define ORMA_FREE(ident, what, ptr_)                                                               \
    ORMA_INSTANT(ident, "free " what, ORMA_ARG_POINTER("address", ptr_),                           \
                 ORMA_FLOW_END((uintptr_t)(ptr_)))

ORMA_END_DECLS
#endif
