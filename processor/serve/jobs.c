/*
 * A queue with one worker. The lock protects the queue and the output of each job; the worker holds
 * it only to take a job, to append output and to mark it done. When a job has OUT_MAX bytes that
 * the loop has not taken, orma_job_send() waits on `room`, so a slow client slows its query instead
 * of filling the memory. An eventfd wakes the loop: once, however much there is to take.
 */
#include "processor/serve/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/libc.h"
#include "sdk/base/thread.h"

/* A job waits when this much of its output is not fetched. */
#define OUT_MAX ((size_t)1 << 20)
/* Scripts may nest deeply, whatever the limit of the thread that starts us. */
#define STACK_BYTES ((size_t)16 << 20)
/* After a request of this size the memory goes back to the system. */
#define LARGE_BYTES ((size_t)8 << 20)

struct orma_jobs {
    struct orma_rpc *rpc;
    pthread_t thread;
    int wake_fd;
    pthread_mutex_t lock; /* all below, and what jobs.h says of a job */
    pthread_cond_t work;  /* for the worker: the queue, `stop` */
    pthread_cond_t room;  /* for the worker: output was fetched, or is not wanted */
    struct orma_job *first, **last;
    struct orma_job *running;
    bool stop;
    struct orma_buf status;
};

struct orma_job *orma_job_new(void (*run)(struct orma_job *self, struct orma_rpc *rpc))
{
    struct orma_job *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->run = run;
    self->direct_fd = -1;
    return self;
}

void orma_job_free(struct orma_job *self)
{
    if (!self)
        return;
    bool large = self->in.cap > LARGE_BYTES;
    orma_buf_fini(&self->in);
    orma_buf_fini(&self->out);
    orma_buf_fini(&self->origin);
    orma_rpc_stream_fini(&self->stream);
    free(self);
    if (large)
        orma_libc_trim();
}

static void wake_loop(struct orma_jobs *self)
{
    (void)eventfd_write(self->wake_fd, 1); /* full: it is readable already */
}

bool orma_job_send(struct orma_job *self, const void *data, size_t len)
{
    const struct orma_str part = {data, len};

    return orma_job_send_parts(self, &part, 1);
}

static bool send_directly(int fd, const struct orma_str *parts, size_t num)
{
    bool good = true;

    for (size_t i = 0; good && i < num; i++)
        good = orma_fd_write_all(fd, parts[i].data, parts[i].len) == 0;
    return good;
}

bool orma_job_send_parts(struct orma_job *self, const struct orma_str *parts, size_t num)
{
    struct orma_jobs *jobs = self->jobs;

    pthread_mutex_lock(&jobs->lock);
    while (!self->cancelled && self->out.len > OUT_MAX) {
        self->blocked = true;
        pthread_cond_wait(&jobs->room, &jobs->lock);
    }
    self->blocked = false;
    bool good = !self->cancelled, first = !self->out.len;
    for (size_t i = 0; good && self->direct_fd < 0 && i < num; i++)
        orma_buf_put(&self->out, parts[i].data, parts[i].len);
    good &= !self->out.failed;
    pthread_mutex_unlock(&jobs->lock);
    if (good && self->direct_fd >= 0)
        return send_directly(self->direct_fd, parts, num);
    if (good && first)
        wake_loop(jobs);
    return good;
}

/* ---- the worker ---- */

static uint64_t now_ms(void)
{
    return orma_clock_monotonic() / 1000000;
}

/* NULL: the end. *ret_wanted: somebody waits for it. */
static struct orma_job *next_job(struct orma_jobs *self, bool *ret_wanted)
{
    pthread_mutex_lock(&self->lock);
    while (!self->first && !self->stop)
        pthread_cond_wait(&self->work, &self->lock);
    struct orma_job *job = self->first;
    if (job) {
        self->first = job->next;
        if (!self->first)
            self->last = &self->first;
        self->running = job;
        job->since_ms = now_ms();
        *ret_wanted = !job->cancelled;
    }
    pthread_mutex_unlock(&self->lock);
    return job;
}

static void keep_status(struct orma_jobs *self)
{
    struct orma_buf status = {0};

    orma_rpc_status(self->rpc, &status);
    pthread_mutex_lock(&self->lock);
    struct orma_buf old = self->status;
    self->status = status;
    pthread_mutex_unlock(&self->lock);
    orma_buf_fini(&old);
}

static void finish(struct orma_jobs *self, struct orma_job *job)
{
    keep_status(self);
    pthread_mutex_lock(&self->lock);
    self->running = NULL;
    job->done = true;
    bool unwanted = job->cancelled;
    pthread_mutex_unlock(&self->lock);
    if (unwanted)
        orma_job_free(job);
    wake_loop(self);
}

static void *work(void *data)
{
    struct orma_jobs *self = data;
    struct orma_job *job;
    bool wanted = false;

    while ((job = next_job(self, &wanted))) {
        if (wanted) /* if it is cancelled just now, orma_jobs_tick() tells it again */
            job->run(job, self->rpc);
        finish(self, job);
    }
    return NULL;
}

/* ---- the loop's side ---- */

int orma_jobs_new(struct orma_rpc *rpc, struct orma_jobs **ret)
{
    struct orma_jobs *self = calloc(1, sizeof(*self));
    pthread_attr_t attr;

    if (!self)
        return -ENOMEM;
    self->rpc = rpc;
    self->last = &self->first;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->work, NULL);
    pthread_cond_init(&self->room, NULL);
    orma_rpc_status(rpc, &self->status);
    self->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int r = self->wake_fd < 0 ? -errno : -pthread_attr_init(&attr);
    if (!r) {
        (void)pthread_attr_setstacksize(&attr, STACK_BYTES); /* a smaller one works, too */
        r = orma_thread_start(&self->thread, &attr, work, self);
        pthread_attr_destroy(&attr);
    }
    if (r)
        orma_jobs_free(self);
    else
        *ret = self;
    return r;
}

/* The lock is held. */
static void interrupt_unwanted(struct orma_jobs *self)
{
    if (self->running && (self->running->cancelled || self->running->gives_way))
        orma_rpc_interrupt(self->rpc);
}

/* The lock is held. */
static void look_who_gives_way(struct orma_jobs *self)
{
    struct orma_job *job = self->running;
    uint64_t now = now_ms();

    if (job && !job->favoured && self->first && self->first->favoured && !self->first->cancelled &&
        now - job->since_ms > ORMA_JOBS_GIVE_WAY_MS &&
        now - self->first->since_ms > ORMA_JOBS_GIVE_WAY_MS)
        job->gives_way = true;
}

bool orma_jobs_stop(struct orma_jobs *self, unsigned wait_ms)
{
    struct timespec step = {0};
    bool ended = false;

    pthread_mutex_lock(&self->lock);
    self->stop = true;
    for (struct orma_job *job = self->first; job; job = job->next)
        job->cancelled = true;
    if (self->running)
        self->running->cancelled = true;
    pthread_cond_broadcast(&self->work);
    pthread_cond_broadcast(&self->room);
    pthread_mutex_unlock(&self->lock);
    for (unsigned waited = 0; !ended && waited <= wait_ms; waited += 20) {
        orma_jobs_tick(self);
        (void)clock_gettime(CLOCK_REALTIME, &step); /* that is what the next call wants */
        step.tv_nsec += 20 * 1000 * 1000;
        step.tv_sec += step.tv_nsec / 1000000000;
        step.tv_nsec %= 1000000000;
        ended = pthread_timedjoin_np(self->thread, NULL, &step) == 0;
    }
    return ended;
}

void orma_jobs_free(struct orma_jobs *self)
{
    if (!self)
        return;
    orma_fd_close(&self->wake_fd);
    orma_buf_fini(&self->status);
    pthread_cond_destroy(&self->room);
    pthread_cond_destroy(&self->work);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

int orma_jobs_wake_fd(const struct orma_jobs *self)
{
    return self->wake_fd;
}

void orma_jobs_woken(struct orma_jobs *self)
{
    eventfd_t unused;

    (void)eventfd_read(self->wake_fd, &unused); /* empty is fine */
}

void orma_jobs_add(struct orma_jobs *self, struct orma_job *job)
{
    job->jobs = self;
    job->since_ms = now_ms();
    pthread_mutex_lock(&self->lock);
    struct orma_job **at = &self->first;
    while (*at && (!job->favoured || (*at)->favoured))
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    if (!job->next)
        self->last = &job->next;
    pthread_cond_signal(&self->work);
    pthread_mutex_unlock(&self->lock);
}

void orma_jobs_favour(struct orma_jobs *self, struct orma_job *job)
{
    pthread_mutex_lock(&self->lock);
    job->favoured = true;
    pthread_mutex_unlock(&self->lock);
}

bool orma_jobs_take(struct orma_jobs *self, struct orma_job *job, struct orma_buf *out)
{
    pthread_mutex_lock(&self->lock);
    struct orma_buf got = job->out;
    job->out = (struct orma_buf){0};
    bool done = job->done;
    pthread_cond_signal(&self->room);
    pthread_mutex_unlock(&self->lock);
    if (got.failed)
        out->failed = true;
    else if (!out->len) { /* as it is: no copy of a large answer */
        orma_buf_fini(out);
        *out = got;
        return done;
    }
    orma_buf_put(out, got.data, got.len);
    orma_buf_fini(&got);
    return done;
}

void orma_jobs_cancel(struct orma_jobs *self, struct orma_job *job)
{
    pthread_mutex_lock(&self->lock);
    bool done = job->done;
    job->cancelled = true;
    interrupt_unwanted(self);
    pthread_cond_broadcast(&self->room);
    pthread_mutex_unlock(&self->lock);
    if (done)
        orma_job_free(job);
}

void orma_jobs_tick(struct orma_jobs *self)
{
    pthread_mutex_lock(&self->lock);
    look_who_gives_way(self);
    interrupt_unwanted(self);
    pthread_mutex_unlock(&self->lock);
}

struct orma_jobs_state orma_jobs_look(struct orma_jobs *self)
{
    pthread_mutex_lock(&self->lock);
    struct orma_jobs_state ret = {
        .busy = self->running || self->first,
        .waiting = self->first,
        .blocked = self->running && self->running->blocked ? self->running : NULL,
    };
    pthread_mutex_unlock(&self->lock);
    return ret;
}

void orma_jobs_status(struct orma_jobs *self, struct orma_buf *out)
{
    pthread_mutex_lock(&self->lock);
    orma_buf_put(out, self->status.data, self->status.len);
    pthread_mutex_unlock(&self->lock);
}
