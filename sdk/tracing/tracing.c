/*
 * Start and end of tracing. g.lock serialises orma_init(), orma_shutdown(), flushes,
 * and the restart in a child.
 *
 *   start:  producer -> track events offered -> data sources offered -> thread
 *   end:    startup tracing handed over -> flush -> listeners removed -> thread ends
 *           (and frees the producer) -> offers forgotten
 *
 * What must run on the loop's thread, such as the end of a session, goes through
 * run_on_loop(). On that thread itself the function is called at once: waiting for
 * g.lock there would deadlock with its holder, who may be waiting for the loop.
 *
 * fork(): the child has no thread. after_fork() closes what was the parent's and,
 * if tracing was on, puts a bit into every category and data source; the first event
 * that meets it calls revive(), which starts again with the same arguments.
 */
#include "orma/tracing.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/events/te.h"
#include "sdk/sources/ds.h"
#include "sdk/tracing/startup.h"
#include "sdk/transport/thread.h"

#define COMMIT_PERIOD_MS 50u
/* orma_init() waits so long for a service that listens; one that is not busy answers in a few ms.
 */
#define CONNECT_WAIT_MS 100u
/* At exit: long enough for a busy service, too short to be a nuisance. */
#define EXIT_SYNC_MS 500
/* The same, where nobody listens. */
#define EXIT_CONNECT_MS 100
#define CONNECT_NAP_NS 2000000
/* After so many events that seem to come in signal handlers, a child believes it no longer. */
#define HANDLERS_MAX 10000u

static struct {
    pthread_mutex_t lock;
    struct orma_producer_thread *thread; /* NULL: not initialised */
    struct orma_init_args args;          /* of `thread`; texts are copies */
    _Atomic bool revive;                 /* a child of a process that had one: start it again */
    sigset_t mask_at_fork;               /* of the child's first thread */
    _Atomic unsigned handlers_seen;      /* events since then that seemed to be in handlers */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int left_ms(uint64_t end_ns)
{
    uint64_t now = orma_clock_monotonic();

    return now >= end_ns ? 0 : (int)((end_ns - now) / 1000000 + 1);
}

static __thread bool is_loop_thread __attribute__((tls_model("initial-exec")));

static int turn(void *ctx, struct orma_producer *producer)
{
    (void)ctx;
    is_loop_thread = true;
    orma_te_source_turn(producer);
    orma_ds_turn(producer);
    orma_startup_turn();
    return orma_startup_due_ms();
}

/* They would wake a producer that is going. */
static void forget_listeners(void)
{
    orma_te_set_listener(NULL);
    orma_ds_set_listener(NULL);
}

static void forget_producer(void)
{
    orma_te_source_remove();
    orma_ds_forget_producer();
}

struct run {
    void (*fn)(void *arg);
    void *arg;
};

static void run_task(void *ctx, struct orma_producer *producer)
{
    struct run *r = ctx;

    (void)producer;
    r->fn(r->arg);
}

/* Runs fn(arg) on our thread and waits for it; at once if this is that thread, or if there is none.
 */
static void run_on_loop(void (*fn)(void *arg), void *arg)
{
    ORMA_HUSHED;
    struct run r = {fn, arg};

    if (is_loop_thread) {
        fn(arg);
        return;
    }
    pthread_mutex_lock(&g.lock);
    if (g.thread)
        orma_producer_thread_call(g.thread, run_task, &r);
    else
        fn(arg);
    pthread_mutex_unlock(&g.lock);
}

static int start(const struct orma_init_args *args)
{
    const char *name = args->name ? args->name : program_invocation_name;
    struct orma_producer *producer = NULL;
    struct orma_producer_config config = {
        .name = name,
        .addr = args->socket,
        .shm_size_hint_bytes = args->shm_size_kb * 1024,
        .shm_page_hint_bytes = args->shm_page_kb * 1024,
        .smb_scraping = true,
        .queues = true,
        .commit_delay_ms = args->commit_period_ms ? args->commit_period_ms : COMMIT_PERIOD_MS,
    };

    orma_te.no_tsc = args->no_tsc != 0;
    int r = orma_producer_new(&config, &producer);
    if (r < 0)
        return r;
    r = orma_te_source_add(producer, (enum orma_policy)args->exhausted, orma_startup_session);
    if (r == 0)
        r = orma_ds_offer_all(producer, run_on_loop);
    if (r == 0)
        r = orma_producer_thread_new(producer, turn, NULL, &g.thread);
    if (r < 0) {
        forget_listeners();
        orma_producer_free(producer);
        forget_producer();
    }
    return r;
}

/* For a child to begin with. Without memory for a text, it has the default. */
static void keep_args(const struct orma_init_args *args)
{
    struct orma_init_args old = g.args;

    g.args = *args;
    g.args.name = args->name ? orma_str_dup(orma_str_from(args->name)) : NULL;
    g.args.socket = args->socket ? orma_str_dup(orma_str_from(args->socket)) : NULL;
    free((char *)old.name);
    free((char *)old.socket);
}

/* With g.lock. */
static void stop_waking(void)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock));
    atomic_store_explicit(&g.revive, false, memory_order_relaxed);
    orma_te_forget_wake();
    orma_ds_forget_wake();
}

/*
 * Is this a signal handler? It begins nothing: that takes memory. Nobody can tell for sure;
 * handlers usually block their own signal, so more is blocked than at the fork. Should the child
 * have blocked something for good, then only its first events are missing.
 */
static bool is_in_handler(void)
{
    sigset_t now;

    if (g.handlers_seen >= HANDLERS_MAX || pthread_sigmask(SIG_BLOCK, NULL, &now))
        return false;
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&now, number) == 1 && sigismember(&g.mask_at_fork, number) == 0) {
            g.handlers_seen++;
            return true;
        }
    }
    return false;
}

/* Begins anew in a child, if that is due. */
static void revive(void)
{
    (void)orma_fork_check();
    if (!atomic_load_explicit(&g.revive, memory_order_relaxed))
        return;
    pthread_mutex_lock(&g.lock);
    if (atomic_load_explicit(&g.revive, memory_order_relaxed)) {
        stop_waking();
        (void)start(&g.args); /* without descriptors or memory: no tracing in this process */
    }
    pthread_mutex_unlock(&g.lock);
}

static void revive_by_event(void)
{
    if (atomic_load_explicit(&g.revive, memory_order_relaxed) && !is_in_handler())
        revive();
}

/* Events and sources have forgotten already: they are below, and were registered first. */
static void after_fork(void)
{
    bool had = g.thread || atomic_load_explicit(&g.revive, memory_order_relaxed);

    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    is_loop_thread = false;
    g.handlers_seen = 0;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &g.mask_at_fork); /* only asks */
    if (g.thread)
        orma_producer_thread_abandon(g.thread);
    g.thread = NULL;
    atomic_store_explicit(&g.revive, had, memory_order_relaxed);
    if (had) {
        orma_te_wake();
        orma_ds_wake();
    }
}

static void watch_forks(void)
{
    orma_te_watch_forks();
    orma_ds_watch_forks();
    orma_fork_watch(NULL, NULL, after_fork);
    orma_fork_set_revival(revive_by_event);
}

static bool nobody_listens(int error)
{
    return error == -ENOENT || error == -ECONNREFUSED || error == -EPERM || error == -EACCES;
}

/* For a service to answer, and if `appear` for one to be there at all. */
static int wait_connected(int timeout_ms, bool appear)
{
    uint64_t end = orma_clock_monotonic() + (uint64_t)timeout_ms * 1000000;

    for (;;) {
        int r = orma_producer_thread_sync(g.thread, left_ms(end));

        if (r == 0 || (!appear && nobody_listens(r)) || orma_clock_monotonic() >= end)
            return r == 0 ? 0 : -ETIMEDOUT;
        nanosleep(&(struct timespec){.tv_nsec = CONNECT_NAP_NS}, NULL);
    }
}

/* ORMA_CONNECT_WAIT_MS; `otherwise` if it says nothing. */
static uint32_t wait_of_environment(uint32_t otherwise)
{
    const char *text = getenv(ORMA_CONNECT_WAIT_ENV);
    uint64_t ms;

    return text && orma_str_to_u64(orma_str_from(text), &ms) && ms < INT_MAX ? (uint32_t)ms
                                                                             : otherwise;
}

/* With g.lock. Where no program asked for it, that it was in vain is no error. */
static int wait_at_start(uint32_t asked_ms)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock) && g.thread);
    uint32_t ms = wait_of_environment(CONNECT_WAIT_MS);

    if (asked_ms == ORMA_NO_WAIT)
        return 0;
    if (asked_ms)
        return wait_connected((int)ORMA_MIN(asked_ms, (uint32_t)INT_MAX), true);
    if (ms)
        (void)wait_connected((int)ms, false);
    return 0;
}

int orma_init(const struct orma_init_args *args)
{
    ORMA_HUSHED;
    struct orma_init_args full = ORMA_INIT_ARGS;
    static bool at_exit;

    /* What an older caller does not know of stays 0. */
    if (args && args->struct_size < offsetof(struct orma_init_args, name))
        return -EINVAL;
    if (args)
        memcpy(&full, args, ORMA_MIN(args->struct_size, sizeof(full)));
    if (full.exhausted > ORMA_EXHAUSTED_BY_CONFIG)
        return -EINVAL;
    (void)orma_fork_check();
    pthread_mutex_lock(&g.lock);
    watch_forks();
    if (atomic_load_explicit(&g.revive, memory_order_relaxed))
        stop_waking(); /* this is what it waited for */
    int r = g.thread ? -EALREADY : start(&full);
    if (r == 0)
        keep_args(&full);
    if (r == 0 && !at_exit)
        at_exit = atexit(orma_shutdown) == 0 && at_quick_exit(orma_shutdown) == 0;
    if (r == 0)
        r = wait_at_start(full.connect_wait_ms);
    pthread_mutex_unlock(&g.lock);
    return r;
}

static void flush_task(void *ctx, struct orma_producer *producer)
{
    (void)ctx, (void)producer;
    orma_te_source_flush();
    orma_ds_source_flush();
}

static int flush_and_sync(int timeout_ms)
{
    return orma_producer_thread_flush(g.thread, flush_task, timeout_ms);
}

/*
 * A session that runs already is heard of with the first reply after the connection is made: so
 * two round trips decide whether there is one. With g.lock.
 */
static void wait_for_takeover(void)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock) && g.thread);
    uint64_t begin = orma_clock_monotonic();
    unsigned trips = 0;

    while (orma_startup_waits() && trips < 3) {
        uint64_t waited_ms = (orma_clock_monotonic() - begin) / 1000000;
        int r = orma_producer_thread_sync(g.thread, EXIT_SYNC_MS);

        trips += r == 0;
        if (waited_ms >= (r == -ENOTCONN ? EXIT_CONNECT_MS : EXIT_SYNC_MS))
            break;
        if (r < 0)
            nanosleep(&(struct timespec){.tv_nsec = CONNECT_NAP_NS}, NULL);
    }
    orma_startup_cancel();
}

void orma_shutdown(void)
{
    ORMA_HUSHED;
    (void)orma_fork_check();
    pthread_mutex_lock(&g.lock);
    if (g.thread) {
        wait_for_takeover();
        (void)flush_and_sync(EXIT_SYNC_MS); /* without a service there is nobody to wait for */
        forget_listeners();
        orma_producer_thread_free(g.thread);
        g.thread = NULL;
        forget_producer();
    }
    if (atomic_load_explicit(&g.revive, memory_order_relaxed))
        stop_waking();
    pthread_mutex_unlock(&g.lock);
}

int orma_wait_for_session(int timeout_ms)
{
    revive();
    return orma_te_wait_for_session(timeout_ms);
}

static bool lock_until(uint64_t end_ns)
{
    while (pthread_mutex_trylock(&g.lock) != 0) {
        if (orma_clock_monotonic() >= end_ns)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = CONNECT_NAP_NS}, NULL);
    }
    return true;
}

int orma_flush(int timeout_ms)
{
    pthread_testcancel(); /* here; with our locks nobody may be cancelled */
    ORMA_HUSHED;
    uint64_t end_ns = orma_clock_monotonic() + (uint64_t)ORMA_MAX(timeout_ms, 0) * 1000000;

    revive();
    if (!lock_until(end_ns))
        return -ETIMEDOUT; /* others flush, or wait for the service */
    int r = g.thread ? flush_and_sync(left_ms(end_ns)) : -ENOTCONN;
    pthread_mutex_unlock(&g.lock);
    return r;
}

struct trigger {
    const char *name;
    int result;
};

static void trigger_task(void *ctx, struct orma_producer *producer)
{
    struct trigger *t = ctx;

    t->result = orma_producer_trigger(producer, &t->name, 1);
}

int orma_trigger(const char *name)
{
    ORMA_HUSHED;
    struct trigger t = {name, -EAGAIN};

    if (!name)
        return -EINVAL;
    revive();
    pthread_mutex_lock(&g.lock);
    if (g.thread)
        orma_producer_thread_call(g.thread, trigger_task, &t);
    pthread_mutex_unlock(&g.lock);
    return t.result;
}
