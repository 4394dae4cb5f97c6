/*
 * A pipe between two threads: one makes items, the caller takes them, in batches.
 *
 *   worker:  orma_pipe_put() → fill → ...            caller:  orma_pipe_get() → use → ...
 *            [batch][batch][batch] ... a ring, handed over whole batches at a time
 *
 * The worker ends when its function returns, and early when the caller stops:
 * then put gives NULL. What the worker writes before a put or its end, the caller
 * sees after the get. Items are plain memory and keep their place until the caller
 * has asked for the first one of the next batch.
 */
#ifndef ORMA_PROCESSOR_READ_PIPE_H
#define ORMA_PROCESSOR_READ_PIPE_H
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

#define ORMA_PIPE_BATCHES 16
#define ORMA_PIPE_BATCH_ITEMS 512
/* A line that the other core holds takes long to come, and a store that waits for one holds up all
 * later stores of its thread, so both sides ask for lines well before they need them. */
#define ORMA_PIPE_AHEAD (8 * ORMA_CACHE_LINE)

struct orma_pipe;

/* Makes items until there are none, or put gives NULL. */
typedef void orma_pipe_fn(struct orma_pipe *pipe, void *data);

struct orma_pipe {
    /* Nobody changes these. */
    size_t item_size;
    uint8_t *items;
    orma_pipe_fn *fn;
    void *data;
    pthread_t thread;
    /* Of the worker alone: the batch that it fills. */
    alignas(ORMA_CACHE_LINE) uint8_t *put_at, *put_end;
    /* Of the caller alone: the batch that it takes from. */
    alignas(ORMA_CACHE_LINE) uint8_t *get_at, *get_end;
    /* Written by the worker: batches handed over, and how long they are. */
    alignas(ORMA_CACHE_LINE) _Atomic uint64_t head;
    atomic_bool done;
    uint32_t lengths[ORMA_PIPE_BATCHES];
    /* Written by the caller: batches given back. */
    alignas(ORMA_CACHE_LINE) _Atomic uint64_t tail;
    atomic_bool stopped;
    /* Written by whoever goes to sleep, and by who wakes it. */
    alignas(ORMA_CACHE_LINE) atomic_bool worker_sleeps, caller_sleeps;
    atomic_bool left; /* see orma_pipe_leave(); once in a pipe's life */
    pthread_mutex_t lock;
    pthread_cond_t wake_worker, wake_caller;
};

/* Starts a worker. NULL if there is no memory or thread for it: do the work yourself. */
struct orma_pipe *orma_pipe_start(size_t item_size, orma_pipe_fn *fn, void *data);

/* The part of put and get that is done once per batch. */
bool orma_pipe_next_put(struct orma_pipe *self);
bool orma_pipe_next_get(struct orma_pipe *self);

/* Fetches a line to write to. Compilers make a fetch for reading of it unless they are told that
 * all processors of this kind know better; those that don't ignore it. */
static inline void orma_pipe_own(const uint8_t *at)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*at));
#else
    __builtin_prefetch(at, 1);
#endif
}

/* Worker: room for the next item; NULL: the caller wants no more. */
static inline void *orma_pipe_put(struct orma_pipe *self)
{
    if (ORMA_UNLIKELY(self->put_at == self->put_end) && !orma_pipe_next_put(self))
        return NULL;
    void *ret = self->put_at;
    ORMA_ASSERT_HOT(self->item_size <= (size_t)(self->put_end - self->put_at));
    orma_pipe_own(self->put_at + ORMA_PIPE_AHEAD);
    self->put_at += self->item_size;
    return ret;
}

/* Caller: the next item; NULL: there are no more. */
static inline void *orma_pipe_get(struct orma_pipe *self)
{
    if (ORMA_UNLIKELY(self->get_at == self->get_end) && !orma_pipe_next_get(self))
        return NULL;
    void *ret = self->get_at;
    ORMA_ASSERT_HOT(self->item_size <= (size_t)(self->get_end - self->get_at));
    __builtin_prefetch(self->get_at + ORMA_PIPE_AHEAD);
    self->get_at += self->item_size;
    return ret;
}

/* Caller: asks the worker to end where it likes. What it puts until then still comes. */
static inline void orma_pipe_leave(struct orma_pipe *self)
{
    /* Relaxed here and there: nothing else is told by it. */
    atomic_store_explicit(&self->left, true, memory_order_relaxed);
}

/* Worker: true if the caller has asked for that. */
static inline bool orma_pipe_is_left(struct orma_pipe *self)
{
    return atomic_load_explicit(&self->left, memory_order_relaxed);
}

/* Caller: ends the worker, waits for it, frees. */
void orma_pipe_stop(struct orma_pipe *self);
#endif
