/*
 * `head` counts the batches that were handed over, `tail` those that were given
 * back; batch n lies in slot n modulo their number. A slot has one owner:
 *
 *   worker fills ──head + 1──► caller takes ──tail + 1──► worker fills ...
 *
 * Items and lengths are plain memory: published by the release of `head`, taken
 * over by its acquire; given back by the release of `tail`.
 *
 * Who finds nothing to do looks again for a while, then sleeps. To wake a thread costs more
 * than a batch, and one that is woken for a single batch sleeps again at once, so the caller
 * is woken when there is a quarter of the ring to take, the worker when half of it is free:
 *
 *   caller: sleeps = true ─► looks again ─► waits      worker: head + 1 ─► sleeps? ─► wakes
 *
 * Each side writes its own word and then reads the other's, all sequentially
 * consistent: one of them sees the other, so no wake-up is lost. A batch that
 * is not worth a wake-up is followed by another or by the end, which always is; meanwhile the
 * worker can't sleep, as the ring is far from full, nor can both sleep at once.
 */
#include "processor/read/pipe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/thread.h"

#define BATCHES ORMA_PIPE_BATCHES
#define WAKE_CALLER (BATCHES / 4)
#define WAKE_WORKER (BATCHES / 2)
/* Some ten microseconds: about what it takes to be woken. */
#define SPINS 400

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

static uint8_t *slot_of(const struct orma_pipe *self, uint64_t batch)
{
    return self->items + (batch % BATCHES) * ORMA_PIPE_BATCH_ITEMS * self->item_size;
}

/* Wakes the other side if it sleeps. */
static void wake(struct orma_pipe *self, atomic_bool *sleeps, pthread_cond_t *cond)
{
    if (!atomic_load(sleeps))
        return;
    pthread_mutex_lock(&self->lock);
    atomic_store(sleeps, false);
    pthread_cond_signal(cond);
    pthread_mutex_unlock(&self->lock);
}

/* Waits until `ready`. */
static void wait_for(struct orma_pipe *self, bool (*ready)(struct orma_pipe *self),
                     atomic_bool *sleeps, pthread_cond_t *cond)
{
    for (unsigned i = 0; i < SPINS; i++, relax())
        if (ready(self))
            return;
    while (!ready(self)) {
        atomic_store(sleeps, true); /* before `ready` is asked again; pairs with wake() */
        pthread_mutex_lock(&self->lock);
        while (atomic_load(sleeps) && !ready(self))
            pthread_cond_wait(cond, &self->lock);
        atomic_store(sleeps, false);
        pthread_mutex_unlock(&self->lock);
    }
}

/* ---- worker ---- */

static bool may_put(struct orma_pipe *self)
{
    /* Acquire: the caller has read what lies in the slot. */
    return atomic_load(&self->head) - atomic_load(&self->tail) < BATCHES ||
           atomic_load(&self->stopped);
}

/* Hands over what was put into the batch. */
static void publish(struct orma_pipe *self)
{
    uint64_t head = atomic_load_explicit(&self->head, memory_order_relaxed); /* our own */
    size_t bytes = self->put_at ? (size_t)(self->put_at - slot_of(self, head)) : 0;

    if (!bytes)
        return;
    self->lengths[head % BATCHES] = (uint32_t)(bytes / self->item_size);
    atomic_store(&self->head, head + 1); /* pairs with may_get() */
    if (head + 1 - atomic_load(&self->tail) >= WAKE_CALLER)
        wake(self, &self->caller_sleeps, &self->wake_caller);
}

bool orma_pipe_next_put(struct orma_pipe *self)
{
    publish(self);
    self->put_at = self->put_end = NULL;
    wait_for(self, may_put, &self->worker_sleeps, &self->wake_worker);
    if (atomic_load(&self->stopped))
        return false;
    self->put_at = slot_of(self, atomic_load_explicit(&self->head, memory_order_relaxed));
    self->put_end = self->put_at + ORMA_PIPE_BATCH_ITEMS * self->item_size;
    return true;
}

static void *worker(void *data)
{
    struct orma_pipe *self = data;

    self->fn(self, self->data);
    publish(self);
    atomic_store(&self->done, true); /* after the last batch: who sees it sees that one */
    wake(self, &self->caller_sleeps, &self->wake_caller);
    return NULL;
}

/* ---- caller ---- */

static bool may_get(struct orma_pipe *self)
{
    return atomic_load(&self->head) != atomic_load(&self->tail) || atomic_load(&self->done);
}

bool orma_pipe_next_get(struct orma_pipe *self)
{
    uint64_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed); /* our own */

    if (self->get_at) {
        atomic_store(&self->tail, ++tail); /* pairs with may_put() */
        if (atomic_load(&self->head) - tail <= BATCHES - WAKE_WORKER)
            wake(self, &self->worker_sleeps, &self->wake_worker);
    }
    self->get_at = self->get_end = NULL;
    wait_for(self, may_get, &self->caller_sleeps, &self->wake_caller);
    if (atomic_load(&self->head) == tail)
        return false; /* done, and all was taken */
    self->get_at = slot_of(self, tail);
    self->get_end = self->get_at + self->lengths[tail % BATCHES] * self->item_size;
    return true;
}

/* ---- both ---- */

static void free_pipe(struct orma_pipe *self)
{
    pthread_cond_destroy(&self->wake_caller);
    pthread_cond_destroy(&self->wake_worker);
    pthread_mutex_destroy(&self->lock);
    free(self->items);
    free(self);
}

static_assert(ORMA_PIPE_BATCH_ITEMS % ORMA_CACHE_LINE == 0, "any item_size will do");

struct orma_pipe *orma_pipe_start(size_t item_size, orma_pipe_fn *fn, void *data)
{
    struct orma_pipe *self = aligned_alloc(ORMA_CACHE_LINE, sizeof(*self));

    if (!self)
        return NULL;
    memset(self, 0, sizeof(*self));
    self->item_size = item_size;
    self->fn = fn;
    self->data = data;
    (void)pthread_mutex_init(&self->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&self->wake_caller, NULL);
    (void)pthread_cond_init(&self->wake_worker, NULL);
    self->items =
        aligned_alloc(ORMA_CACHE_LINE, (size_t)BATCHES * ORMA_PIPE_BATCH_ITEMS * item_size);
    if (!self->items || orma_thread_start(&self->thread, NULL, worker, self) < 0) {
        free_pipe(self);
        return NULL;
    }
    return self;
}

void orma_pipe_stop(struct orma_pipe *self)
{
    atomic_store(&self->stopped, true); /* pairs with may_put() */
    wake(self, &self->worker_sleeps, &self->wake_worker);
    (void)pthread_join(self->thread, NULL); /* it was created, and nobody else joins it */
    free_pipe(self);
}
