#include "tools/relay/called.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/cond.h"
#include "sdk/base/fd.h"
#include "sdk/base/thread.h"
#include "tools/relay/connect.h"

#define WAITING_MAX 16 /* that have not said who they are, and spare ones */
#define TAKE_MS 1000
#define REST_MS 100

struct caller {
    int fd; /* -1: a free place */
    size_t heard;
    uint64_t since_ns;
    char hello[ORMA_RELAY_HELLO_LEN];
};

struct orma_relay_called {
    int listen_fd, stop_fd;
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock;
    pthread_cond_t came;
    struct caller waiting[WAITING_MAX];
    char id[ORMA_RELAY_ID_LEN]; /* of the recording that is on */
    bool is_on;
};

static bool has_said(const struct caller *c)
{
    return c->fd >= 0 && c->heard == ORMA_RELAY_HELLO_LEN;
}

static const char *id_of(const struct caller *c)
{
    return c->hello + sizeof(ORMA_RELAY_HELLO) - 1;
}

static void drop(struct caller *c, const char *why)
{
    if (why)
        (void)send(c->fd, why, strlen(why), MSG_DONTWAIT | MSG_NOSIGNAL); /* it sees the end, too */
    orma_fd_close(&c->fd);
    c->heard = 0;
}

static bool is_good(const struct caller *c)
{
    return !memcmp(c->hello, ORMA_RELAY_HELLO, sizeof(ORMA_RELAY_HELLO) - 1) &&
           c->hello[ORMA_RELAY_HELLO_LEN - 1] == '\n';
}

/* With the lock held: what it says, or that it is gone. */
static void hear(struct orma_relay_called *self, struct caller *c)
{
    char more;
    bool whole = has_said(c);
    ssize_t n = whole ? recv(c->fd, &more, 1, MSG_DONTWAIT | MSG_PEEK)
                      : recv(c->fd, c->hello + c->heard, sizeof(c->hello) - c->heard, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || whole) { /* it speaks when it is spoken to */
        drop(c, NULL);
        return;
    }
    c->heard += (size_t)n;
    if (!has_said(c))
        return;
    if (!is_good(c))
        drop(c, NULL);
    else if (self->is_on && memcmp(id_of(c), self->id, sizeof(self->id)))
        drop(c, ORMA_RELAY_BUSY);
    else
        pthread_cond_broadcast(&self->came);
}

/* With the lock held: room for others than those who call and say nothing. Whose place it was, or
 * WAITING_MAX. */
static size_t drop_silent(struct orma_relay_called *self)
{
    size_t oldest = WAITING_MAX;

    for (size_t i = 0; i < WAITING_MAX; i++) {
        const struct caller *c = &self->waiting[i];

        if (!has_said(c) && (oldest == WAITING_MAX || c->since_ns < self->waiting[oldest].since_ns))
            oldest = i;
    }
    if (oldest < WAITING_MAX)
        drop(&self->waiting[oldest], NULL);
    return oldest;
}

static void take_call(struct orma_relay_called *self)
{
    int fd = accept4(self->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    size_t i = 0;

    if (fd < 0) {
        struct pollfd stop = {.fd = self->stop_fd, .events = POLLIN};

        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            (void)poll(&stop, 1, REST_MS);
        return;
    }
    orma_relay_watch_link(fd);
    pthread_mutex_lock(&self->lock);
    while (i < WAITING_MAX && self->waiting[i].fd >= 0)
        i++;
    if (i == WAITING_MAX)
        i = drop_silent(self);
    if (i < WAITING_MAX) {
        self->waiting[i] = (struct caller){.fd = fd, .since_ns = orma_clock_monotonic()};
        fd = -1;
    }
    pthread_mutex_unlock(&self->lock);
    if (fd >= 0)
        (void)send(fd, ORMA_RELAY_BUSY, strlen(ORMA_RELAY_BUSY), MSG_DONTWAIT | MSG_NOSIGNAL);
    orma_fd_close(&fd);
}

static void *run(void *arg)
{
    struct orma_relay_called *self = arg;
    struct pollfd fds[WAITING_MAX + 2];

    for (;;) {
        fds[0] = (struct pollfd){.fd = self->stop_fd, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = self->listen_fd, .events = POLLIN};
        pthread_mutex_lock(&self->lock);
        for (size_t i = 0; i < WAITING_MAX; i++)
            fds[i + 2] = (struct pollfd){.fd = self->waiting[i].fd, .events = POLLIN};
        pthread_mutex_unlock(&self->lock);
        /* Not for ever: others may take what is waited for. */
        if (poll(fds, WAITING_MAX + 2, TAKE_MS) < 0)
            continue;
        if (fds[0].revents)
            return NULL;
        if (fds[1].revents)
            take_call(self);
        pthread_mutex_lock(&self->lock);
        for (size_t i = 0; i < WAITING_MAX; i++)
            if (fds[i + 2].revents && fds[i + 2].fd == self->waiting[i].fd)
                hear(self, &self->waiting[i]);
        pthread_mutex_unlock(&self->lock);
    }
}

/* With the lock held. */
static int take_now(struct orma_relay_called *self, bool leads)
{
    for (size_t i = 0; i < WAITING_MAX; i++) {
        struct caller *c = &self->waiting[i];

        if (!has_said(c) || (!leads && memcmp(id_of(c), self->id, sizeof(self->id))))
            continue;
        if (leads)
            memcpy(self->id, id_of(c), sizeof(self->id));
        self->is_on |= leads;
        int fd = c->fd;
        *c = (struct caller){.fd = -1};
        return fd;
    }
    return -EAGAIN;
}

int orma_relay_called_take(struct orma_relay_called *self, bool leads)
{
    const struct timespec until = orma_cond_in_ms(TAKE_MS);
    int fd = -EAGAIN, r = 0;

    pthread_mutex_lock(&self->lock);
    if (leads)
        self->is_on = false; /* the one before is over */
    while (fd == -EAGAIN && r == 0) {
        fd = self->is_on || leads ? take_now(self, leads) : -EAGAIN;
        if (fd == -EAGAIN)
            r = pthread_cond_timedwait(&self->came, &self->lock, &until);
    }
    pthread_mutex_unlock(&self->lock);
    return fd;
}

int orma_relay_called_new(int listen_fd, struct orma_relay_called **ret)
{
    ORMA_AUTO(orma_relay_called_free_p)
    struct orma_relay_called *self = calloc(1, sizeof(*self));

    if (!self) {
        orma_fd_close(&listen_fd);
        return -ENOMEM;
    }
    self->listen_fd = listen_fd;
    for (size_t i = 0; i < WAITING_MAX; i++)
        self->waiting[i].fd = -1;
    pthread_mutex_init(&self->lock, NULL); /* cannot fail on Linux */
    orma_cond_init(&self->came);
    self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int r = self->stop_fd < 0 ? -errno : orma_thread_start(&self->thread, NULL, run, self);
    self->runs = r == 0;
    if (r == 0)
        *ret = ORMA_STEAL(self);
    return r;
}

void orma_relay_called_free(struct orma_relay_called *self)
{
    if (!self)
        return;
    if (self->runs) {
        (void)!write(self->stop_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
        pthread_join(self->thread, NULL);
    }
    for (size_t i = 0; i < WAITING_MAX; i++)
        orma_fd_close(&self->waiting[i].fd);
    orma_fd_close(&self->stop_fd);
    orma_fd_close(&self->listen_fd);
    pthread_cond_destroy(&self->came);
    pthread_mutex_destroy(&self->lock);
    free(self);
}
