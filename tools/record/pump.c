#include "tools/record/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define BLOCK ((size_t)256 << 10)

struct orma_record_pump {
    pthread_t thread;
    int in_fd, out_fd;
    void (*written)(void *ctx, const void *data, size_t len); /* NULL: nobody listens */
    void *ctx;
    uint64_t bytes;
    int error;     /* of the writing */
    int cancel_fd; /* eventfd: readable once it is cancelled */
    int done_fd;   /* eventfd: readable once the thread has ended */
    uint8_t block[BLOCK];
};

static void set(int fd)
{
    uint64_t one = 1;

    (void)!write(fd, &one, sizeof(one)); /* it can only be set already */
}

/* 1: *n bytes are in the block, 0: the end. */
static int take(struct orma_record_pump *self, size_t *n)
{
    struct pollfd fds[] = {
        {.fd = self->in_fd, .events = POLLIN},
        {.fd = self->cancel_fd, .events = POLLIN},
    };

    for (;;) {
        if (poll(fds, 2, -1) <= 0)
            continue;
        if (fds[1].revents)
            return 0;
        ssize_t got = read(self->in_fd, self->block, BLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        *n = got > 0 ? (size_t)got : 0;
        return got > 0;
    }
}

static void *run(void *arg)
{
    struct orma_record_pump *self = arg;
    struct orma_fd_wait wait = {.stop_fd = self->cancel_fd}; /* then not even a moment */
    size_t n;

    while (!self->error && take(self, &n)) {
        self->error = orma_fd_write_until(self->out_fd, self->block, n, &wait);
        if (self->error)
            break;
        self->bytes += n;
        if (self->written)
            self->written(self->ctx, self->block, n);
    }
    /* If nobody reads any more, the service hears of it by its next write. */
    orma_fd_close(&self->in_fd);
    set(self->done_fd);
    return NULL;
}

static void pump_free(struct orma_record_pump *self)
{
    orma_fd_close(&self->in_fd);
    orma_fd_close(&self->cancel_fd);
    orma_fd_close(&self->done_fd);
    free(self);
}

int orma_record_pump_start(int out_fd, void (*written)(void *ctx, const void *data, size_t len),
                           void *ctx, struct orma_record_pump **ret, int *ret_fd)
{
    struct orma_record_pump *self = calloc(1, sizeof(*self));
    int ends[2] = {-1, -1}, r = 0;

    if (!self)
        return -ENOMEM;
    self->out_fd = out_fd;
    self->written = written;
    self->ctx = ctx;
    self->cancel_fd = eventfd(0, EFD_CLOEXEC);
    self->done_fd = eventfd(0, EFD_CLOEXEC);
    if (self->cancel_fd < 0 || self->done_fd < 0 || pipe2(ends, O_CLOEXEC) < 0)
        r = -errno;
    self->in_fd = ends[0];
    if (r == 0)
        r = -pthread_create(&self->thread, NULL, run, self);
    if (r < 0) {
        orma_fd_close(&ends[1]);
        pump_free(self);
        return r;
    }
    *ret = self;
    *ret_fd = ends[1];
    return 0;
}

int orma_record_pump_done_fd(const struct orma_record_pump *self)
{
    return self->done_fd;
}

int orma_record_pump_end(struct orma_record_pump *self, uint64_t *ret_bytes)
{
    pthread_join(self->thread, NULL);
    int r = self->error;

    *ret_bytes = self->bytes;
    pump_free(self);
    return r;
}

int orma_record_pump_cancel(struct orma_record_pump *self, uint64_t *ret_bytes)
{
    set(self->cancel_fd);
    return orma_record_pump_end(self, ret_bytes);
}
