/*
 * Worker: the thread that turns records into packets, so that the loop can go on
 * emptying the kernel's rings while files are opened and stacks unwound.
 *
 *   loop ── put(record) ──► queue (bounded) ──► thread: encode.h ──► packets ──► loop ── on_packets
 *   rings ── at each period ──────────────────► thread
 *
 * A thread that keeps up takes its records out of the rings, where the kernel left them. While it
 * has something else to do (opens a large file), the loop saves them from there by put().
 *
 * Order is kept, marks included: when a mark comes out, the packets of everything
 * that was put before it have come out, too. When the queue is full, samples lose
 * their stacks; when it is twice as full, all records are counted as lost.
 *
 * Threads: put, mark, begin, due, take and free belong to the loop's thread; what the encoder
 * uses belongs to the worker from start to free.
 */
#ifndef ORMA_PROBES_PERF_WORKER_H
#define ORMA_PROBES_PERF_WORKER_H
#include "probes/perf/encode.h"
#include "probes/perf/ring.h"

struct orma_perf_worker;

/* Records have to be given in the order of time. 0 or -errno. The encoder's sink is ours. */
int orma_perf_worker_new(struct orma_perf_encoder *encoder, struct orma_perf_rings *rings,
                         struct orma_perf_worker **ret);

/*
 * Ends the thread; what is queued is lost. NULL is fine. False: the thread did not end within
 * ORMA_PERF_WORKER_PATIENCE_S, because it reads a file whose file system does not answer. It may go
 * on one day: the worker, the encoder and the rings, and all that they use, must stay where they are.
 */
bool orma_perf_worker_free(struct orma_perf_worker *self);
#define ORMA_PERF_WORKER_PATIENCE_S 5

/* Copies the record. It may lie there until a mark comes, or kick(). */
void orma_perf_worker_put(struct orma_perf_worker *self, const struct orma_perf_record *record);
void orma_perf_worker_mark(struct orma_perf_worker *self, uint64_t mark);
void orma_perf_worker_kick(struct orma_perf_worker *self);

/* From now on, it empties the rings each so often of records that are older than `settled_ns`. */
void orma_perf_worker_begin(struct orma_perf_worker *self, uint64_t period_ns, uint64_t settled_ns);

/* When it will do so next (CLOCK_MONOTONIC). 0: it has not done all that it should. */
uint64_t orma_perf_worker_due(struct orma_perf_worker *self);

/* Where the packets of the encoder go: hand it to orma_perf_encoder_init(). */
struct orma_source_sink *orma_perf_worker_sink(struct orma_perf_worker *self);

/* Readable when there is much to take, or a mark: whoever comes by regularly takes the rest. */
int orma_perf_worker_fd(const struct orma_perf_worker *self);

/* Hands out what is ready: packets go into the sink, marks to `on_mark`. */
void orma_perf_worker_take(struct orma_perf_worker *self, struct orma_source_sink *sink,
                           void (*on_mark)(void *ctx, uint64_t mark), void *ctx);

/* All that is interned is to be said again: asked for by the loop. */
void orma_perf_worker_clear(struct orma_perf_worker *self);
#endif
