#include "tools/record/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define BLOCK ((size_t)256 << 10)
/* How often a cancelled pump looks up. */
#define CANCEL_MS 100

struct orma_pump {
    pthread_t thread;
    int in_fd, out_fd;
    uint64_t bytes;
    int error; /* of the writing */
    atomic_bool cancelled;
    uint8_t block[BLOCK];
};

/* 1: *n bytes are in the block, 0: the end. */
static int take(struct orma_pump *self, size_t *n)
{
    struct pollfd pfd = {.fd = self->in_fd, .events = POLLIN};

    while (!atomic_load_explicit(&self->cancelled, memory_order_relaxed)) {
        if (poll(&pfd, 1, CANCEL_MS) <= 0)
            continue;
        ssize_t got = read(self->in_fd, self->block, BLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        *n = got > 0 ? (size_t)got : 0;
        return got > 0;
    }
    return 0;
}

static void *run(void *arg)
{
    struct orma_pump *self = arg;
    size_t n;

    while (!self->error && take(self, &n)) {
        self->error = orma_fd_write_all(self->out_fd, self->block, n);
        if (!self->error)
            self->bytes += n;
    }
    /* If nobody reads any more, the service hears of it by its next write. */
    orma_fd_close(&self->in_fd);
    return NULL;
}

int orma_pump_start(int out_fd, struct orma_pump **ret, int *ret_fd)
{
    struct orma_pump *self = calloc(1, sizeof(*self));
    int ends[2];

    if (!self)
        return -ENOMEM;
    if (pipe2(ends, O_CLOEXEC) < 0) {
        int err = errno;

        free(self);
        return -err;
    }
    self->in_fd = ends[0];
    self->out_fd = out_fd;
    int r = -pthread_create(&self->thread, NULL, run, self);
    if (r < 0) {
        orma_fd_close(&ends[0]);
        orma_fd_close(&ends[1]);
        free(self);
        return r;
    }
    *ret = self;
    *ret_fd = ends[1];
    return 0;
}

int orma_pump_end(struct orma_pump *self, uint64_t *ret_bytes)
{
    pthread_join(self->thread, NULL);
    int r = self->error;

    *ret_bytes = self->bytes;
    free(self);
    return r;
}

int orma_pump_cancel(struct orma_pump *self, uint64_t *ret_bytes)
{
    atomic_store_explicit(&self->cancelled, true, memory_order_relaxed);
    return orma_pump_end(self, ret_bytes);
}
