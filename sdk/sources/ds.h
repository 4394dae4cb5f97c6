/*
 * Data sources of applications, inside: sessions of them in whatever home (the
 * service's, a recording's).
 *
 * Each thread has a ds_writer per session, with a mutex: held by the thread
 * during its turn, taken by whoever flushes or ends the session. It is hardly
 * ever contended, and packets of data sources are not events: 20 ns may be spent.
 *
 * Threads: the calls here from the home's thread. Lock order: g.lock, then a
 * ds_writer's, then a pool's.
 */
#ifndef ORMA_SDK_SOURCES_DS_H
#define ORMA_SDK_SOURCES_DS_H
#include <stdbool.h>

#include "orma/data_source.h"
#include "sdk/base/str.h"
#include "sdk/transport/pool.h"

/* Sessions of one source at once. */
#define ORMA_DS_SLOTS 16u

struct orma_producer;

/* Callbacks of a home. */
struct orma_ds_home {
    /* The session, deferred or not, is over: its data is complete in the pool's list. On the home's
     * thread. */
    void (*stopped)(void *ctx, uint64_t id);
    /* Runs fn(arg) on the home's thread, now or as soon as that can. */
    void (*run)(void *ctx, void (*fn)(void *arg), void *arg);
    void *ctx;
};

/* on_setup. `id` is the home's. 0, -EBUSY: too many sessions, -ENOMEM. */
int orma_ds_session_new(struct orma_data_source *source, uint64_t id, struct orma_str config,
                        struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                        const struct orma_ds_home *home, struct orma_ds_session **ret);
void orma_ds_session_start(struct orma_ds_session *self);
/* on_stop, then the end and home->stopped; if on_stop deferred it, at orma_ds_stopped(). */
void orma_ds_session_stop(struct orma_ds_session *self);
void orma_ds_session_flush(struct orma_ds_session *self);
void orma_ds_session_clear(struct orma_ds_session *self);

/* Registers what sources forget in a child; done by the first of them as well. */
void orma_ds_watch_forks(void);
/* In a child, after that: the first turn of each source begins tracing anew. */
void orma_ds_wake(void);
/* No longer. */
void orma_ds_forget_wake(void);

/* NULL: not registered. */
struct orma_data_source *orma_ds_find(struct orma_str name);
enum orma_policy orma_ds_policy(const struct orma_data_source *source, struct orma_str config);

/* ---- the service as home (ds_source.c) ---- */

/* Runs fn(arg) on the thread of the producer's loop, now or as soon as that can. */
typedef void (*orma_ds_run_fn)(void (*fn)(void *arg), void *arg);

/* Offers all that are registered, now and in future. */
int orma_ds_offer_all(struct orma_producer *producer, orma_ds_run_fn run);
/* At each turn of the loop: offers what was registered meanwhile. */
void orma_ds_turn(struct orma_producer *producer);
/* Completes the chunks of all threads. Loop thread. */
void orma_ds_source_flush(void);
void orma_ds_forget_producer(void);

/* Called when a source is registered. With g.lock. */
void orma_ds_set_listener(void (*fn)(void));
/* The idx-th registered; NULL: there are no more. */
struct orma_data_source *orma_ds_at(size_t idx);
#endif
