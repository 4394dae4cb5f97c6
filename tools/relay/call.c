/*
 * A relay that waits to be called (called.h). A few connections to it are spare; when a byte comes
 * by one of them, its relay uses it: then it is connected to our service, and another one is made.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/thread.h"
#include "tools/relay/address.h"
#include "tools/relay/called.h"
#include "tools/relay/connect.h"
#include "tools/relay/copy.h"
#include "tools/relay/link.h"

#define SEND_MS 10000
#define BUSY_MAX 4u   /* calls, half a second and more apart */
#define USED_MAX 4096 /* connections at once */

struct calls {
    struct orma_relay_link *link;
    char address[ORMA_RELAY_ADDRESS_MAX];
    char hello[ORMA_RELAY_HELLO_LEN + 1];
    int stop_fd; /* of these calls: the first connection is over */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned used; /* with the lock */
};

struct pair {
    struct calls *calls;
    int fd;
    bool leads;
};

static void put_hello(char *ret)
{
    unsigned char bytes[ORMA_RELAY_ID_LEN / 2];
    char *at = stpcpy(ret, ORMA_RELAY_HELLO);

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        memset(bytes, 0, sizeof(bytes)); /* cannot fail for so few; two such are one recording */
    for (size_t i = 0; i < sizeof(bytes); i++)
        at += sprintf(at, "%02x", bytes[i]);
    strcpy(at, "\n");
}

/* False: there are as many as there may be. */
static bool enter(struct calls *c)
{
    pthread_mutex_lock(&c->lock);
    bool room = c->used < USED_MAX;
    c->used += room;
    pthread_mutex_unlock(&c->lock);
    return room;
}

static void leave(struct calls *c)
{
    pthread_mutex_lock(&c->lock);
    c->used--;
    pthread_cond_signal(&c->idle);
    pthread_mutex_unlock(&c->lock);
}

static void *serve(void *arg)
{
    struct pair *pair = arg;
    struct calls *c = pair->calls;
    int service = orma_sock_connect(c->link->service);

    if (service >= 0)
        orma_relay_copy(pair->fd, service, c->stop_fd);
    orma_fd_close(&service);
    orma_fd_close(&pair->fd);
    if (pair->leads) /* by which the clocks come: the relay has ended, or the link is broken */
        (void)!write(c->stop_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
    free(pair);
    leave(c);
    return NULL;
}

/* Takes `fd`. */
static bool use(struct calls *c, int fd, bool leads)
{
    struct pair *pair = malloc(sizeof(*pair));
    bool ok = pair && enter(c);

    if (ok) {
        *pair = (struct pair){c, fd, leads};
        ok = orma_thread_start_detached(serve, pair) == 0;
        if (!ok)
            leave(c);
    }
    if (!ok) {
        free(pair);
        orma_fd_close(&fd);
    }
    return ok;
}

/* One more connection, which waits. -errno. */
static int call(const struct calls *c)
{
    int fd = orma_relay_connect(c->address, c->link->stop_fd);

    if (fd < 0)
        return fd;
    int r = orma_sock_send(fd, c->hello, ORMA_RELAY_HELLO_LEN, -1, SEND_MS);
    if (r < 0)
        orma_fd_close(&fd);
    return r < 0 ? r : fd;
}

static void say_why(struct orma_relay_link *link, int err, bool *told)
{
    char text[256];

    if (*told)
        return;
    *told = true;
    snprintf(text, sizeof(text), "%s%s", orma_sock_why(err),
             err == ECONNREFUSED ? ": is 'orma relay --listen' running there?" : "");
    orma_relay_link_say(link, text);
}

/* Somebody who has just ended is not known to have ended for a moment. */
static void note_busy(struct orma_relay_link *link)
{
    if (++link->busy < BUSY_MAX)
        return;
    orma_relay_link_say(link, "somebody else records it now");
    link->hopeless = true;
}

/* What a spare connection has to say: 1 it is used now, 0 not yet, -1 it is over. */
static int hear(const struct calls *c, int fd)
{
    char first[sizeof(ORMA_RELAY_BUSY) - 1];
    ssize_t n = recv(fd, first, sizeof(first), MSG_PEEK | MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n == (ssize_t)sizeof(first) && !memcmp(first, ORMA_RELAY_BUSY, sizeof(first))) {
        note_busy(c->link);
        return -1;
    }
    return n > 0 ? 1 : -1;
}

/* Keeps spare connections until one is over before it was used. */
static void keep_calling(struct calls *c)
{
    struct pollfd fds[ORMA_RELAY_SPARE + 2];
    int r = 0;

    for (size_t i = 0; i < ORMA_RELAY_SPARE; i++)
        fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    fds[ORMA_RELAY_SPARE] = (struct pollfd){.fd = c->stop_fd, .events = POLLIN};
    fds[ORMA_RELAY_SPARE + 1] = (struct pollfd){.fd = c->link->stop_fd, .events = POLLIN};
    while (r >= 0) {
        for (size_t i = 0; i < ORMA_RELAY_SPARE && r >= 0; i++)
            if (fds[i].fd < 0)
                fds[i].fd = r = call(c);
        if (r < 0 || poll(fds, ORMA_RELAY_SPARE + 2, -1) < 0)
            continue;
        if (fds[ORMA_RELAY_SPARE].revents || fds[ORMA_RELAY_SPARE + 1].revents)
            break;
        for (size_t i = 0; i < ORMA_RELAY_SPARE && r >= 0; i++) {
            int heard = fds[i].revents ? hear(c, fds[i].fd) : 0;

            if (heard > 0) {
                bool leads = !c->link->up;

                c->link->up = true;
                c->link->busy = 0;
                r = use(c, fds[i].fd, leads) ? 0 : -ENOMEM;
                fds[i].fd = -1;
            } else if (heard < 0) {
                r = -ECONNRESET;
            }
        }
    }
    if (r < 0 && r != -ECANCELED && !c->link->busy && !c->link->up)
        say_why(c->link, -r, &c->link->told);
    for (size_t i = 0; i < ORMA_RELAY_SPARE; i++)
        if (fds[i].fd >= 0)
            orma_fd_close(&fds[i].fd);
}

void orma_relay_call_run(struct orma_relay_link *self)
{
    struct calls c = {.link = self};

    c.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c.stop_fd < 0 || !orma_relay_address(self->spec, c.address, sizeof(c.address))) {
        orma_relay_link_say(self, c.stop_fd < 0 ? strerror(errno) : "its address is too long");
        self->hopeless = true;
        orma_fd_close(&c.stop_fd);
        return;
    }
    pthread_mutex_init(&c.lock, NULL); /* neither can fail on Linux */
    pthread_cond_init(&c.idle, NULL);
    put_hello(c.hello);
    keep_calling(&c);
    (void)!write(c.stop_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
    pthread_mutex_lock(&c.lock);
    while (c.used)
        pthread_cond_wait(&c.idle, &c.lock);
    pthread_mutex_unlock(&c.lock);
    pthread_cond_destroy(&c.idle);
    pthread_mutex_destroy(&c.lock);
    orma_fd_close(&c.stop_fd);
}
