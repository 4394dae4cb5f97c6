/*
 * Startup tracing is a pool of private memory with a session of track events in it,
 * and nobody who drains it. It ends in one of these ways:
 *
 *   a session of the service starts        take_over(): from one event to the next the
 *       threads write into the service's memory; then the pool is drained, and each
 *       sequence is written on as a sequence there, with its losses. A session that hides
 *       names or annotations may not see it: there, each packet counts as lost
 *   nobody comes in time, or at exit       give_up(): all is freed
 *
 * If a thread stands still inside an event, the memory it may write to stays, and what
 * was kept counts as lost.
 */
#include "sdk/tracing/startup.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "orma/tracing.h"
#include "protos/fields/config.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/transport/pool_drain.h"
#include "sdk/wire/pb_writer.h"

#define BUFFER_KB_DEFAULT 1024u
#define BUFFER_KB_MAX (ORMA_SHM_SIZE_MAX >> 10)
#define BUFFER_KB_MIN 64u
#define POOL_PAGE 4096u
#define WAIT_MS_DEFAULT 10000u
#define TARGET 1u

static struct {
    pthread_mutex_t lock;
    struct orma_te_session *session; /* NULL: nothing is kept */
    struct orma_pool *pool;
    uint64_t end_ns; /* CLOCK_MONOTONIC */
    _Atomic bool waits;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wake(void *ctx)
{
    (void)ctx; /* nobody drains until there is somewhere to drain to */
}

static const struct orma_pool_ops pool_ops = {.wake = wake};

static void unmap(void *base, size_t size)
{
    munmap(base, size);
}

static int make_pool(uint32_t kb, struct orma_pool **ret)
{
    size_t size = (size_t)kb * 1024 / POOL_PAGE * POOL_PAGE;
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return -errno;
    int r = orma_pool_new(base, size, POOL_PAGE, unmap, &pool_ops, NULL, ret);
    if (r < 0)
        munmap(base, size);
    return r;
}

/* With the lock. */
static int begin(const struct orma_startup_args *args)
{
    struct orma_buf config = {0};
    struct orma_pool *pool;
    int r = make_pool(args->buffer_kb ? args->buffer_kb : BUFFER_KB_DEFAULT, &pool);

    if (r < 0)
        return r;
    orma_te_config_put_patterns(&config, args->categories);
    orma_tsc_check(!orma_te.no_tsc);
    r = config.failed ? -ENOMEM
                      : orma_te_session_new(orma_buf_str(&config), pool, TARGET, ORMA_POLICY_DROP,
                                            0, &g.session);
    orma_buf_fini(&config);
    if (r < 0) {
        orma_pool_close(pool);
        orma_pool_unref(pool);
        return r;
    }
    g.pool = pool;
    g.end_ns = orma_clock_monotonic() +
               (args->wait_ms ? args->wait_ms : WAIT_MS_DEFAULT) * UINT64_C(1000000);
    atomic_store_explicit(&g.waits, true, memory_order_relaxed);
    return 0;
}

/* What the parent kept is the parent's. */
static void after_fork(void)
{
    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g.session = NULL;
    g.pool = NULL;
    atomic_store_explicit(&g.waits, false, memory_order_relaxed);
}

int orma_startup_tracing(const struct orma_startup_args *args)
{
    ORMA_HUSHED;
    struct orma_startup_args full = ORMA_STARTUP_ARGS;

    if (args && args->struct_size < offsetof(struct orma_startup_args, categories))
        return -EINVAL;
    if (args)
        memcpy(&full, args, ORMA_MIN(args->struct_size, sizeof(full)));
    if (full.buffer_kb && (full.buffer_kb < BUFFER_KB_MIN || full.buffer_kb > BUFFER_KB_MAX))
        return -EINVAL;
    orma_fork_watch(NULL, NULL, after_fork);
    pthread_mutex_lock(&g.lock);
    int r = g.session ? -EALREADY : begin(&full);
    pthread_mutex_unlock(&g.lock);
    return r;
}

/* ---- taking over ---- */

/* The kept sequences as writers of the service's session. */
struct transfer {
    const struct orma_te_session *session;
    struct orma_map writers; /* writer id -> struct orma_writer */
    uint64_t accounted;      /* packets that a writer got, or counted as lost */
};

/* NULL: none is to be had. */
static struct orma_writer *writer_of(struct transfer *t, uint16_t id)
{
    struct orma_writer *w = orma_map_get_ptr(&t->writers, id);

    /* STALL_THEN_DROP: there may be more than the memory takes at once; the service drains it. */
    if (w || orma_writer_new_in_pool(t->session->pool, t->session->target_buffer,
                                     ORMA_POLICY_STALL_THEN_DROP, &w) < 0)
        return w;
    if (orma_map_put_ptr(&t->writers, id, w) < 0) {
        orma_writer_free(w);
        return NULL;
    }
    return w;
}

static void forward(void *ctx, uint16_t writer_id, const void *packet, size_t len)
{
    struct transfer *t = ctx;
    struct orma_writer *w = writer_of(t, writer_id);

    if (!w)
        return;
    (void)orma_writer_put(w, packet, len); /* it counts what it loses */
    t->accounted++;
}

static void forward_loss(void *ctx, uint16_t writer_id, uint64_t lost)
{
    struct transfer *t = ctx;
    struct orma_writer *w = lost ? writer_of(t, writer_id) : NULL;

    for (; w && lost; lost--, t->accounted++)
        orma_writer_count_drop(w, ORMA_DROP_NO_CHUNK);
}

/* Packets, with those that a sequence lost. */
static uint64_t forward_all(const struct orma_te_session *session)
{
    struct transfer t = {.session = session};
    struct orma_pool_drain drain;
    uint64_t emitted, dropped;

    orma_pool_drain_init(&drain, g.pool);
    drain.sink = forward;
    drain.sink_ctx = &t;
    orma_pool_drain_all(&drain);
    orma_pool_drain_counts(&drain, &emitted, &dropped);
    orma_pool_drain_each_loss(&drain, forward_loss, &t);
    ORMA_MAP_EACH (slot, &t.writers)
        orma_writer_free((struct orma_writer *)(uintptr_t)slot->val);
    orma_map_fini(&t.writers);
    orma_pool_drain_fini(&drain);
    return t.accounted;
}

static void add_emitted(void *ctx, struct orma_pool_slot *slot,
                        const struct orma_writer_counts *counts)
{
    (void)slot;
    *(uint64_t *)ctx += counts->emitted;
}

/*
 * With the lock: the session gets what was kept, if it may see it. Whatever was emitted and is not
 * in one of its sequences then, is lost to it.
 */
static void hand_over(struct orma_te_session *session, bool visible)
{
    uint64_t emitted = 0;

    orma_pool_each_slot(g.pool, false, add_emitted, &emitted);
    uint64_t accounted = visible ? forward_all(session) : 0;
    if (emitted > accounted)
        orma_te_session_lose(session, emitted - accounted);
}

/* With the lock; the session is gone. */
static void end(void)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock) && g.pool);
    orma_pool_close(g.pool);
    orma_pool_unref(g.pool);
    g.pool = NULL;
    g.session = NULL;
    atomic_store_explicit(&g.waits, false, memory_order_relaxed);
}

/* With the lock. */
static void give_up(void)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock) && g.session);
    /* -ETIMEDOUT: a thread stands still inside an event; then all of it stays. */
    if (orma_te_session_free(g.session) == 0)
        end();
    g.session = NULL;
    atomic_store_explicit(&g.waits, false, memory_order_relaxed);
}

/* Who wants less than what was kept gets nothing of it. */
static bool may_see(const struct orma_te_session *session)
{
    return !session->config.filter_annotations && !session->config.filter_dynamic_names;
}

/*
 * With the lock. Even a session that may not see what was kept takes its place: between the end of
 * one and the begin of the other, events would be in neither, and nobody would know of them.
 */
static int take_over(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                     enum orma_policy policy, struct orma_te_session **ret)
{
    int r = orma_te_session_replace(g.session, config, pool, target_buffer, policy, ret);

    if (r == 0) {
        hand_over(*ret, may_see(*ret));
        end();
    } else if (r == -ETIMEDOUT) {
        /* A thread stands still inside an event. The rest goes over to a session beside the old
         * one, which then ends: an event between the two is recorded, and counted as lost. */
        r = orma_te_session_new(config, pool, target_buffer, policy, 0, ret);
        if (r == 0) {
            hand_over(*ret, false);
            give_up();
        }
    }
    return r;
}

int orma_startup_session(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                         enum orma_policy policy, struct orma_te_session **ret)
{
    /* Held until the session is there: whoever asks for startup tracing now has it either before
     * it, to be taken over, or behind it, when events have somewhere to go. */
    pthread_mutex_lock(&g.lock);
    int r = g.session ? take_over(config, pool, target_buffer, policy, ret)
                      : orma_te_session_new(config, pool, target_buffer, policy, 0, ret);
    pthread_mutex_unlock(&g.lock);
    return r;
}

/* ---- time ---- */

bool orma_startup_waits(void)
{
    /* Relaxed: the lock orders what belongs to it. */
    return atomic_load_explicit(&g.waits, memory_order_relaxed);
}

int orma_startup_due_ms(void)
{
    if (!orma_startup_waits())
        return -1;
    pthread_mutex_lock(&g.lock);
    uint64_t end_ns = g.end_ns, now = orma_clock_monotonic();
    pthread_mutex_unlock(&g.lock);
    return now >= end_ns ? 0 : (int)((end_ns - now) / 1000000 + 1);
}

void orma_startup_cancel(void)
{
    pthread_mutex_lock(&g.lock);
    if (g.session)
        give_up();
    pthread_mutex_unlock(&g.lock);
}

void orma_startup_turn(void)
{
    if (orma_startup_due_ms() == 0)
        orma_startup_cancel();
}
