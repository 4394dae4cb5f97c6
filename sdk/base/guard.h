/*
 * Locks that events take, too. Events may come in signal handlers, and a handler
 * must not wait for what its own thread holds: while a thread is inside such a
 * lock, or about to be, its guard is up, and a handler that finds it up does
 * without (it counts its event as lost).
 *
 * Whoever holds one of these locks does nothing that waits for the rest of the
 * process: above all no malloc() and no free(). A handler of another thread may
 * have interrupted malloc, and wait for the lock while malloc's own is held.
 */
#ifndef ORMA_SDK_BASE_GUARD_H
#define ORMA_SDK_BASE_GUARD_H
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* How often it was put up. Its thread's and its handlers' only; at rest in a handler. */
extern __thread volatile unsigned orma_guard_depth __attribute__((tls_model("initial-exec")));

static inline void orma_guard_up(void)
{
    orma_guard_depth++;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void orma_guard_down(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    orma_guard_depth--;
}

static inline bool orma_guard_is_up(void)
{
    return orma_guard_depth != 0;
}

/* Is it held, by any thread? For assertions only: the holder is not known. */
static inline bool orma_guard_is_locked(pthread_mutex_t *lock)
{
    if (pthread_mutex_trylock(lock) != 0)
        return true;
    pthread_mutex_unlock(lock);
    return false;
}

static inline void orma_guard_lock(pthread_mutex_t *lock)
{
    orma_guard_up();
    pthread_mutex_lock(lock);
}

static inline void orma_guard_unlock(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    orma_guard_down();
}

/*
 * Around what makes system calls in an event, or with a lock: the host's errno stays as it was, and
 * its thread is not cancelled there. ORMA_HUSHED; holds to the end of the block.
 */
struct orma_hush {
    int err, cancel;
};

static inline struct orma_hush orma_hush(void)
{
    struct orma_hush h = {.err = errno};

    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &h.cancel); /* cannot fail */
    return h;
}

static inline void orma_unhush(const struct orma_hush *h)
{
    (void)pthread_setcancelstate(h->cancel, NULL);
    errno = h->err;
}

/* `unused`: clang counts a destructor for no use. */
#define ORMA_HUSHED                                                                                \
    __attribute__((cleanup(orma_unhush), unused)) struct orma_hush orma_hush_ = orma_hush()
#endif
