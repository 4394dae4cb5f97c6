/* A listener accepts a batch in each turn of the loop. See network.h. */
#include "traced/network/network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/sock.h"
#include "traced/network/conn.h"

#define LISTENERS_MAX 32
/* When descriptors run out, accepting rests for this long. */
#define ACCEPT_PAUSE_MS 100
/* Connections accepted per turn of the loop, so that a storm of them does not stop the others. */
#define ACCEPT_BATCH 32

struct traced_listener {
    struct traced_network *network;
    const struct traced_endpoint *endpoint;
    int fd;
    char *unlink_path; /* socket file that we made; NULL: none */
    dev_t dev;         /* of that file: another one under its name is not ours */
    ino_t ino;
    struct event *event, *pause;
};

static void on_accept_pause(evutil_socket_t fd, short what, void *arg)
{
    struct traced_listener *self = arg;

    (void)fd;
    (void)what;
    event_add(self->event, NULL);
}

/* Out of descriptors or memory: the event would fire again at once. */
static void pause_accepting(struct traced_listener *self, int err)
{
    struct timeval wait = {0, ACCEPT_PAUSE_MS * 1000};

    if (traced_loop_may_log(self->network->loop))
        orma_log_warn("cannot accept connections, retrying: %s", strerror(err));
    event_del(self->event);
    event_add(self->pause, &wait);
}

static void on_accept(evutil_socket_t fd, short what, void *arg)
{
    struct traced_listener *self = arg;

    (void)what;
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        int sock = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (sock >= 0) {
            (void)traced_conn_new(self->network, sock,
                                  self->endpoint); /* else the client sees the end */
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            pause_accepting(self, errno);
        return;
    }
}

static void listener_fini(struct traced_listener *self)
{
    struct stat st;

    if (self->event)
        event_free(self->event);
    if (self->pause)
        event_free(self->pause);
    orma_fd_close(&self->fd);
    if (self->unlink_path && lstat(self->unlink_path, &st) == 0 && st.st_dev == self->dev &&
        st.st_ino == self->ino)
        (void)unlink(self->unlink_path); /* nothing to do if somebody was faster */
    free(self->unlink_path);
}

/* Takes fd, also on failure. `path`: of a socket file that was made here; NULL: none. */
static int add_listener(struct traced_network *self, int fd, const struct traced_endpoint *endpoint,
                        const char *path)
{
    if (self->listeners_num == LISTENERS_MAX) {
        orma_fd_close(&fd);
        return -E2BIG;
    }
    struct traced_listener *l = &self->listeners[self->listeners_num++];
    struct stat st;

    *l = (struct traced_listener){.network = self, .endpoint = endpoint, .fd = fd};
    if (path && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
        l->unlink_path = strdup(path);
        l->dev = st.st_dev;
        l->ino = st.st_ino;
    }
    l->event = event_new(self->loop->base, fd, EV_READ | EV_PERSIST, on_accept, l);
    l->pause = evtimer_new(self->loop->base, on_accept_pause, l);
    return l->event && l->pause && event_add(l->event, NULL) == 0 ? 0 : -ENOMEM;
}

static const char *reason(int err)
{
    if (err == -EADDRINUSE)
        return "another service is already listening there";
    if (err == -EEXIST)
        return "a file with that name exists and is not a socket";
    return strerror(-err);
}

int traced_network_listen(struct traced_network *self, const char *addr,
                          const struct traced_endpoint *endpoint, struct orma_buf *error)
{
    int fd = orma_sock_listen(addr);
    int r = fd < 0 ? fd : add_listener(self, fd, endpoint, *addr == '@' ? NULL : addr);

    if (r < 0 && error)
        orma_buf_printf(error, "cannot listen on %s: %s", addr, reason(r));
    return r;
}

int traced_network_adopt(struct traced_network *self, int fd,
                         const struct traced_endpoint *endpoint)
{
    int r = orma_fd_set_nonblock(fd);

    return r < 0 ? r : add_listener(self, fd, endpoint, NULL);
}

int traced_network_init(struct traced_network *self, struct traced_loop *loop, void *context)
{
    *self = (struct traced_network){.loop = loop, .context = context};
    orma_list_init(&self->conns);
    int r = traced_users_init(&self->users);
    self->listeners = calloc(LISTENERS_MAX, sizeof(*self->listeners));
    return self->listeners ? r : -ENOMEM;
}

void traced_network_fini(struct traced_network *self)
{
    ORMA_LIST_EACH (struct traced_conn, c, &self->conns, link)
        traced_conn_free(c);
    traced_users_fini(&self->users);
    for (size_t i = 0; i < self->listeners_num; i++)
        listener_fini(&self->listeners[i]);
    free(self->listeners);
    self->listeners = NULL;
    self->listeners_num = 0;
}
