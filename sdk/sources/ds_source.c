/* Applications' data sources as data sources of the service. */
#include <errno.h>
#include <stdlib.h>

#include "sdk/base/fork.h"
#include "sdk/sources/ds.h"
#include "sdk/transport/producer_impl.h"

struct offered {
    struct orma_ds ds;
    struct orma_data_source *source;
    struct orma_ds_session *running[ORMA_DS_SLOTS];
};

static struct {
    struct orma_producer *producer;
    orma_ds_run_fn run;
    struct offered *list[ORMA_PRODUCER_SOURCES_MAX]; /* stable addresses: the producer keeps them */
    size_t num;
    /* Ids of instances are the service's; after a new connection they may come again. */
    uintptr_t connection;
    _Atomic bool dirty;
} g;

/* `ctx`: the connection that the session belonged to. */
static void stopped(void *ctx, uint64_t id)
{
    if (g.producer && (uintptr_t)ctx == g.connection)
        orma_producer_stopped(g.producer, id);
}

static void run(void *ctx, void (*fn)(void *arg), void *arg)
{
    (void)ctx;
    g.run(fn, arg);
}

static void note_running(struct offered *o, const struct orma_ds_session *was,
                         struct orma_ds_session *is)
{
    for (size_t i = 0; (was || is) && i < ORMA_DS_SLOTS; i++) {
        if (o->running[i] == was) {
            o->running[i] = is;
            return;
        }
    }
}

static void setup(void *ctx, struct orma_ds_instance *inst)
{
    struct offered *o = ctx;
    struct orma_pool *pool = orma_producer_ref_pool(g.producer);
    struct orma_ds_session *session = NULL;
    const struct orma_ds_home home = {.stopped = stopped, .run = run, .ctx = (void *)g.connection};

    /* Without a slot, or without memory: the session goes on without us. */
    if (pool && orma_ds_session_new(o->source, inst->id, inst->config, pool, inst->target_buffer,
                                    orma_ds_policy(o->source, inst->config), &home, &session) < 0)
        session = NULL;
    note_running(o, NULL, session);
    inst->user = session;
    orma_pool_unref(pool);
}

static void start(void *ctx, struct orma_ds_instance *inst)
{
    (void)ctx;
    if (inst->user)
        orma_ds_session_start(inst->user);
    orma_producer_started(g.producer, inst->id);
}

static void stop(void *ctx, struct orma_ds_instance *inst)
{
    struct orma_ds_session *session = inst->user;

    note_running(ctx, session, NULL);
    inst->user = NULL;
    if (!orma_producer_is_connected(g.producer))
        g.connection++; /* nobody waits for the answer */
    if (session)
        orma_ds_session_stop(session);
    else
        orma_producer_stopped(g.producer, inst->id);
}

static void flush(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id)
{
    (void)ctx;
    if (inst->user)
        orma_ds_session_flush(inst->user);
    orma_producer_flushed(g.producer, inst->id, flush_id);
}

static void clear(void *ctx, struct orma_ds_instance *inst)
{
    (void)ctx;
    if (inst->user)
        orma_ds_session_clear(inst->user);
}

static const struct orma_ds_ops ops = {setup, start, stop, flush, clear};

static int offer(struct orma_producer *producer, struct orma_data_source *source)
{
    struct offered *o = calloc(1, sizeof(*o));

    if (!o)
        return -ENOMEM;
    o->source = source;
    o->ds = (struct orma_ds){
        .name = source->name,
        .ops = &ops,
        .ctx = o,
        .will_notify_on_start = true,
        .will_notify_on_stop = true,
        .handles_incremental_state_clear = true,
        .descriptor = {source->descriptor, source->descriptor_len},
    };
    int r = orma_producer_add(producer, &o->ds);
    if (r < 0) {
        free(o);
        return r;
    }
    g.list[g.num++] = o;
    return 0;
}

static void on_registered(void)
{
    if (!atomic_exchange_explicit(&g.dirty, true, memory_order_relaxed))
        orma_producer_wakeup(g.producer);
}

/* The structures stay the dead producer's. */
static void after_fork(void)
{
    g.producer = NULL;
    g.num = 0;
    g.connection++;
    atomic_store_explicit(&g.dirty, false, memory_order_relaxed);
}

int orma_ds_offer_all(struct orma_producer *producer, orma_ds_run_fn run_fn)
{
    struct orma_data_source *source;
    int r = 0;

    orma_fork_watch(NULL, NULL, after_fork);
    g.producer = producer;
    g.run = run_fn;
    orma_ds_set_listener(on_registered);
    while (r == 0 && (source = orma_ds_at(g.num)))
        r = offer(producer, source);
    return r;
}

void orma_ds_turn(struct orma_producer *producer)
{
    struct orma_data_source *source;

    if (!atomic_exchange_explicit(&g.dirty, false, memory_order_relaxed))
        return;
    while ((source = orma_ds_at(g.num)) && offer(producer, source) == 0)
        ;
}

void orma_ds_source_flush(void)
{
    for (size_t i = 0; i < g.num; i++) {
        for (size_t slot = 0; slot < ORMA_DS_SLOTS; slot++) {
            if (g.list[i]->running[slot])
                orma_ds_session_flush(g.list[i]->running[slot]);
        }
    }
}

void orma_ds_forget_producer(void)
{
    g.producer = NULL;
    while (g.num)
        free(g.list[--g.num]);
}
