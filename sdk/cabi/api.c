/*
 * The beginning: which parts the library has, what is begun, and what concerns all homes.
 */
#include <stdlib.h>
#include <time.h>

#include "sdk/base/clock.h"
#include "sdk/cabi/cabi.h"
#include "sdk/cabi/te.h"

/* So long a program waits at its exit. */
#define EXIT_MS 200

static const struct orma_cabi_part parts[] = {
    {.after_fork = orma_cabi_threads_after_fork},
    {.after_fork = orma_cabi_state_after_fork},
    {.after_fork = orma_cabi_categories_after_fork},
    {.after_fork = orma_cabi_sessions_after_fork},
    {.turn = orma_cabi_service_turn, .after_fork = orma_cabi_service_after_fork},
    {orma_cabi_system_turn, orma_cabi_system_poll, orma_cabi_system_after_fork},
    {orma_cabi_system_sessions_turn, orma_cabi_system_sessions_poll,
     orma_cabi_system_sessions_after_fork},
    {.after_fork = orma_tsc_after_fork},
};

static struct {
    pthread_mutex_t lock;
    /* What has begun, for a child as well. */
    bool has_system, has_service;
    struct orma_cabi_args system_args, service_args;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin_system(void *arg)
{
    struct orma_cabi_type *type;

    (void)arg;
    orma_cabi_system_begin(&g.system_args);
    for (uint32_t i = 0; i < ORMA_CABI_TYPES; i++) {
        if ((type = orma_cabi_type_at(i)))
            orma_cabi_system_add(type);
    }
}

static void begin_service(void *arg)
{
    (void)arg;
    orma_cabi_service_begin(&g.service_args);
}

/* In a child: its flags tell the truth again, and what had begun begins. */
static void revive(void)
{
    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    orma_cabi_categories_revive();
    orma_cabi_te_revive();
    for (uint32_t i = 0; i < ORMA_CABI_TYPES; i++) {
        struct orma_cabi_type *type = orma_cabi_type_at(i);

        if (type)
            atomic_store_explicit(&type->enabled, false, memory_order_relaxed);
    }
    if (g.has_service)
        (void)orma_cabi_post(begin_service, NULL);
    if (g.has_system)
        (void)orma_cabi_post(begin_system, NULL);
}

void *PerfettoProducerBackendInitArgsCreate(void)
{
    return calloc(1, sizeof(struct orma_cabi_args));
}

void PerfettoProducerBackendInitArgsSetShmemSizeHintKb(void *args, uint32_t kb)
{
    if (args)
        ((struct orma_cabi_args *)args)->shm_kb = kb;
}

void PerfettoProducerBackendInitArgsSetMachineId(void *args, uint32_t id)
{
    if (args)
        ((struct orma_cabi_args *)args)->machine_id = id;
}

void PerfettoProducerBackendInitArgsDestroy(void *args)
{
    free(args);
}

static atomic_bool reported;

static void report(void *arg)
{
    (void)arg;
    orma_cabi_system_report();
    atomic_store_explicit(&reported, true, memory_order_release);
}

/* The service takes what the program leaves behind; how much was dropped, only the program knows.
 */
static void at_exit(void)
{
    (void)orma_fork_check();
    orma_cabi_thread_at_exit();
    if (orma_cabi_on_loop() || !g.has_system || !orma_cabi_post(report, NULL))
        return;
    for (int ms = 0; ms < EXIT_MS && !atomic_load_explicit(&reported, memory_order_acquire); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void begin_home(bool *has, struct orma_cabi_args *to, const struct orma_cabi_args *args,
                       void (*begin)(void *arg))
{
    (void)orma_fork_check();
    orma_cabi_begin(parts, ORMA_ARRAY_LEN(parts), revive);
    pthread_mutex_lock(&g.lock);
    bool first = !*has && orma_cabi_has_begun();
    if (first) {
        *has = true;
        *to = args ? *args : (struct orma_cabi_args){0};
        if (has == &g.has_system)
            (void)atexit(at_exit);
    }
    pthread_mutex_unlock(&g.lock);
    if (first)
        (void)orma_cabi_post(begin, NULL);
}

void PerfettoProducerInProcessInit(const void *args)
{
    ORMA_HUSHED;

    begin_home(&g.has_service, &g.service_args, args, begin_service);
}

void PerfettoProducerSystemInit(const void *args)
{
    ORMA_HUSHED;

    begin_home(&g.has_system, &g.system_args, args, begin_system);
}

void *PerfettoTracingSessionInProcessCreate(void)
{
    return orma_cabi_session_new(&orma_cabi_service_session);
}

void *PerfettoTracingSessionSystemCreate(void)
{
    return orma_cabi_session_new(&orma_cabi_system_session);
}

/* ---- triggers ---- */

struct triggers {
    uint64_t until_ns;
    struct orma_buf names;
};

static void trigger(void *arg)
{
    struct triggers *t = arg;

    orma_cabi_service_trigger((char *)t->names.data, t->names.len, t->until_ns);
    orma_cabi_system_trigger((char *)t->names.data, t->names.len, t->until_ns);
    orma_buf_fini(&t->names);
    free(t);
}

void PerfettoProducerActivateTriggers(const char *names[], uint32_t ttl_ms)
{
    ORMA_HUSHED;
    struct triggers *t = calloc(1, sizeof(*t));

    if (!t)
        return;
    (void)orma_cabi_is_ready();
    t->until_ns = orma_clock_monotonic() + ttl_ms * UINT64_C(1000000);
    for (; *names; names++)
        orma_buf_put(&t->names, *names, strlen(*names) + 1);
    if (t->names.failed || !orma_cabi_post(trigger, t)) {
        orma_buf_fini(&t->names);
        free(t);
    }
}
