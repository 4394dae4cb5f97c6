#include "tools/view/crowd.h"

#include <errno.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "sdk/base/defs.h"

/* Descriptors that are looked at: connections have the lowest free ones. */
#define FDS_MAX 4096
#define ACCEPT_PAUSE_MS 20
/* Descriptors of the processor, the loop, files. */
#define FDS_RESERVED 32

/* The listener's callbacks have no room for a pointer of ours. */
static struct crowd {
    struct evconnlistener *listener; /* the server's */
    struct event *pause;
    uint16_t port;
} crowd;

/* A connection to our port that is open. */
static bool is_ours(int fd, struct tcp_info *ret)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_storage storage;
    } addr;
    socklen_t len = sizeof(addr);

    if (getsockname(fd, &addr.any, &len) < 0 || addr.any.sa_family != AF_INET ||
        ntohs(addr.in.sin_port) != crowd.port)
        return false;
    len = sizeof(*ret);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, ret, &len) == 0 &&
           ret->tcpi_state == TCP_ESTABLISHED;
}

/* Something came that was not read yet. */
static bool has_request(int fd)
{
    int bytes = 0;

    return ioctl(fd, FIONREAD, &bytes) == 0 && bytes;
}

static int fds_end(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > FDS_MAX)
        return FDS_MAX;
    return (int)limit.rlim_cur;
}

/* Ends the idlest one if there are more than these. The server hears of the end, and frees it. */
static void make_room(int max)
{
    struct tcp_info info;
    uint32_t most_ms = 0;
    int end = fds_end(), num = 0, idlest = -1;

    for (int fd = 0; fd < end; fd++) {
        if (!is_ours(fd, &info))
            continue;
        num++;
        /* Who reads a long answer is not idle either. */
        const uint32_t idle_ms = ORMA_MIN(info.tcpi_last_data_recv, info.tcpi_last_data_sent);
        if ((idlest < 0 || idle_ms > most_ms) && !has_request(fd)) {
            idlest = fd;
            most_ms = idle_ms;
        }
    }
    if (num > max && idlest >= 0)
        (void)shutdown(idlest, SHUT_RDWR); /* its client may have ended it by now */
}

/* Fewer where there are few descriptors. */
static int conns_max(void)
{
    return ORMA_MAX(8, ORMA_MIN(ORMA_VIEW_CONNS_MAX, fds_end() - FDS_RESERVED));
}

/* Asked for with each connection that was accepted. */
static struct bufferevent *on_connection(struct event_base *base, void *data)
{
    (void)data;
    make_room(conns_max());
    return bufferevent_socket_new(base, -1, 0);
}

static void on_pause(evutil_socket_t fd, short what, void *data)
{
    (void)fd;
    (void)what;
    (void)data;
    evconnlistener_enable(crowd.listener);
}

/* No descriptor is left: without a pause the loop would be told of it again and again. */
static void on_accept_error(struct evconnlistener *listener, void *data)
{
    const struct timeval wait = {0, ACCEPT_PAUSE_MS * 1000};

    (void)data;
    make_room(0);
    evconnlistener_disable(listener);
    event_add(crowd.pause, &wait);
}

static int watch(struct event_base *base, struct evhttp *http, struct evhttp_bound_socket *bound,
                 uint16_t port)
{
    /* Whoever is accepted there has it, too; else the end of an answer waits 40 ms. */
    (void)setsockopt(evhttp_bound_socket_get_fd(bound), IPPROTO_TCP, TCP_NODELAY, &(int){1},
                     sizeof(int));
    crowd = (struct crowd){.listener = evhttp_bound_socket_get_listener(bound),
                           .pause = evtimer_new(base, on_pause, NULL),
                           .port = port};
    if (!crowd.pause)
        return -ENOMEM;
    evconnlistener_set_error_cb(crowd.listener, on_accept_error);
    evhttp_set_bevcb(http, on_connection, NULL);
    return 0;
}

int orma_crowd_listen(struct event_base *base, struct evhttp *http, uint16_t *port)
{
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", *port);
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);

    if (!bound ||
        getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&addr, &len) < 0)
        return -errno;
    *port = ntohs(addr.sin_port);
    return watch(base, http, bound, *port);
}

int orma_crowd_join(struct event_base *base, struct evhttp *http, int listen_fd, uint16_t port)
{
    int fd = fcntl(listen_fd, F_DUPFD_CLOEXEC, 0);
    struct evhttp_bound_socket *bound = fd < 0 ? NULL : evhttp_accept_socket_with_handle(http, fd);

    return bound ? watch(base, http, bound, port) : -ENOMEM;
}

void orma_crowd_leave(void)
{
    if (crowd.listener)
        (void)evconnlistener_disable(crowd.listener); /* it accepts on until the end, then */
}

void orma_crowd_fini(void)
{
    if (crowd.pause)
        event_free(crowd.pause);
    crowd = (struct crowd){0};
}
