/*
 * A background thread that runs a producer: connects, reconnects with growing
 * delays, dispatches. For programs without a loop of their own.
 *
 * All signals are blocked in it. Data source callbacks run on it.
 * Threads: all calls from any thread, but free from the thread itself.
 */
#ifndef ORMA_SDK_TRANSPORT_THREAD_H
#define ORMA_SDK_TRANSPORT_THREAD_H
#include "sdk/base/defs.h"
#include "sdk/transport/producer.h"

struct orma_producer_thread;

typedef void (*orma_producer_task_fn)(void *ctx, struct orma_producer *producer);
/* Milliseconds until it is wanted again although nothing happens; -1: no need. */
typedef int (*orma_producer_turn_fn)(void *ctx, struct orma_producer *producer);

/*
 * Takes the producer on success. `turn` (may be NULL) is called at each turn of the
 * loop, so also after orma_producer_wakeup(). -ENOMEM, -EAGAIN.
 */
int orma_producer_thread_new(struct orma_producer *producer, orma_producer_turn_fn turn, void *ctx,
                             struct orma_producer_thread **ret);

/* Commits what there is, ends the connection and the thread, frees the producer. NULL is fine. */
void orma_producer_thread_free(struct orma_producer_thread *self);
ORMA_DEFINE_AUTO(struct orma_producer_thread *, orma_producer_thread_free)

/* In a child process, where the thread is not: closes its descriptors and forgets the rest. */
void orma_producer_thread_abandon(struct orma_producer_thread *self);

/* Runs fn(ctx, producer) on the thread and waits until it has returned; at once if this is it. */
void orma_producer_thread_call(struct orma_producer_thread *self, orma_producer_task_fn fn,
                               void *ctx);

/*
 * Runs fn(NULL, producer) on the thread, then sends what it has listed and waits until the service
 * has seen it. Returns within timeout_ms, and little more, whatever the service and the thread do.
 * 0, -ETIMEDOUT, -ENOTCONN, -ENOMEM.
 */
int orma_producer_thread_flush(struct orma_producer_thread *self, orma_producer_task_fn fn,
                               int timeout_ms);

/*
 * Waits until the service has seen all data sources and all data sent before, and
 * its commands of until then were carried out. -ETIMEDOUT; why it is not connected (-ENOTCONN:
 * it was), at once.
 */
int orma_producer_thread_sync(struct orma_producer_thread *self, int timeout_ms);
#endif
