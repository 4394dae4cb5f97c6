/*
 * One lock guards all of it but `next`; pieces take long enough (a tenth of a millisecond) for
 * that.
 *
 *   piece:  free ──claim──► being made ──done──► made ──take──► taken
 *
 * `begun` counts claims, `taken` those that were taken; `states` has what lies between. A worker
 * that finds no piece looks for a while before it sleeps: the next job of the same query mostly
 * follows at once, and to wake a thread costs more than to look.
 */
#include "processor/threads/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/cond.h"
#include "sdk/base/defs.h"
#include "sdk/base/plain_locale.h"
#include "sdk/base/str.h"
#include "sdk/base/thread.h"

/* Some ten microseconds: about what it takes to be woken. */
#define SPINS 400
/* What a thread needs that loads or queries, twice. */
#define STACK_BYTES ((size_t)1 << 20)

enum state { FREE, BEING_MADE, MADE };

struct worker {
    struct orma_crew *crew;
    pthread_t thread;
};

struct orma_crew {
    unsigned threads; /* the caller's included */
    unsigned started; /* others that run */
    bool cannot_start;
    pid_t pid; /* whose threads they are */
    bool busy; /* a job runs; of the caller's thread and those that it waits for */
    struct worker workers[ORMA_CREW_THREADS_MAX - 1];
    /* How often a job began, or that there is nothing more; looked at without the lock. */
    _Atomic unsigned calls;
    pthread_mutex_t lock;
    pthread_cond_t called, made; /* workers, the caller wait for these */
    /* Below the lock: */
    bool stop;
    const struct orma_crew_job *job; /* NULL: none */
    uint8_t *states;                 /* of pieces [taken, taken + room), by number modulo `room` */
    size_t room;
    size_t begun, taken;
    size_t end;       /* pieces from here on are not begun: one before failed */
    unsigned working; /* workers that make a piece */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* ---- pieces; the lock is held ---- */

static bool may_claim(const struct orma_crew *self)
{
    return self->job && self->begun < self->end && self->begun - self->taken < self->room;
}

/* Makes a piece, without the lock meanwhile. */
static void make_next(struct orma_crew *self, unsigned thread)
{
    const struct orma_crew_job *job = self->job;
    const size_t piece = self->begun++;

    self->states[piece % self->room] = BEING_MADE;
    pthread_mutex_unlock(&self->lock);
    ORMA_TESTPOINT("piece claimed");
    const bool ok = job->work(job->data, piece, thread);
    ORMA_TESTPOINT("piece made");
    pthread_mutex_lock(&self->lock);
    self->states[piece % self->room] = MADE;
    if (!ok && piece < self->end)
        self->end = piece;
}

/* ---- workers ---- */

static void *worker_main(void *arg)
{
    struct worker *me = arg;
    struct orma_crew *self = me->crew;
    const unsigned thread = (unsigned)(me - self->workers) + 1;

    (void)orma_plain_locale_set(); /* for as long as it lives: it is ours */
    pthread_mutex_lock(&self->lock);
    while (!self->stop) {
        if (may_claim(self)) {
            self->working++;
            make_next(self, thread);
            self->working--;
            pthread_cond_signal(&self->made);
            continue;
        }
        const unsigned calls = atomic_load_explicit(&self->calls, memory_order_relaxed);
        pthread_mutex_unlock(&self->lock);
        /* Relaxed: what follows is looked at below the lock. */
        for (unsigned i = 0;
             i < SPINS && atomic_load_explicit(&self->calls, memory_order_relaxed) == calls; i++)
            relax();
        pthread_mutex_lock(&self->lock);
        if (!self->stop && !may_claim(self) &&
            atomic_load_explicit(&self->calls, memory_order_relaxed) == calls)
            pthread_cond_wait(&self->called, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* There is something to do, or no longer. The lock is held. */
static void call(struct orma_crew *self)
{
    atomic_fetch_add_explicit(&self->calls, 1, memory_order_relaxed);
    pthread_cond_broadcast(&self->called);
}

/* Fewer threads are no error: the work gets done. */
static void start(struct orma_crew *self, size_t wanted)
{
    pthread_attr_t attr;

    wanted = ORMA_MIN(wanted, (size_t)self->threads - 1);
    if (self->started >= wanted || self->cannot_start || pthread_attr_init(&attr))
        return;
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES); /* the usual size works, too */
    while (self->started < wanted && !self->cannot_start) {
        struct worker *w = &self->workers[self->started];

        w->crew = self;
        if (orma_thread_start(&w->thread, &attr, worker_main, w) < 0)
            self->cannot_start = true;
        else
            self->started++;
    }
    (void)pthread_attr_destroy(&attr); /* cannot fail */
}

/* ---- the caller ---- */

static bool run_alone(const struct orma_crew_job *job)
{
    for (size_t i = 0; i < job->pieces; i++)
        if (!job->work(job->data, i, 0) || (job->take && !job->take(job->data, i)))
            return false;
    return true;
}

/* Takes a piece that is made, without the lock meanwhile. */
static void take_next(struct orma_crew *self)
{
    const struct orma_crew_job *job = self->job;
    const size_t piece = self->taken;
    bool ok = true;

    if (job->take) {
        pthread_mutex_unlock(&self->lock);
        ok = job->take(job->data, piece);
        pthread_mutex_lock(&self->lock);
    }
    if (!ok)
        self->end = ORMA_MIN(self->end, piece);
    self->states[piece % self->room] = FREE;
    const bool was_full = self->begun - self->taken == self->room;
    self->taken++;
    if (was_full && may_claim(self))
        call(self);
}

/* The lock is held, but for the call. */
static void wait_for_others(struct orma_crew *self)
{
    const struct orma_crew_job *job = self->job;
    struct timespec until;

    if (!job->wait) {
        pthread_cond_wait(&self->made, &self->lock);
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &until); /* cannot fail */
    until.tv_nsec += ORMA_CREW_WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (pthread_cond_timedwait(&self->made, &self->lock, &until) != ETIMEDOUT)
        return;
    pthread_mutex_unlock(&self->lock);
    job->wait(job->data);
    pthread_mutex_lock(&self->lock);
}

/* The lock is held. Takes, makes, waits until nothing is left. */
static void take_part(struct orma_crew *self)
{
    for (;;) {
        if (self->taken < self->end && self->taken < self->begun &&
            self->states[self->taken % self->room] == MADE)
            take_next(self);
        else if (may_claim(self))
            make_next(self, 0);
        else if (self->taken >= self->end && !self->working)
            return;
        else
            wait_for_others(self);
    }
}

static bool run_together(struct orma_crew *self, const struct orma_crew_job *job, uint8_t *states,
                         size_t room)
{
    self->busy = true;
    pthread_mutex_lock(&self->lock);
    self->job = job;
    self->states = states;
    self->room = room;
    self->begun = self->taken = 0;
    self->end = job->pieces;
    call(self);
    take_part(self);
    const bool ok = self->end == job->pieces;
    self->job = NULL;
    self->states = NULL;
    pthread_mutex_unlock(&self->lock);
    self->busy = false;
    return ok;
}

bool orma_crew_run(struct orma_crew *self, const struct orma_crew_job *job)
{
    if (!self || self->threads == 1 || job->pieces < 2 || self->busy || self->pid != getpid())
        return run_alone(job);
    start(self, job->pieces - 1);
    const size_t room = job->ahead ? ORMA_MIN(job->ahead, job->pieces) : job->pieces;
    uint8_t *states = self->started ? calloc(room, 1) : NULL;
    const bool ok = states ? run_together(self, job, states, room) : run_alone(job);

    free(states);
    return ok;
}

unsigned orma_crew_threads(const struct orma_crew *self)
{
    return self ? self->threads : 1;
}

struct orma_crew *orma_crew_new(unsigned threads)
{
    struct orma_crew *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->threads = ORMA_MAX(1u, ORMA_MIN(threads, ORMA_CREW_THREADS_MAX));
    self->pid = getpid();
    (void)pthread_mutex_init(&self->lock, NULL); /* these cannot fail on Linux */
    (void)pthread_cond_init(&self->called, NULL);
    orma_cond_init(&self->made);
    return self;
}

void orma_crew_free(struct orma_crew *self)
{
    if (!self)
        return;
    if (self->pid != getpid()) { /* the threads wait for ever, somewhere else */
        free(self);
        return;
    }
    if (self->started) {
        pthread_mutex_lock(&self->lock);
        self->stop = true;
        call(self);
        pthread_mutex_unlock(&self->lock);
        for (unsigned i = 0; i < self->started; i++)
            (void)pthread_join(self->workers[i].thread, NULL); /* nobody else joins it */
    }
    pthread_cond_destroy(&self->made);
    pthread_cond_destroy(&self->called);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* ---- how many ---- */

bool orma_crew_parse(const char *text, unsigned *ret)
{
    uint64_t num;

    if (!orma_str_to_u64(orma_str_from(text), &num) || !num || num > ORMA_CREW_THREADS_MAX)
        return false;
    *ret = (unsigned)num;
    return true;
}

unsigned orma_crew_from_environment(void)
{
    const char *text = getenv(ORMA_CREW_VARIABLE);
    unsigned num = 0;

    return text && orma_crew_parse(text, &num) ? num : 0;
}
