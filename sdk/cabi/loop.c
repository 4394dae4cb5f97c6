/*
 * The library's thread: tasks in the order in which they were posted, then a turn
 * of each part (api.c has their table), then poll().
 *
 * In a child of fork() there is no such thread. Everything is forgotten, and all
 * flags are set, so that the child's first trace point comes here and begins anew
 * (revive()); what was recorded by then was the parent's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/fork.h"
#include "sdk/base/mem.h"
#include "sdk/base/standard.h"
#include "sdk/base/thread.h"
#include "sdk/cabi/cabi.h"

/* Without a pipe to wake it, the loop looks so often. */
#define NO_WAKEUP_MS 20

struct task {
    struct task *next;
    void (*fn)(void *arg);
    void *arg;
};

static struct {
    pthread_mutex_t lock; /* of the tasks; with the guard */
    struct task *first, **end;
    pthread_mutex_t begin_lock;
    _Atomic bool begun;
    _Atomic bool must_revive;
    pthread_t thread;
    int fds[2];
    struct orma_fd_id id;
    struct pollfd *poll;
    size_t poll_cap;
    const struct orma_cabi_part *parts;
    size_t parts_num;
    void (*revival)(void);
} g = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .end = &g.first,
    .begin_lock = PTHREAD_MUTEX_INITIALIZER,
    .fds = {-1, -1},
};

/* ---- waking ---- */

/* Programs close descriptors that are not theirs; then the number may be another file's. */
static bool is_ours(int fd)
{
    return fd >= 0 && orma_fd_is(fd, g.id);
}

static void make_pipe(void)
{
    int fds[2] = {-1, -1};

    if (is_ours(g.fds[0]) && is_ours(g.fds[1]))
        return;
    for (int i = 0; i < 2; i++) {
        if (is_ours(g.fds[i]))
            (void)close(g.fds[i]);
    }
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0) {
        for (int i = 0; i < 2; i++)
            fds[i] = orma_standard_avoid(fds[i]);
    }
    g.id = orma_fd_identify(fds[0]);
    g.fds[0] = fds[0];
    __atomic_store_n(&g.fds[1], fds[1], __ATOMIC_RELEASE);
}

void orma_cabi_wake(void)
{
    int fd = __atomic_load_n(&g.fds[1], __ATOMIC_ACQUIRE);

    /* A full pipe means that the loop has been woken already. */
    if (is_ours(fd) && write(fd, "", 1) < 0)
        return;
}

/* ---- tasks ---- */

bool orma_cabi_has_begun(void)
{
    return atomic_load_explicit(&g.begun, memory_order_acquire);
}

bool orma_cabi_is_ready(void)
{
    (void)orma_fork_check();
    orma_cabi_revive();
    return orma_cabi_has_begun();
}

bool orma_cabi_on_loop(void)
{
    return orma_cabi_has_begun() && pthread_equal(pthread_self(), g.thread);
}

bool orma_cabi_post(void (*fn)(void *arg), void *arg)
{
    ORMA_HUSHED;
    struct task *t = orma_cabi_has_begun() ? orma_mem_new(sizeof(*t)) : NULL;

    if (!t)
        return false;
    t->fn = fn;
    t->arg = arg;
    orma_guard_lock(&g.lock);
    *g.end = t;
    g.end = &t->next;
    orma_guard_unlock(&g.lock);
    orma_cabi_wake();
    return true;
}

static void run_tasks(void)
{
    orma_guard_lock(&g.lock);
    struct task *t = g.first;
    g.first = NULL;
    g.end = &g.first;
    orma_guard_unlock(&g.lock);
    for (struct task *next; t; t = next) {
        next = t->next;
        t->fn(t->arg);
        orma_mem_free(t, sizeof(*t));
    }
}

static bool has_tasks(void)
{
    orma_guard_lock(&g.lock);
    bool has = g.first != NULL;
    orma_guard_unlock(&g.lock);
    return has;
}

/* ---- the loop ---- */

static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* The pipe, then those of the parts. */
static size_t gather(void)
{
    size_t num = 1, wanted = 1;

    for (size_t i = 0; i < g.parts_num; i++)
        wanted += g.parts[i].poll ? g.parts[i].poll(NULL, 0) : 0;
    if (g.poll_cap < wanted) {
        struct pollfd *more = realloc(g.poll, wanted * 2 * sizeof(*more));

        if (more) {
            g.poll = more;
            g.poll_cap = wanted * 2;
        }
    }
    if (!g.poll_cap)
        return 0;
    make_pipe();
    g.poll[0] = (struct pollfd){.fd = g.fds[0], .events = POLLIN};
    for (size_t i = 0; i < g.parts_num; i++)
        num += g.parts[i].poll ? g.parts[i].poll(g.poll + num, g.poll_cap - num) : 0;
    return num;
}

static void wait_for_more(int ms)
{
    size_t num = gather();
    char bytes[256];

    if (g.fds[0] < 0 || !num)
        ms = sooner(ms, NO_WAKEUP_MS);
    if (has_tasks())
        ms = 0;
    (void)poll(g.poll, num, ms); /* whatever came: look */
    while (is_ours(g.fds[0]) && read(g.fds[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
        continue;
}

static void *run(void *arg)
{
    (void)arg;
    for (;;) {
        int ms = -1;

        run_tasks();
        for (size_t i = 0; i < g.parts_num; i++)
            ms = g.parts[i].turn ? sooner(ms, g.parts[i].turn()) : ms;
        wait_for_more(ms);
    }
    return NULL;
}

static void after_fork(void)
{
    bool had = orma_cabi_has_begun();

    g.lock = g.begin_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g.first = NULL;
    g.end = &g.first;
    g.poll = NULL;
    g.poll_cap = 0;
    for (int i = 0; i < 2; i++) {
        if (is_ours(g.fds[i]))
            (void)close(g.fds[i]);
        g.fds[i] = -1;
    }
    atomic_store_explicit(&g.begun, false, memory_order_relaxed);
    for (size_t i = 0; had && i < g.parts_num; i++) {
        if (g.parts[i].after_fork)
            g.parts[i].after_fork();
    }
    atomic_store_explicit(&g.must_revive, had, memory_order_relaxed);
}

static void begin_locked(void)
{
    if (orma_cabi_has_begun())
        return;
    orma_fork_watch(NULL, NULL, after_fork);
    make_pipe();
    if (orma_thread_start(&g.thread, NULL, run, NULL) < 0)
        return;
    (void)pthread_setname_np(g.thread, "TracingMuxer");
    (void)pthread_detach(g.thread);
    atomic_store_explicit(&g.begun, true, memory_order_release);
}

void orma_cabi_begin(const struct orma_cabi_part *parts, size_t num, void (*revival)(void))
{
    ORMA_HUSHED;

    orma_cabi_revive();
    pthread_mutex_lock(&g.begin_lock);
    if (!orma_cabi_has_begun()) {
        g.parts = parts;
        g.parts_num = num;
        g.revival = revival;
        begin_locked();
    }
    pthread_mutex_unlock(&g.begin_lock);
}

void orma_cabi_revive(void)
{
    if (atomic_load_explicit(&g.must_revive, memory_order_relaxed) &&
        atomic_exchange_explicit(&g.must_revive, false, memory_order_acq_rel)) {
        pthread_mutex_lock(&g.begin_lock);
        begin_locked();
        pthread_mutex_unlock(&g.begin_lock);
        g.revival();
    }
}
