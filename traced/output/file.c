/*
 * The loop and the thread share one struct under one mutex; blocks go one way
 * in a list, progress the other way in counters and an eventfd.
 *
 *   loop:    write() ─► [block][block] ─► thread: write(2) ─► spare blocks ─► loop
 *                                             └─► eventfd ─► on_progress() ─► fn
 *
 * Memory that nobody has touched costs more than the bytes that are put into it, so the
 * memory of blocks that were written is kept for the next ones: of as many as waited for the
 * thread at once lately.
 *
 * Both hold a reference; whoever leaves last frees. So a disk that never comes
 * back keeps a thread, but nobody waiting.
 *
 * Anything but a regular file may accept nothing for as long as its reader likes.
 * The thread never sleeps inside write() there: it waits with poll() for space, or
 * for wake_fd, and then writes no more than what cannot block. O_NONBLOCK is left
 * as it is: it belongs to the description that the client shares with us.
 */
#include "traced/output/file.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/assert.h"
#include "sdk/base/fd.h"
#include "sdk/base/list.h"
#include "sdk/base/thread.h"
#include "sdk/wire/pb_reader.h"

/* Unless the owner wants more. */
#define QUEUE_MIN ((size_t)8 << 20)
/* After so many blocks an eighth of the spare ones is too many, unless as many waited again. */
#define SPARES_DECAY 8
#define SPARES_PERIOD 64
#define COPY_PIECE ((size_t)64 << 10)

struct block {
    struct orma_list link; /* traced_file.blocks */
    struct orma_buf data;
    struct traced_file *source;  /* copy what is in it instead; a reference, or NULL */
    struct orma_list place_link; /* traced_file.places of the source, under its lock */
    uint64_t copy_blocks;        /* as far as its first so many blocks */
    uint64_t copy_len;           /* those bytes, once they are known (copy_ready) */
    bool copy_ready;
};

struct traced_file {
    /* The loop's own. */
    struct event *event;
    traced_file_fn fn;
    void (*written_fn)(void *ctx, uint64_t blocks, uint64_t bytes);
    void *ctx;
    bool was_full;

    /* Never changed after the start. */
    int fd;
    bool sync;
    struct traced_compression compression;
    uint64_t max_bytes;
    int progress_fd; /* eventfd, the thread's: look at the counters */
    int wake_fd;     /* eventfd, the loop's: look at patience_ms */
    bool is_regular, is_socket;
    off_t start; /* where in the file our bytes begin; 0 if it has no places */

    /* How long the file may accept nothing. Set by the loop; orders nothing else. */
    _Atomic int32_t patience_ms;

    /* Under the lock, which is taken with no other lock. */
    pthread_mutex_t lock;
    pthread_cond_t more;
    size_t queue_max;        /* bytes from which on it is full */
    struct orma_list blocks; /* block.link */
    struct orma_list ready;  /* block.link: compressed, to be taken */
    size_t queued_bytes;
    uint64_t blocks_in, blocks_done;
    uint64_t written;        /* bytes since the start */
    struct orma_list places; /* block.place_link: who waits for a block of ours to be done */
    bool finish;             /* no more blocks will come */
    bool done;               /* the thread has ended its work */
    int error;               /* first failure, -errno */
    int refs;                /* loop, thread, and files that copy it */
    struct orma_list spares; /* block.link: nothing is in them, the last one is the hottest */
    unsigned spares_num;
    unsigned spares_max;  /* blocks that waited at once, lately */
    unsigned waiting_max; /* the same, in this period */
    size_t largest;       /* block so far, bytes */
};

static void file_unref(struct traced_file *self);

static void block_free(struct block *b)
{
    if (b->source) {
        pthread_mutex_lock(&b->source->lock);
        orma_list_remove(&b->place_link);
        pthread_mutex_unlock(&b->source->lock);
        file_unref(b->source);
    }
    orma_buf_fini(&b->data);
    free(b);
}

static void file_unref(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    ORMA_ASSERT(self->refs > 0);
    bool last = --self->refs == 0;
    pthread_mutex_unlock(&self->lock);
    if (!last)
        return;
    ORMA_LIST_EACH (struct block, b, &self->blocks, link)
        block_free(b);
    ORMA_LIST_EACH (struct block, b, &self->ready, link)
        block_free(b);
    ORMA_LIST_EACH (struct block, b, &self->spares, link)
        block_free(b);
    orma_fd_close(&self->fd);
    orma_fd_close(&self->progress_fd);
    orma_fd_close(&self->wake_fd);
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

size_t traced_file_cut_back(int fd, const struct orma_buf *data, size_t written)
{
    struct stat st;
    off_t at = lseek(fd, 0, SEEK_CUR);
    size_t whole = whole_packets(data, written);
    off_t excess = (off_t)(written - whole);

    if (excess && (at < excess || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
                   ftruncate(fd, at - excess) < 0))
        return written; /* a cut packet is no worse than before */
    return whole;
}

static int patience_ms(const struct traced_file *self)
{
    return atomic_load_explicit(&self->patience_ms, memory_order_relaxed);
}

/* Waits until the file accepts something, or for as long as the owner allows. */
static int wait_for_space(const struct traced_file *self)
{
    struct pollfd fds[] = {
        {.fd = self->fd, .events = POLLOUT},
        {.fd = self->wake_fd, .events = POLLIN},
    };
    uint64_t count;

    for (;;) {
        int n = poll(fds, ORMA_ARRAY_LEN(fds), patience_ms(self));

        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            return -ETIMEDOUT;
        if (n > 0 && fds[1].revents)
            (void)!read(self->wake_fd, &count, sizeof(count)); /* patience_ms has changed */
        else if (n > 0)
            return 0;
    }
}

/* How much the file accepts now, at least one byte; or -errno. Sleeps in regular files only. */
static ssize_t write_now(const struct traced_file *self, const uint8_t *data, size_t len)
{
    ssize_t n;

    if (self->is_regular) {
        n = write(self->fd, data, len);
    } else {
        int r = wait_for_space(self);

        if (r < 0)
            return r;
        n = self->is_socket ? send(self->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL)
                            : write(self->fd, data, ORMA_MIN(len, (size_t)PIPE_BUF));
    }
    if (n > 0)
        return n;
    return n == 0 ? -ENOSPC : errno == EFBIG ? TRACED_FILE_TOO_LARGE : -errno;
}

static int write_bytes(struct traced_file *self, const uint8_t *data, size_t len,
                       size_t *ret_written)
{
    *ret_written = 0;
    while (*ret_written < len) {
        if (patience_ms(self) == 0)
            return -ETIMEDOUT;
        ssize_t n = write_now(self, data + *ret_written, len - *ret_written);

        if (n == -EINTR || n == -EAGAIN) /* somebody else was faster; the next turn waits */
            continue;
        if (n < 0)
            return (int)n;
        *ret_written += (size_t)n;
    }
    return 0;
}

static int write_block(struct traced_file *self, const struct orma_buf *data)
{
    size_t written;
    int r = write_bytes(self, data->data, data->len, &written);

    if (r < 0) {
        (void)traced_file_cut_back(self->fd, data, written);
        return r;
    }
    if (self->sync && fdatasync(self->fd) < 0 && errno != EINVAL && errno != EROFS)
        return -errno;
    return 0;
}

/* Where block `copy_blocks` ends, once it is on its way to the disk. */
static int wait_for(struct traced_file *source, struct block *b)
{
    pthread_mutex_lock(&source->lock);
    while (!b->copy_ready && !source->error && !source->done)
        pthread_cond_wait(&source->more, &source->lock);
    int r = b->copy_ready ? 0 : source->error ? source->error : -EIO;
    orma_list_remove(&b->place_link);
    pthread_mutex_unlock(&source->lock);
    return r;
}

static int copy_source(struct traced_file *self, struct block *b)
{
    uint8_t piece[COPY_PIECE];
    struct traced_file *source = b->source;
    int r = wait_for(source, b);
    uint64_t len = b->copy_len;

    for (uint64_t at = 0; at < len && r == 0;) {
        ssize_t n = pread(source->fd, piece, (size_t)ORMA_MIN(len - at, (uint64_t)sizeof(piece)),
                          source->start + (off_t)at);

        if (n <= 0) {
            r = n < 0 && errno == EINTR ? 0 : n < 0 ? -errno : -EIO;
            continue;
        }
        size_t written;
        r = write_bytes(self, piece, (size_t)n, &written);
        at += (uint64_t)n;
    }
    return r;
}

/* Compresses the block in place. */
static void compress_block(const struct traced_file *self, struct block *b)
{
    struct orma_buf out = {0};

    traced_compress(self->compression, &b->data, &out);
    if (out.failed) { /* then it goes as it is */
        orma_buf_fini(&out);
        return;
    }
    orma_buf_fini(&b->data);
    b->data = out;
}

/* Called without the lock; nobody else looks at the block. */
static int do_block(struct traced_file *self, struct block *b, uint64_t written)
{
    if (b->source)
        return copy_source(self, b);
    if (!b->data.len)
        return 0; /* only its number counts */
    if (self->compression.kind)
        compress_block(self, b);
    if (self->max_bytes && b->data.len >= self->max_bytes - ORMA_MIN(written, self->max_bytes))
        return -EFBIG;
    return self->fd >= 0 ? write_block(self, &b->data) : 0;
}

/* Where those who copy us have to stop. With the lock held. */
static void notify_copies(struct traced_file *self)
{
    ORMA_LIST_EACH (struct block, b, &self->places, place_link)
        if (!b->copy_ready && b->copy_blocks == self->blocks_done) {
            b->copy_ready = true;
            b->copy_len = self->written;
        }
}

static struct block *take_spare(struct traced_file *self)
{
    if (orma_list_empty(&self->spares))
        return NULL;
    struct block *b = ORMA_CONTAINER_OF(self->spares.prev, struct block, link);
    orma_list_remove(&b->link);
    self->spares_num--;
    return b;
}

/* The block's memory is kept for the next ones, unless there is enough. With the lock held. */
static void keep_spare(struct traced_file *self, struct block *b)
{
    if (self->blocks_done % SPARES_PERIOD == 0) {
        unsigned less = self->spares_max - self->spares_max / SPARES_DECAY;

        self->spares_max = ORMA_MAX(self->waiting_max, less);
        self->waiting_max = 0;
    }
    if (b->source) {
        block_free(b);
        return;
    }
    orma_list_insert(&self->spares, &b->link);
    self->spares_num++;
    while (self->spares_num > ORMA_MAX(self->spares_max, self->waiting_max))
        block_free(take_spare(self));
}

/* The block was done, with this result. With the lock held. */
static void block_done(struct traced_file *self, struct block *b, size_t queued, int r)
{
    ORMA_ASSERT(self->queued_bytes >= queued && self->blocks_done <= self->blocks_in);
    self->queued_bytes -= queued;
    if (!self->error) /* it may have been set meanwhile, for a block that never came here */
        self->error = r;
    if (r == 0)
        self->written += b->data.len;
    if (!b->source)
        self->blocks_done++;
    notify_copies(self);
    pthread_cond_broadcast(&self->more); /* for who copies us */
    if (self->fd < 0) {
        orma_list_insert(&self->ready, &b->link);
        return;
    }
    keep_spare(self, b);
}

static void notify_loop(const struct traced_file *self)
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

/* At the end, with the lock held: the file system may say only now that something is missing. */
static void settle(struct traced_file *self)
{
    if (self->error || !self->is_regular)
        return;
    pthread_mutex_unlock(&self->lock);
    int r = orma_fd_settle(self->fd);
    pthread_mutex_lock(&self->lock);
    if (!self->error)
        self->error = r;
}

static void *writer_thread(void *arg)
{
    struct traced_file *self = arg;
    struct block *b;

    (void)prctl(PR_SET_NAME, "orma-file"); /* for those who look at threads */
    pthread_mutex_lock(&self->lock);
    while ((b = next_block(self))) {
        int r = self->error;
        uint64_t written = self->written;
        size_t queued = b->data.len;

        pthread_mutex_unlock(&self->lock);
        if (r == 0)
            r = do_block(self, b, written);
        pthread_mutex_lock(&self->lock);
        block_done(self, b, queued, r);
        pthread_mutex_unlock(&self->lock);
        notify_loop(self);
        pthread_mutex_lock(&self->lock);
    }
    settle(self);
    self->done = true;
    pthread_cond_broadcast(&self->more); /* for who waits in traced_file_free() */
    pthread_mutex_unlock(&self->lock);
    notify_loop(self);
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
    uint64_t blocks = self->error ? 0 : self->blocks_done, written = self->written;
    bool done = self->done, full = self->queued_bytes >= self->queue_max;
    bool ready = !orma_list_empty(&self->ready);
    int error = self->error;
    pthread_mutex_unlock(&self->lock);
    if (self->written_fn && blocks)
        self->written_fn(self->ctx, blocks, written);
    if (done || error || ready || (self->was_full && !full)) {
        self->was_full = full;
        self->fn(self->ctx, done, error); /* may free us */
    }
}

static void look_at_kind(struct traced_file *self)
{
    struct stat st;
    bool known = self->fd >= 0 && fstat(self->fd, &st) == 0;

    self->is_socket = known && S_ISSOCK(st.st_mode);
    self->is_regular = known && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)); /* never polled */
}

int traced_file_new(struct event_base *base, const struct traced_file_config *config,
                    traced_file_fn fn, void *ctx, struct traced_file **ret)
{
    struct traced_file *self = calloc(1, sizeof(*self));
    int r = -ENOMEM, fd = config->fd;

    if (!self) {
        orma_fd_close(&fd);
        return r;
    }
    *self = (struct traced_file){
        .fd = fd,
        .wake_fd = -1,
        .patience_ms = -1,
        .sync = config->sync,
        .compression = config->compression,
        .max_bytes = config->max_bytes,
        .queue_max = ORMA_MAX(config->queue_max, QUEUE_MIN),
        .fn = fn,
        .written_fn = config->written,
        .ctx = ctx,
        .refs = 1,
    };
    off_t at = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    self->start = at > 0 ? at : 0;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->more, NULL);
    orma_list_init(&self->blocks);
    orma_list_init(&self->ready);
    orma_list_init(&self->places);
    orma_list_init(&self->spares);
    look_at_kind(self);
    self->progress_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->progress_fd >= 0 && self->wake_fd >= 0)
        self->event = event_new(base, self->progress_fd, EV_READ | EV_PERSIST, on_progress, self);
    if (self->event && event_add(self->event, NULL) == 0) {
        self->refs = 2;
        r = orma_thread_start_detached(writer_thread, self);
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

void traced_file_set_owner(struct traced_file *self, traced_file_fn fn,
                           void (*written)(void *ctx, uint64_t blocks, uint64_t bytes), void *ctx)
{
    self->fn = fn;
    self->written_fn = written;
    self->ctx = ctx;
}

bool traced_file_is_full(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    bool full = self->queued_bytes >= self->queue_max;
    pthread_mutex_unlock(&self->lock);
    self->was_full |= full;
    return full;
}

void traced_file_set_queue_max(struct traced_file *self, size_t bytes)
{
    pthread_mutex_lock(&self->lock);
    self->queue_max = bytes;
    pthread_mutex_unlock(&self->lock);
}

void traced_file_write(struct traced_file *self, struct orma_buf *block)
{
    struct block *b = malloc(sizeof(*b));

    pthread_mutex_lock(&self->lock);
    ORMA_ASSERT(!self->finish);
    if (b) {
        *b = (struct block){.data = *block};
        *block = (struct orma_buf){0};
        orma_list_insert(&self->blocks, &b->link);
        self->queued_bytes += b->data.len;
        self->blocks_in++;
        self->waiting_max =
            ORMA_MAX(self->waiting_max, (unsigned)(self->blocks_in - self->blocks_done));
        self->largest = ORMA_MAX(self->largest, b->data.len);
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
        b->copy_blocks = source->blocks_in;
        orma_list_insert(&source->places, &b->place_link);
        notify_copies(source);
        pthread_mutex_unlock(&source->lock);
    }
    pthread_mutex_lock(&self->lock);
    ORMA_ASSERT(!self->finish && !self->blocks_in); /* first of all */
    if (b)
        orma_list_insert(&self->blocks, &b->link);
    else if (!self->error)
        self->error = -ENOMEM;
    pthread_cond_broadcast(&self->more);
    pthread_mutex_unlock(&self->lock);
}

struct orma_buf traced_file_spare(struct traced_file *self)
{
    struct orma_buf spare = {0};

    pthread_mutex_lock(&self->lock);
    struct block *b = take_spare(self);
    size_t largest = self->largest;
    pthread_mutex_unlock(&self->lock);
    if (b) {
        spare = b->data;
        b->data = (struct orma_buf){0};
        block_free(b);
    } else {
        (void)orma_buf_reserve(&spare, largest + largest / 8); /* otherwise it grows */
    }
    orma_buf_clear(&spare);
    return spare;
}

bool traced_file_take(struct traced_file *self, struct orma_buf *ret)
{
    struct block *b = NULL;

    pthread_mutex_lock(&self->lock);
    if (!orma_list_empty(&self->ready)) {
        b = ORMA_CONTAINER_OF(self->ready.next, struct block, link);
        orma_list_remove(&b->link);
    }
    pthread_mutex_unlock(&self->lock);
    if (!b)
        return false;
    *ret = b->data;
    b->data = (struct orma_buf){0};
    block_free(b);
    return true;
}

void traced_file_finish(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    self->finish = true;
    pthread_cond_broadcast(&self->more);
    pthread_mutex_unlock(&self->lock);
}

const char *traced_file_name(const struct traced_file *self, char buf[TRACED_FILE_NAME_MAX])
{
    char link[32], path[PATH_MAX];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", self->fd);
    ssize_t len = readlink(link, path, sizeof(path));
    if (len <= 0)
        len = snprintf(path, sizeof(path), "of file descriptor %d", self->fd);
    size_t kept = ORMA_MIN((size_t)len, (size_t)TRACED_FILE_NAME_MAX - 1);
    memcpy(buf, path + len - kept, kept);
    buf[kept] = '\0';
    for (char *c = buf; *c; c++) /* a client chose it: one line, no escapes */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return buf;
}

bool traced_file_find_place(const struct traced_file *self, struct traced_file_place *ret)
{
    char link[32];
    struct stat st;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", self->fd);
    if (!self->is_regular || fstat(self->fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_nlink)
        return false;
    ssize_t len = readlink(link, ret->path, sizeof(ret->path));
    if (len <= 0 || (size_t)len >= sizeof(ret->path))
        return false;
    ret->path[len] = '\0';
    ret->dev = st.st_dev;
    ret->ino = st.st_ino;
    ret->start = (uint64_t)self->start;
    return true;
}

int traced_file_progress_fd(const struct traced_file *self)
{
    return self->progress_fd;
}

static const char *too_large(void)
{
    struct rlimit max;

    return getrlimit(RLIMIT_FSIZE, &max) == 0 && max.rlim_cur != RLIM_INFINITY
               ? "File too large (perhaps ulimit -f)"
               : "File too large for this file system";
}

const char *traced_file_reason(int error)
{
    return error == -ETIMEDOUT              ? "it accepted no data for too long"
           : error == TRACED_FILE_TOO_LARGE ? too_large()
                                            : strerror(-error);
}

struct traced_file_state traced_file_look(struct traced_file *self)
{
    pthread_mutex_lock(&self->lock);
    struct traced_file_state state = {self->done, self->error, self->queued_bytes};
    pthread_mutex_unlock(&self->lock);
    return state;
}

void traced_file_hurry(struct traced_file *self, int32_t ms)
{
    uint64_t one = 1;

    atomic_store_explicit(&self->patience_ms, ms, memory_order_relaxed);
    (void)!write(self->wake_fd, &one, sizeof(one)); /* it can only be set already */
}

void traced_file_free(struct traced_file *self)
{
    if (!self)
        return;
    event_free(self->event);
    traced_file_finish(self);
    if (patience_ms(self) < 0)
        traced_file_hurry(self, TRACED_FILE_PATIENCE_MS);
    file_unref(self);
}
