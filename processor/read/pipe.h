/*
 * A pipe between two threads: one makes items, the caller takes them, in batches.
 *
 *   worker:  orma_pipe_put() → fill → ...            caller:  orma_pipe_get() → use → ...
 *            [batch][batch][batch] ... a ring, handed over under a lock, whole batches at a time
 *
 * The worker ends when its function returns, and early when the caller stops:
 * then put gives NULL. What the worker writes before a put or its end, the caller
 * sees after the get. Items are plain memory and keep their place until the caller
 * has asked for the first one of the next batch.
 */
#ifndef ORMA_PROCESSOR_READ_PIPE_H
#define ORMA_PROCESSOR_READ_PIPE_H
#include <stddef.h>

struct orma_pipe;

/* Makes items until there are none, or put gives NULL. */
typedef void orma_pipe_fn(struct orma_pipe *pipe, void *data);

/* Starts a worker. NULL if there is no memory or thread for it: do the work yourself. */
struct orma_pipe *orma_pipe_start(size_t item_size, orma_pipe_fn *fn, void *data);

/* Worker: room for the next item; NULL: the caller wants no more. */
void *orma_pipe_put(struct orma_pipe *self);

/* Caller: the next item; NULL: there are no more. */
void *orma_pipe_get(struct orma_pipe *self);

/* Caller: ends the worker, waits for it, frees. */
void orma_pipe_stop(struct orma_pipe *self);
#endif
