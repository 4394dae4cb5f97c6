/*
 * The loop: connect if it is time, run tasks, the owner's turn, poll, dispatch.
 *
 * Tasks are a list, newest first, that the thread takes as a whole and reverses.
 * They live on the stack of the waiting caller; only those with a deadline are
 * allocated, and whoever leaves last (the thread, or the caller that gave up)
 * frees them. The thread frees the producer, too, when it ends.
 */
#include "sdk/transport/thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sdk/base/clock.h"
#include "sdk/base/cond.h"
#include "sdk/base/thread.h"

/* A failing connect to a local socket costs microseconds: begin impatiently, end politely. */
#define RETRY_MIN_MS 100
#define RETRY_MAX_MS 5000
/* So much later than its time, a flush is left to itself: it may have ended at its time. */
#define GRACE_MS 50

struct task {
    struct task *next;
    orma_producer_task_fn fn;
    void *ctx;
    bool done;
    bool abandoned; /* its owner no longer waits: whoever runs it frees it */
};

struct orma_producer_thread {
    struct orma_producer *producer; /* the thread's */
    pthread_t thread;
    pthread_mutex_t lock; /* of `tasks`, their `done`, `quit` */
    pthread_cond_t done;
    struct task *tasks; /* newest first */
    bool quit;
    orma_producer_turn_fn turn;
    void *turn_ctx;

    /* the thread's */
    int retry_ms;
    uint64_t retry_at_ns;
    int refused; /* why the last connect failed; 0: it did not */
};

static void connect_if_due(struct orma_producer_thread *self)
{
    if (orma_producer_is_connected(self->producer) || orma_clock_monotonic() < self->retry_at_ns)
        return;
    self->refused = orma_producer_connect(self->producer);
    if (self->refused == 0) {
        self->retry_ms = RETRY_MIN_MS;
        return;
    }
    self->retry_at_ns = orma_clock_monotonic() + (uint64_t)self->retry_ms * 1000000;
    self->retry_ms = ORMA_MIN(self->retry_ms * 2, RETRY_MAX_MS);
}

static int connection_timeout_ms(const struct orma_producer_thread *self)
{
    if (orma_producer_is_connected(self->producer))
        return orma_producer_timeout_ms(self->producer);
    uint64_t now = orma_clock_monotonic();
    return now >= self->retry_at_ns ? 0 : (int)((self->retry_at_ns - now) / 1000000 + 1);
}

/* Tasks and turns may dispatch, and with that take the wake-up of what came meanwhile. */
static bool has_more(struct orma_producer_thread *self)
{
    pthread_mutex_lock(&self->lock);
    bool ret = self->tasks || self->quit;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

static int timeout_ms(struct orma_producer_thread *self, int turn_ms)
{
    int ms = connection_timeout_ms(self);

    if (has_more(self))
        return 0;
    return ms < 0 || (turn_ms >= 0 && turn_ms < ms) ? turn_ms : ms;
}

static bool run_tasks(struct orma_producer_thread *self)
{
    struct task *list = NULL;

    pthread_mutex_lock(&self->lock);
    for (struct task *t = self->tasks, *next; t; t = next) { /* oldest first */
        next = t->next;
        t->next = list;
        list = t;
    }
    self->tasks = NULL;
    bool quit = self->quit;
    pthread_mutex_unlock(&self->lock);
    for (struct task *t = list, *next; t; t = next) {
        next = t->next;
        t->fn(t->ctx, self->producer);
        pthread_mutex_lock(&self->lock);
        t->done = true; /* from here on it is its owner's again */
        bool abandoned = t->abandoned;
        pthread_cond_broadcast(&self->done);
        pthread_mutex_unlock(&self->lock);
        if (abandoned)
            free(t);
    }
    return !quit;
}

static void *run(void *arg)
{
    struct orma_producer_thread *self = arg;

    for (;;) {
        connect_if_due(self); /* before the tasks: the first of them finds out whether it can */
        if (!run_tasks(self))
            break;
        int turn_ms = self->turn ? self->turn(self->turn_ctx, self->producer) : -1;
        short events = orma_producer_wants_write(self->producer) ? POLLIN | POLLOUT : POLLIN;
        struct pollfd fds[2] = {
            {.fd = orma_producer_wakeup_fd(self->producer), .events = POLLIN},
            {.fd = orma_producer_fd(self->producer), .events = events}, /* -1 is skipped */
        };
        (void)poll(fds, ORMA_ARRAY_LEN(fds), timeout_ms(self, turn_ms)); /* whatever came: look */
        if (orma_producer_dispatch(self->producer) < 0) {
            /* The service is gone: it may be back soon, but not by being asked at once. */
            self->retry_ms = RETRY_MIN_MS;
            self->retry_at_ns = orma_clock_monotonic() + RETRY_MIN_MS * UINT64_C(1000000);
        }
    }
    orma_producer_free(self->producer);
    return NULL;
}

int orma_producer_thread_new(struct orma_producer *producer, orma_producer_turn_fn turn, void *ctx,
                             struct orma_producer_thread **ret)
{
    struct orma_producer_thread *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->producer = producer;
    self->turn = turn;
    self->turn_ctx = ctx;
    self->retry_ms = RETRY_MIN_MS;
    pthread_mutex_init(&self->lock, NULL);
    orma_cond_init(&self->done);
    int r = orma_thread_start(&self->thread, NULL, run, self);
    if (r < 0) {
        pthread_cond_destroy(&self->done);
        pthread_mutex_destroy(&self->lock);
        free(self);
        return r;
    }
    pthread_setname_np(self->thread, "orma");
    *ret = self;
    return 0;
}

void orma_producer_thread_free(struct orma_producer_thread *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->quit = true;
    orma_producer_wakeup(self->producer); /* under the lock: it frees the producer after this */
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    pthread_cond_destroy(&self->done);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

void orma_producer_thread_abandon(struct orma_producer_thread *self)
{
    /* The parent's end of the connection would outlive the parent in us. */
    orma_producer_abandon(self->producer);
}

void orma_producer_thread_call(struct orma_producer_thread *self, orma_producer_task_fn fn,
                               void *ctx)
{
    struct task task = {.fn = fn, .ctx = ctx};

    if (pthread_equal(pthread_self(), self->thread)) {
        fn(ctx, self->producer);
        return;
    }
    pthread_mutex_lock(&self->lock);
    task.next = self->tasks;
    self->tasks = &task;
    orma_producer_wakeup(self->producer);
    while (!task.done)
        pthread_cond_wait(&self->done, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

/* Takes the task, whose memory is malloc()'s. False: it was not done in time, and frees itself. */
static bool run_within(struct orma_producer_thread *self, struct task *task, int timeout_ms_)
{
    struct timespec end = orma_cond_in_ms((uint64_t)ORMA_MAX(timeout_ms_, 0));
    int r = 0;

    pthread_mutex_lock(&self->lock);
    task->next = self->tasks;
    self->tasks = task;
    orma_producer_wakeup(self->producer);
    while (!task->done && r == 0)
        r = pthread_cond_timedwait(&self->done, &self->lock, &end);
    bool done = task->done;
    task->abandoned = !done;
    pthread_mutex_unlock(&self->lock);
    return done;
}

struct flush {
    struct task task; /* first: freed with it */
    orma_producer_task_fn fn;
    uint64_t end_ns;
    int result;
};

static void flush_task(void *ctx, struct orma_producer *producer)
{
    struct flush *f = ctx;

    f->fn(NULL, producer);
    uint64_t now = orma_clock_monotonic();
    f->result =
        orma_producer_sync(producer, now < f->end_ns ? (int)((f->end_ns - now) / 1000000 + 1) : 0);
}

int orma_producer_thread_flush(struct orma_producer_thread *self, orma_producer_task_fn fn,
                               int timeout_ms_)
{
    struct flush *f = calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    f->task.fn = flush_task;
    f->task.ctx = f;
    f->fn = fn;
    f->end_ns = orma_clock_monotonic() + (uint64_t)ORMA_MAX(timeout_ms_, 0) * 1000000;
    if (pthread_equal(pthread_self(), self->thread)) {
        flush_task(f, self->producer);
    } else if (!run_within(self, &f->task, timeout_ms_ + GRACE_MS)) {
        return -ETIMEDOUT;
    }
    int r = f->result;
    free(f);
    return r;
}

struct sync {
    struct orma_producer_thread *thread;
    int timeout_ms;
    int result;
};

static void sync_task(void *ctx, struct orma_producer *producer)
{
    struct sync *s = ctx;

    s->result = orma_producer_sync(producer, s->timeout_ms);
    if (s->result == -ENOTCONN && s->thread->refused)
        s->result = s->thread->refused;
}

int orma_producer_thread_sync(struct orma_producer_thread *self, int timeout_ms_)
{
    struct sync s = {self, timeout_ms_, 0};

    orma_producer_thread_call(self, sync_task, &s);
    return s.result;
}
