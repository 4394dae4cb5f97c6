#include "tools/relay/connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "sdk/base/fd.h"
#include "sdk/ipc/sock.h"

#define CONNECT_MS 10000
#define LINK_IDLE_S 10 /* then it is asked whether it is there */
#define LINK_ASK_S 5
#define LINK_ASKS 4
#define LINK_UNSENT_MS 30000

/* Waits for what connect() has begun. */
static int wait_connected(int fd, int stop_fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLOUT}, {.fd = stop_fd, .events = POLLIN}};
    socklen_t len = sizeof(int);
    int n, error = 0;

    do
        n = poll(fds, 2, CONNECT_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n < 0 ? -errno : -ETIMEDOUT;
    if (fds[1].revents)
        return -ECANCELED;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return -errno;
    return -error;
}

int orma_relay_connect(const char *address, int stop_fd)
{
    struct orma_sock_addr addr;
    int r = orma_sock_parse(address, &addr);

    if (r < 0)
        return r;
    if (addr.family == AF_UNIX)
        return orma_sock_connect(address); /* it knows whom to trust, and waits for two seconds */
    int fd = socket(addr.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)&addr.addr, addr.len) < 0)
        r = errno == EINPROGRESS ? wait_connected(fd, stop_fd) : -errno;
    if (r < 0) {
        orma_fd_close(&fd);
        return r;
    }
    orma_relay_watch_link(fd);
    return fd;
}

void orma_relay_watch_link(int fd)
{
    /* Each fails for other kinds of sockets, which need none of it. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){LINK_IDLE_S}, sizeof(int));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){LINK_ASK_S}, sizeof(int));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){LINK_ASKS}, sizeof(int));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &(int){LINK_UNSENT_MS}, sizeof(int));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}
