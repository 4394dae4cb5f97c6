/*
 * The loop and the thread share one struct under one mutex; blocks go one way
 * in a list, progress the other way in counters and an eventfd.
 *
 *   loop:    write() ─► [block][block] ─► thread: write(2) ─► spare block ─► loop
 *                                             └─► eventfd ─► on_progress() ─► fn
 *
 * Both hold a reference; whoever leaves last frees. So a disk that never comes
 * back keeps a thread, but nobody waiting.
 */
#include "traced/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/list.h"
#include "sdk/wire/pb_reader.h"

#define QUEUE_MAX ((size_t)8 << 20)
#define COPY_PIECE ((size_t)64 << 10)

struct block {
    struct orma_list link; /* traced_file.blocks */
    struct orma_buf data;
    struct traced_file *source; /* copy its first `copy_len` bytes instead; a reference, or NULL */
    uint64_t copy_len;
};

struct traced_file {
    /* The loop's own. */
    struct event *event;
    traced_file_fn fn;
    void *ctx;
    bool was_full;

    /* Never changed after the start. */
    int fd;
    bool sync;
    int progress_fd; /* eventfd */
    off_t start;     /* where in the file our bytes begin; 0 if it has no places */

    /* Under the lock, which is taken with no other lock. */
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct orma_list blocks; /* block.link */
    size_t queued_bytes;
    uint64_t handed_over, written; /* bytes since the start */
    bool finish;                   /* no more blocks will come */
    bool done;                     /* the thread has ended its work */
    int error;                     /* first failure, -errno */
    int refs;                      /* loop, thread, and files that copy it */
    struct orma_buf spare;
};

static void file_unref(struct traced_file *self);

static void block_free(struct block *b)
{
    if (b->source)
        file_unref(b->source);
    orma_buf_fini(&b->data);
    free(b);
}

static void file_unref(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    bool last = --self->refs == 0;
    pthread_mutex_unlock(&self->lock);
    if (!last)
        return;
    ORMA_LIST_EACH (struct block, b, &self->blocks, link)
        block_free(b);
    orma_buf_fini(&self->spare);
    orma_fd_close(&self->fd);
    orma_fd_close(&self->progress_fd);
    pthread_cond_destroy(&self->more);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* ---- the thread ---- */

/* Bytes of the whole packets among the first `len` bytes of a block. */
static size_t whole_packets(const struct orma_buf *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data->data, data->len);
    struct orma_pb_field f;
    size_t whole = 0;

    while (orma_pb_next(&r, &f) && (size_t)(r.pos - data->data) <= len)
        whole = (size_t)(r.pos - data->data);
    return whole;
}

/* Takes back the piece of a packet that was written when the disk became full. */
static void cut_back(const struct traced_file *self, const struct orma_buf *data, size_t written)
{
    struct stat st;
    off_t at = lseek(self->fd, 0, SEEK_CUR);
    off_t excess = (off_t)(written - whole_packets(data, written));

    if (excess && at >= excess && fstat(self->fd, &st) == 0 && S_ISREG(st.st_mode))
        (void)!ftruncate(self->fd, at - excess); /* a cut packet is no worse than before */
}

static int write_block(const struct traced_file *self, const struct orma_buf *data)
{
    size_t written = 0;

    while (written < data->len) {
        ssize_t n = write(self->fd, data->data + written, data->len - written);

        if (n > 0) {
            written += (size_t)n;
            continue;
        }
        int err = n < 0 ? errno : ENOSPC;
        if (err == EINTR || err == EAGAIN)
            continue;
        cut_back(self, data, written);
        return -err;
    }
    if (self->sync && fdatasync(self->fd) < 0 && errno != EINVAL && errno != EROFS)
        return -errno;
    return 0;
}

/* Until the source's thread has written so much, or ended. */
static int wait_for(struct traced_file *source, uint64_t bytes)
{
    pthread_mutex_lock(&source->lock);
    while (source->written < bytes && !source->error && !source->done)
        pthread_cond_wait(&source->more, &source->lock);
    int r = source->written < bytes ? (source->error ? source->error : -EIO) : 0;
    pthread_mutex_unlock(&source->lock);
    return r;
}

static int copy_source(const struct traced_file *self, struct traced_file *source, uint64_t len)
{
    uint8_t piece[COPY_PIECE];
    int r = wait_for(source, len);

    for (uint64_t at = 0; at < len && r == 0;) {
        ssize_t n = pread(source->fd, piece, (size_t)ORMA_MIN(len - at, (uint64_t)sizeof(piece)),
                          source->start + (off_t)at);

        if (n <= 0) {
            r = n < 0 && errno == EINTR ? 0 : n < 0 ? -errno : -EIO;
            continue;
        }
        r = orma_fd_write_all(self->fd, piece, (size_t)n);
        at += (uint64_t)n;
    }
    return r;
}

static void tell_loop(const struct traced_file *self)
{
    uint64_t one = 1;

    (void)!write(self->progress_fd, &one, sizeof(one)); /* it can only be set already */
}

/* The next block, NULL at the end. Called and left with the lock held. */
static struct block *next_block(struct traced_file *self)
{
    while (orma_list_empty(&self->blocks) && !self->finish)
        pthread_cond_wait(&self->more, &self->lock);
    if (orma_list_empty(&self->blocks))
        return NULL;
    struct block *b = ORMA_CONTAINER_OF(self->blocks.next, struct block, link);
    orma_list_remove(&b->link);
    return b;
}

static void *writer_thread(void *arg)
{
    struct traced_file *self = arg;
    struct block *b;

    pthread_mutex_lock(&self->lock);
    while ((b = next_block(self))) {
        int r = self->error;

        pthread_mutex_unlock(&self->lock);
        if (r == 0)
            r = b->source ? copy_source(self, b->source, b->copy_len) : write_block(self, &b->data);
        pthread_mutex_lock(&self->lock);
        self->queued_bytes -= b->data.len;
        self->error = r;
        if (r == 0)
            self->written += b->data.len;
        struct orma_buf old = self->spare;
        self->spare = b->data;
        b->data = (struct orma_buf){0};
        pthread_cond_broadcast(&self->more); /* for who copies us */
        pthread_mutex_unlock(&self->lock);
        orma_buf_fini(&old);
        block_free(b);
        tell_loop(self);
        pthread_mutex_lock(&self->lock);
    }
    self->done = true;
    pthread_cond_broadcast(&self->more); /* for who waits in traced_file_free() */
    pthread_mutex_unlock(&self->lock);
    tell_loop(self);
    file_unref(self);
    return NULL;
}

/* ---- the loop ---- */

static void on_progress(evutil_socket_t fd, short what, void *arg)
{
    struct traced_file *self = arg;
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof(count)); /* only its being readable matters */
    pthread_mutex_lock(&self->lock);
    bool done = self->done, full = self->queued_bytes >= QUEUE_MAX;
    int error = self->error;
    pthread_mutex_unlock(&self->lock);
    if (done || error || (self->was_full && !full)) {
        self->was_full = full;
        self->fn(self->ctx, done, error); /* may free us */
    }
}

static int start_thread(struct traced_file *self)
{
    sigset_t all, old;
    pthread_attr_t attr;
    pthread_t thread;

    sigfillset(&all); /* signals are the host's business, on its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int r = pthread_create(&thread, &attr, writer_thread, self);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -r;
}

int traced_file_new(struct event_base *base, int fd, bool sync, traced_file_fn fn, void *ctx,
                    struct traced_file **ret)
{
    struct traced_file *self = calloc(1, sizeof(*self));
    int r = -ENOMEM;

    if (!self) {
        orma_fd_close(&fd);
        return r;
    }
    *self = (struct traced_file){.fd = fd, .sync = sync, .fn = fn, .ctx = ctx, .refs = 1};
    off_t at = lseek(fd, 0, SEEK_CUR);
    self->start = at > 0 ? at : 0;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->more, NULL);
    orma_list_init(&self->blocks);
    self->progress_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->progress_fd >= 0)
        self->event = event_new(base, self->progress_fd, EV_READ | EV_PERSIST, on_progress, self);
    if (self->event && event_add(self->event, NULL) == 0) {
        self->refs = 2;
        r = start_thread(self);
        if (r == 0) {
            *ret = self;
            return 0;
        }
        self->refs = 1;
    }
    if (self->event)
        event_free(self->event);
    file_unref(self);
    return r;
}

bool traced_file_is_full(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    bool full = self->queued_bytes >= QUEUE_MAX;
    pthread_mutex_unlock(&self->lock);
    self->was_full |= full;
    return full;
}

void traced_file_write(struct traced_file *self, struct orma_buf *block)
{
    struct block *b = malloc(sizeof(*b));

    pthread_mutex_lock(&self->lock);
    if (b) {
        *b = (struct block){.data = *block};
        *block = (struct orma_buf){0};
        orma_list_insert(&self->blocks, &b->link);
        self->queued_bytes += b->data.len;
        self->handed_over += b->data.len;
        pthread_cond_broadcast(&self->more);
    } else if (!self->error) {
        self->error = -ENOMEM;
    }
    pthread_mutex_unlock(&self->lock);
    orma_buf_fini(block);
}

void traced_file_copy(struct traced_file *self, struct traced_file *source)
{
    struct block *b = calloc(1, sizeof(*b));

    if (b) {
        pthread_mutex_lock(&source->lock);
        source->refs++;
        b->source = source;
        b->copy_len = source->handed_over;
        pthread_mutex_unlock(&source->lock);
    }
    pthread_mutex_lock(&self->lock);
    if (b)
        orma_list_insert(&self->blocks, &b->link);
    else
        self->error = -ENOMEM;
    pthread_cond_broadcast(&self->more);
    pthread_mutex_unlock(&self->lock);
}

struct orma_buf traced_file_spare(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    struct orma_buf spare = self->spare;
    self->spare = (struct orma_buf){0};
    pthread_mutex_unlock(&self->lock);
    orma_buf_clear(&spare);
    return spare;
}

void traced_file_finish(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    self->finish = true;
    pthread_cond_broadcast(&self->more);
    pthread_mutex_unlock(&self->lock);
}

void traced_file_free(struct traced_file *self, bool wait)
{
    if (!self)
        return;
    event_free(self->event);
    traced_file_finish(self);
    pthread_mutex_lock(&self->lock);
    while (wait && !self->done)
        pthread_cond_wait(&self->more, &self->lock);
    pthread_mutex_unlock(&self->lock);
    file_unref(self);
}
