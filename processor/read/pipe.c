#include "processor/read/pipe.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "sdk/base/defs.h"

#define BATCH_ITEMS 512
#define BATCHES 16

struct orma_pipe {
    size_t item_size;
    orma_pipe_fn *fn;
    void *data;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    /* Under the lock: batches [tail, head) are full; `lengths` of those. */
    uint64_t head, tail;
    uint32_t lengths[BATCHES];
    bool done, stopped;
    /* The worker's own: the batch that it fills. */
    uint32_t put_num;
    bool put_open;
    uint64_t put_batch;
    /* The caller's own: the batch that it takes from. */
    uint32_t get_at, get_num;
    uint8_t *items;
};

static uint8_t *item_at(struct orma_pipe *self, uint64_t batch, uint32_t at)
{
    return self->items + ((batch % BATCHES) * BATCH_ITEMS + at) * self->item_size;
}

/* Hands the batch at work to the caller. */
static void publish(struct orma_pipe *self, bool done)
{
    pthread_mutex_lock(&self->lock);
    if (self->put_open && self->put_num) {
        self->lengths[self->head % BATCHES] = self->put_num;
        self->head++;
    }
    self->done = done;
    pthread_cond_signal(&self->filled);
    pthread_mutex_unlock(&self->lock);
    self->put_open = false;
    self->put_num = 0;
}

/* Waits for a batch that is free. False: the caller has stopped. */
static bool open_batch(struct orma_pipe *self)
{
    pthread_mutex_lock(&self->lock);
    while (self->head - self->tail == BATCHES && !self->stopped)
        pthread_cond_wait(&self->emptied, &self->lock);
    self->put_batch = self->head;
    self->put_open = !self->stopped;
    pthread_mutex_unlock(&self->lock);
    return self->put_open;
}

void *orma_pipe_put(struct orma_pipe *self)
{
    if (ORMA_UNLIKELY(self->put_num == BATCH_ITEMS))
        publish(self, false);
    if (ORMA_UNLIKELY(!self->put_open) && !open_batch(self))
        return NULL;
    return item_at(self, self->put_batch, self->put_num++);
}

static void *worker(void *data)
{
    struct orma_pipe *self = data;

    self->fn(self, self->data);
    publish(self, true);
    return NULL;
}

/* Gives the batch that was used up back and waits for the next one. False: there is none. */
static bool next_batch(struct orma_pipe *self)
{
    pthread_mutex_lock(&self->lock);
    if (self->get_num) {
        self->tail++;
        pthread_cond_signal(&self->emptied);
    }
    while (self->head == self->tail && !self->done)
        pthread_cond_wait(&self->filled, &self->lock);
    self->get_num = self->head == self->tail ? 0 : self->lengths[self->tail % BATCHES];
    self->get_at = 0;
    pthread_mutex_unlock(&self->lock);
    return self->get_num != 0;
}

void *orma_pipe_get(struct orma_pipe *self)
{
    if (ORMA_UNLIKELY(self->get_at == self->get_num) && !next_batch(self))
        return NULL;
    /* The caller alone moves the tail. */
    return item_at(self, self->tail, self->get_at++);
}

static void free_pipe(struct orma_pipe *self)
{
    pthread_cond_destroy(&self->filled);
    pthread_cond_destroy(&self->emptied);
    pthread_mutex_destroy(&self->lock);
    free(self->items);
    free(self);
}

struct orma_pipe *orma_pipe_start(size_t item_size, orma_pipe_fn *fn, void *data)
{
    struct orma_pipe *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    *self = (struct orma_pipe){.item_size = item_size, .fn = fn, .data = data};
    (void)pthread_mutex_init(&self->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&self->filled, NULL);
    (void)pthread_cond_init(&self->emptied, NULL);
    self->items = malloc((size_t)BATCHES * BATCH_ITEMS * item_size);
    if (!self->items || pthread_create(&self->thread, NULL, worker, self)) {
        free_pipe(self);
        return NULL;
    }
    return self;
}

void orma_pipe_stop(struct orma_pipe *self)
{
    pthread_mutex_lock(&self->lock);
    self->stopped = true;
    pthread_cond_signal(&self->emptied);
    pthread_mutex_unlock(&self->lock);
    (void)pthread_join(self->thread, NULL); /* it was created, and nobody else joins it */
    free_pipe(self);
}
