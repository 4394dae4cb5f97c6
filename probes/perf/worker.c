/*
 * Two buffers a side: one is filled while the other is emptied, and they change places under
 * the lock. Items of the queue are {struct item, bytes}: the record as decoded, and behind it
 * what it points to, 8-byte aligned. Items that come out are {kind, length, packet or mark}.
 */
#include "probes/perf/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/cond.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/thread.h"

#define QUEUE_MAX (64u << 20)
#define KICK_AT (1u << 20) /* so much of the queue is worth waking the worker up */
#define OUT_AT 65536u      /* packets are handed over in pieces of that size */

struct item {
    struct orma_perf_record record; /* its pointers are set when it is taken */
    bool is_mark;
    uint64_t mark;
    size_t chain_bytes, calls_bytes, stack_bytes, text_bytes; /* behind this, in that order */
};

struct out_head {
    uint32_t is_mark, len;
};

struct orma_perf_worker {
    struct orma_perf_encoder *encoder;
    struct orma_perf_rings *rings;
    struct orma_source_sink sink;
    pthread_t thread;
    pthread_mutex_t lock;  /* of what follows, up to the end of the block */
    pthread_cond_t filled; /* or the thread is at its end */
    struct orma_buf queue, out;
    bool ended;
    bool busy;                              /* with what was in the queue, or with a round */
    uint64_t due_ns, period_ns, settled_ns; /* of rounds of its own; period 0: there are none */

    atomic_bool stop;
    struct orma_buf work, made; /* the worker's sides */
    struct orma_buf one;        /* the record that it took out of a ring */
    uint32_t one_cpu;
    uint64_t saves;        /* of the rings, when its queue was empty */
    struct orma_buf taken; /* the loop's side */
    int fd;
    atomic_bool clear; /* written by the loop, taken by the worker */
    uint64_t lost;     /* the loop's: records that found no room, not told yet */
};

/* ---- the thread ---- */

/* A little waits until the loop comes by anyway: to wake it up costs more than to encode it. */
static void hand_over(struct orma_perf_worker *self, bool wake)
{
    const uint64_t one = 1;

    if (!self->made.len)
        return;
    pthread_mutex_lock(&self->lock);
    orma_buf_put(&self->out, self->made.data, self->made.len);
    wake |= self->out.len >= OUT_AT;
    pthread_mutex_unlock(&self->lock);
    orma_buf_clear(&self->made);
    if (wake)
        (void)!write(self->fd, &one, sizeof(one)); /* full: it is readable already */
}

static int put_out(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct orma_perf_worker *self = ORMA_CONTAINER_OF(sink, struct orma_perf_worker, sink);
    const struct out_head head = {.len = (uint32_t)len};

    orma_buf_put(&self->made, &head, sizeof(head));
    orma_buf_put(&self->made, packet, len);
    if (self->made.failed) {
        orma_buf_clear(&self->made);
        return -ENOMEM;
    }
    if (self->made.len >= OUT_AT)
        hand_over(self, true);
    return 0;
}

static void flush_out(struct orma_source_sink *sink)
{
    (void)sink; /* the loop flushes its own */
}

static void put_mark(struct orma_perf_worker *self, uint64_t mark)
{
    const struct out_head head = {.is_mark = 1, .len = sizeof(mark)};

    orma_buf_put(&self->made, &head, sizeof(head));
    orma_buf_put(&self->made, &mark, sizeof(mark));
    hand_over(self, true);
}

static size_t padded(size_t len)
{
    return (len + 7) & ~(size_t)7;
}

static uint8_t *put_padded(uint8_t *to, const void *data, size_t len)
{
    if (len)
        memcpy(to, data, len);
    memset(to + len, 0, padded(len) - len);
    return to + padded(len);
}

static bool append(struct orma_buf *queue, const struct item *item)
{
    const struct orma_perf_record *r = &item->record;
    uint8_t *to =
        orma_buf_extend(queue, padded(sizeof(*item)) + item->chain_bytes + item->calls_bytes +
                                   padded(item->stack_bytes) + padded(item->text_bytes));

    if (!to)
        return false;
    to = put_padded(to, item, sizeof(*item));
    to = put_padded(to, r->chain, item->chain_bytes);
    to = put_padded(to, r->calls, item->calls_bytes);
    to = put_padded(to, r->stack, item->stack_bytes);
    (void)put_padded(to, r->text.data, item->text_bytes);
    return true;
}

static struct item item_of(const struct orma_perf_record *record)
{
    return (struct item){.record = *record,
                         .chain_bytes = record->chain_num * sizeof(*record->chain),
                         .calls_bytes = record->calls_num * ORMA_PERF_CALL_WORDS * sizeof(uint64_t),
                         .stack_bytes = record->stack_len,
                         .text_bytes = record->text.len};
}

/* How long it is. */
static size_t process_record(struct orma_perf_worker *self, const uint8_t *at)
{
    struct item item;

    memcpy(&item, at, sizeof(item));
    const uint8_t *data = at + padded(sizeof(item));
    item.record.chain = (const uint64_t *)(const void *)data;
    data += item.chain_bytes;
    item.record.calls = (const uint64_t *)(const void *)data;
    data += item.calls_bytes;
    item.record.stack = data;
    data += padded(item.stack_bytes);
    item.record.text = (struct orma_str){(const char *)data, item.text_bytes};
    data += padded(item.text_bytes);
    if (atomic_exchange_explicit(&self->clear, false, memory_order_relaxed)) /* a wish, no data */
        orma_perf_encoder_clear(self->encoder);
    orma_perf_encode(self->encoder, &item.record);
    return (size_t)(data - at);
}

/* In memory that stays warm: the kernel gets its room back, the loop may look into the rings. */
static void keep_one(void *ctx, const struct orma_perf_record *record)
{
    struct orma_perf_worker *self = ctx;
    const struct item item = item_of(record);

    orma_buf_clear(&self->one);
    (void)append(&self->one, &item); /* no memory: it stays empty */
    self->one_cpu = record->cpu;
}

static bool stopped(const struct orma_perf_worker *self)
{
    return atomic_load_explicit(&self->stop, memory_order_relaxed);
}

/* Until somebody saves records from it: those come first. */
static void process_round(struct orma_perf_worker *self)
{
    const uint64_t until = orma_perf_rings_now(self->rings) - self->settled_ns;
    struct orma_perf_record lost = {.kind = ORMA_PERF_LOST, .lost = 1};

    while (!stopped(self) &&
           orma_perf_rings_next(self->rings, until, self->saves, keep_one, self)) {
        lost.cpu = self->one_cpu;
        if (self->one.len)
            (void)process_record(self, self->one.data);
        else
            orma_perf_encode(self->encoder, &lost);
    }
}

static size_t process_item(struct orma_perf_worker *self, const uint8_t *at)
{
    struct item item;

    memcpy(&item, at, sizeof(item));
    if (!item.is_mark)
        return process_record(self, at);
    put_mark(self, item.mark);
    return padded(sizeof(item));
}

/* Until something is in the queue, it is time for a round, or to end. */
static void wait_for_work(struct orma_perf_worker *self)
{
    struct timespec due = {.tv_sec = (time_t)(self->due_ns / 1000000000u),
                           .tv_nsec = (long)(self->due_ns % 1000000000u)};

    if (self->period_ns)
        (void)pthread_cond_timedwait(&self->filled, &self->lock, &due);
    else
        pthread_cond_wait(&self->filled, &self->lock);
}

static bool is_due(const struct orma_perf_worker *self)
{
    return self->period_ns && orma_clock_monotonic() >= self->due_ns;
}

/* What is in the queue, or nothing: a round is due. False: it is time to end. */
static bool fetch(struct orma_perf_worker *self)
{
    pthread_mutex_lock(&self->lock);
    self->busy = false;
    while (!self->queue.len && !stopped(self) && !is_due(self))
        wait_for_work(self);
    struct orma_buf empty = self->work;
    self->work = self->queue;
    self->queue = empty;
    self->busy = true;
    self->saves = self->rings->saves;
    if (!self->work.len)
        self->due_ns = orma_clock_monotonic() + self->period_ns;
    pthread_mutex_unlock(&self->lock);
    return !stopped(self);
}

static void *run(void *arg)
{
    struct orma_perf_worker *self = arg;

    while (fetch(self)) {
        if (!self->work.len)
            process_round(self);
        for (size_t at = 0; at < self->work.len && !stopped(self);)
            at += process_item(self, self->work.data + at);
        orma_buf_clear(&self->work);
        hand_over(self, false);
    }
    pthread_mutex_lock(&self->lock);
    self->ended = true;
    pthread_cond_signal(&self->filled);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* ---- the loop's side ---- */

int orma_perf_worker_new(struct orma_perf_encoder *encoder, struct orma_perf_rings *rings,
                         struct orma_perf_worker **ret)
{
    struct orma_perf_worker *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->encoder = encoder;
    self->rings = rings;
    self->sink = (struct orma_source_sink){.put = put_out, .flush = flush_out};
    self->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (self->fd < 0) {
        r = -errno;
        free(self);
        return r;
    }
    pthread_mutex_init(&self->lock, NULL);
    orma_cond_init(&self->filled);
    r = orma_thread_start(&self->thread, NULL, run, self);
    if (r < 0) {
        orma_fd_close(&self->fd);
        free(self);
        return r;
    }
    *ret = self;
    return 0;
}

/* Waits for it, with patience. */
static bool has_ended(struct orma_perf_worker *self)
{
    struct timespec until;
    int r = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ORMA_PERF_WORKER_PATIENCE_S;
    pthread_mutex_lock(&self->lock);
    while (!self->ended && r == 0)
        r = pthread_cond_timedwait(&self->filled, &self->lock, &until);
    bool ended = self->ended;
    pthread_mutex_unlock(&self->lock);
    return ended;
}

bool orma_perf_worker_free(struct orma_perf_worker *self)
{
    if (!self)
        return true;
    pthread_mutex_lock(&self->lock);
    atomic_store_explicit(&self->stop, true, memory_order_relaxed);
    pthread_cond_signal(&self->filled);
    pthread_mutex_unlock(&self->lock);
    if (!has_ended(self)) {
        pthread_detach(self->thread);
        return false;
    }
    pthread_join(self->thread, NULL);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->filled);
    orma_buf_fini(&self->queue);
    orma_buf_fini(&self->out);
    orma_buf_fini(&self->work);
    orma_buf_fini(&self->made);
    orma_buf_fini(&self->one);
    orma_buf_fini(&self->taken);
    orma_fd_close(&self->fd);
    free(self);
    return true;
}

struct orma_source_sink *orma_perf_worker_sink(struct orma_perf_worker *self)
{
    return &self->sink;
}

int orma_perf_worker_fd(const struct orma_perf_worker *self)
{
    return self->fd;
}

static void enqueue(struct orma_perf_worker *self, const struct item *item)
{
    size_t before = self->queue.len;

    if (!append(&self->queue, item)) {
        self->queue.failed = false;
        self->lost++;
    }
    /* A little more is coming: mark() or kick() wake it up, so that both sides take turns rarely.
     */
    if (before < KICK_AT && self->queue.len >= KICK_AT)
        pthread_cond_signal(&self->filled);
}

static void append_lost(struct orma_perf_worker *self, uint32_t cpu)
{
    const struct item lost = {.record = {.kind = ORMA_PERF_LOST, .cpu = cpu, .lost = self->lost}};

    self->lost = 0;
    enqueue(self, &lost);
}

void orma_perf_worker_put(struct orma_perf_worker *self, const struct orma_perf_record *record)
{
    struct item item = item_of(record);

    pthread_mutex_lock(&self->lock);
    if (self->queue.len >= 2 * QUEUE_MAX) {
        self->lost++;
    } else {
        if (self->queue.len >= QUEUE_MAX && item.stack_bytes) {
            item.stack_bytes = item.record.stack_len = 0;
            /* With frame pointers it is but the top of it, for a leaf. */
            item.record.stack_skipped = self->encoder->plan->unwind;
        }
        if (self->lost)
            append_lost(self, record->cpu);
        enqueue(self, &item);
    }
    pthread_mutex_unlock(&self->lock);
}

void orma_perf_worker_mark(struct orma_perf_worker *self, uint64_t mark)
{
    const struct item item = {.is_mark = true, .mark = mark};

    pthread_mutex_lock(&self->lock);
    if (self->lost)
        append_lost(self, 0);
    enqueue(self, &item);
    pthread_mutex_unlock(&self->lock);
    pthread_cond_signal(&self->filled); /* who wakes up finds the lock free */
}

void orma_perf_worker_begin(struct orma_perf_worker *self, uint64_t period_ns, uint64_t settled_ns)
{
    pthread_mutex_lock(&self->lock);
    self->due_ns = orma_clock_monotonic() + period_ns;
    self->period_ns = period_ns;
    self->settled_ns = settled_ns;
    pthread_mutex_unlock(&self->lock);
    pthread_cond_signal(&self->filled); /* it waits for ever */
}

uint64_t orma_perf_worker_due(struct orma_perf_worker *self)
{
    pthread_mutex_lock(&self->lock);
    uint64_t ret = self->busy || self->queue.len || is_due(self) ? 0 : self->due_ns;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

void orma_perf_worker_kick(struct orma_perf_worker *self)
{
    pthread_mutex_lock(&self->lock);
    bool wake = self->queue.len;
    pthread_mutex_unlock(&self->lock);
    if (wake)
        pthread_cond_signal(&self->filled);
}

void orma_perf_worker_take(struct orma_perf_worker *self, struct orma_source_sink *sink,
                           void (*on_mark)(void *ctx, uint64_t mark), void *ctx)
{
    uint64_t times, mark;

    (void)!read(self->fd, &times, sizeof(times)); /* nothing there: then it was taken before */
    pthread_mutex_lock(&self->lock);
    struct orma_buf empty = self->taken;
    self->taken = self->out;
    self->out = empty;
    pthread_mutex_unlock(&self->lock);
    if (self->taken.failed)
        orma_perf_worker_clear(self);
    for (size_t at = 0; at < self->taken.len;) {
        struct out_head head;
        const uint8_t *data = self->taken.data + at + sizeof(head);

        memcpy(&head, self->taken.data + at, sizeof(head));
        if (!head.is_mark) {
            if (sink->put(sink, data, head.len) < 0)
                orma_perf_worker_clear(self); /* whoever reads on must be told again */
        } else {
            memcpy(&mark, data, sizeof(mark));
            on_mark(ctx, mark);
        }
        at += sizeof(head) + head.len;
    }
    orma_buf_clear(&self->taken);
}

void orma_perf_worker_clear(struct orma_perf_worker *self)
{
    atomic_store_explicit(&self->clear, true, memory_order_relaxed);
}
