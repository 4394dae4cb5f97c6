/*
 * The service of the machine as a home: one producer (transport/producer.h), which
 * connects, and connects again, for as long as the process lives. All on the loop.
 *
 * `connection` counts connections: answers that come later than their own go nowhere.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "sdk/base/clock.h"
#include "sdk/cabi/cabi.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/wire/pb_writer.h"

/* A failing connect to a local socket costs microseconds: begin impatiently, end politely. */
#define RETRY_MIN_MS 100u
#define RETRY_MAX_MS 5000u
#define COMMIT_DELAY_MS 50u
#define TRIGGERS_MAX 64u
/* For what is still to be sent at the end. */
#define LAST_WORDS_MS 100

struct triggers {
    char *names; /* terminated, one after the other */
    size_t len;
    uint64_t until_ns;
};

struct sync {
    void (*fn)(void *user);
    void *user;
};

static struct {
    struct orma_producer *producer;
    uint64_t connection;
    bool was_connected;
    uint32_t retry_ms;
    uint64_t retry_at_ns;
    struct triggers triggers[TRIGGERS_MAX]; /* for connections to come */
    size_t triggers_num;
} g;

/* ---- the producer's data sources ---- */

static void stopped(void *ctx, uint64_t id)
{
    (void)ctx;
    orma_producer_stopped(g.producer, id);
}

static void flushed(void *ctx, uint64_t id, uint64_t flush_id)
{
    (void)ctx;
    orma_producer_flushed(g.producer, id, flush_id);
}

static void on_synced(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct sync *s = ctx;

    (void)has_more, (void)reply;
    if (success && s->fn)
        s->fn(s->user);
    free(s);
}

static void sync_all(void (*fn)(void *user), void *user)
{
    struct sync *s = malloc(sizeof(*s));

    if (s && g.producer && g.producer->ipc) {
        *s = (struct sync){fn, user};
        orma_producer_commit(g.producer);
        if (!g.producer->error &&
            orma_ipc_client_invoke(g.producer->ipc, "Sync", NULL, 0, -1, on_synced, s) == 0)
            return;
    }
    free(s);
}

static const struct orma_cabi_home_ops home_ops = {stopped, flushed, sync_all};

static void setup(void *ctx, struct orma_ds_instance *inst)
{
    const struct orma_cabi_home home = {&home_ops, &g, &g.connection, g.connection};
    struct orma_pool *pool = orma_producer_ref_pool(g.producer);

    /* Without a slot, or without memory: the session goes on without us. */
    inst->user =
        pool ? orma_cabi_instance_new(ctx, &home, inst->id, inst->config, pool, inst->target_buffer)
             : NULL;
    orma_pool_unref(pool);
}

static void start(void *ctx, struct orma_ds_instance *inst)
{
    (void)ctx;
    if (inst->user)
        orma_cabi_instance_start(inst->user);
    orma_producer_started(g.producer, inst->id);
}

static void stop(void *ctx, struct orma_ds_instance *inst)
{
    struct orma_cabi_instance *own = inst->user;

    (void)ctx;
    inst->user = NULL; /* a postponed one ends by itself */
    if (!orma_producer_is_connected(g.producer) && g.was_connected) {
        g.was_connected = false;
        g.connection++; /* nobody waits for the answer */
    }
    if (own)
        orma_cabi_instance_stop(own);
    else
        orma_producer_stopped(g.producer, inst->id);
}

static void flush(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id)
{
    (void)ctx;
    if (inst->user)
        orma_cabi_instance_flush(inst->user, flush_id);
    else
        orma_producer_flushed(g.producer, inst->id, flush_id);
}

static void clear(void *ctx, struct orma_ds_instance *inst)
{
    (void)ctx;
    if (inst->user)
        orma_cabi_instance_clear(inst->user);
}

static const struct orma_ds_ops ops = {setup, start, stop, flush, clear};

void orma_cabi_system_add(struct orma_cabi_type *type)
{
    if (!g.producer || type->ds.name)
        return;
    type->ds = (struct orma_ds){
        .name = type->name,
        .ops = &ops,
        .ctx = type,
        .will_notify_on_start = true,
        .will_notify_on_stop = type->notify_stop,
        .handles_incremental_state_clear = true,
        .no_flush = !type->on_flush,
        .descriptor = orma_buf_str(&type->descriptor),
    };
    (void)orma_producer_add(g.producer, &type->ds); /* there are fewer types than it has places */
}

void orma_cabi_system_update(struct orma_cabi_type *type)
{
    type->ds.descriptor = orma_buf_str(&type->descriptor);
    if (g.producer && type->ds.name)
        orma_producer_update(g.producer, &type->ds);
}

/* ---- triggers ---- */

static void send_triggers(const char *names, size_t len)
{
    const char *list[TRIGGERS_MAX];
    size_t num = 0;

    for (size_t at = 0; at < len && num < TRIGGERS_MAX; at += strlen(names + at) + 1)
        list[num++] = names + at;
    (void)orma_producer_trigger(g.producer, list, num); /* an error ends the connection */
}

void orma_cabi_system_trigger(const char *names, size_t len, uint64_t until_ns)
{
    struct triggers *t = &g.triggers[g.triggers_num];

    if (!g.producer)
        return;
    if (g.producer->initialised) {
        send_triggers(names, len);
        return;
    }
    if (g.triggers_num == TRIGGERS_MAX || !(t->names = malloc(len)))
        return;
    memcpy(t->names, names, len);
    t->len = len;
    t->until_ns = until_ns;
    g.triggers_num++;
}

static void send_kept_triggers(void)
{
    for (size_t i = 0; i < g.triggers_num; i++) {
        if (orma_clock_monotonic() < g.triggers[i].until_ns)
            send_triggers(g.triggers[i].names, g.triggers[i].len);
        free(g.triggers[i].names);
    }
    g.triggers_num = 0;
}

/* ---- the loop ---- */

void orma_cabi_system_begin(const struct orma_cabi_args *args)
{
    const struct orma_producer_config config = {
        .name = program_invocation_name,
        .shm_size_hint_bytes = args->shm_kb * 1024,
        .smb_scraping = true,
        .queues = true,
        .commit_delay_ms = COMMIT_DELAY_MS,
    };

    if (g.producer || orma_producer_new(&config, &g.producer) < 0)
        return;
    g.retry_ms = RETRY_MIN_MS;
    g.retry_at_ns = 0;
}

static void connect_if_due(void)
{
    if (orma_producer_is_connected(g.producer) || orma_clock_monotonic() < g.retry_at_ns)
        return;
    if (orma_producer_connect(g.producer) == 0) {
        g.retry_ms = RETRY_MIN_MS;
        g.was_connected = true;
        g.connection++;
        return;
    }
    g.retry_at_ns = orma_clock_monotonic() + g.retry_ms * UINT64_C(1000000);
    g.retry_ms = ORMA_MIN(g.retry_ms * 2, RETRY_MAX_MS);
}

int orma_cabi_system_turn(void)
{
    if (!g.producer)
        return -1;
    connect_if_due();
    if (orma_producer_dispatch(g.producer) < 0) {
        /* The service is gone: it may be back soon, but not by being asked at once. */
        g.retry_ms = RETRY_MIN_MS;
        g.retry_at_ns = orma_clock_monotonic() + RETRY_MIN_MS * UINT64_C(1000000);
    }
    if (g.producer->initialised && g.triggers_num)
        send_kept_triggers();
    if (orma_producer_is_connected(g.producer))
        return orma_producer_timeout_ms(g.producer);
    uint64_t now = orma_clock_monotonic();
    return now >= g.retry_at_ns ? 0 : (int)((g.retry_at_ns - now) / 1000000 + 1);
}

size_t orma_cabi_system_poll(struct pollfd *fds, size_t max)
{
    if (!g.producer || max < 2)
        return g.producer && !fds ? 2 : 0;
    short events = orma_producer_wants_write(g.producer) ? POLLIN | POLLOUT : POLLIN;
    fds[0] = (struct pollfd){.fd = orma_producer_wakeup_fd(g.producer), .events = POLLIN};
    fds[1] = (struct pollfd){.fd = orma_producer_fd(g.producer), .events = events};
    return 2;
}

void orma_cabi_system_report(void)
{
    if (!g.producer || !g.producer->ipc)
        return;
    orma_producer_commit(g.producer);
    (void)orma_ipc_client_drain(g.producer->ipc,
                                LAST_WORDS_MS); /* or the service reads the memory */
}

void orma_cabi_system_after_fork(void)
{
    if (g.producer)
        orma_producer_abandon(g.producer);
    g.producer = NULL;
    g.connection++;
    g.triggers_num = 0;
    for (uint32_t i = 0; i < orma_cabi.types_num; i++) {
        if (orma_cabi.types[i])
            orma_cabi.types[i]->ds = (struct orma_ds){0};
    }
}
