#include "processor/serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/fd.h"

static int listen_on(struct orma_listeners *self, const struct sockaddr *addr, socklen_t len)
{
    ORMA_AUTO(orma_fd_close)
    int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_storage got;
    socklen_t got_len = sizeof(got);
    int one = 1;

    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)); /* only more patient */
    if (addr->sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one)); /* likewise */
    if (bind(fd, addr, len) < 0 || listen(fd, 16) < 0 ||
        getsockname(fd, (struct sockaddr *)&got, &got_len) < 0)
        return -errno;
    self->port = ntohs(addr->sa_family == AF_INET6 ? ((struct sockaddr_in6 *)&got)->sin6_port
                                                   : ((struct sockaddr_in *)&got)->sin_port);
    self->fds[self->num++] = fd;
    fd = -1;
    return 0;
}

static int listen_v4(struct orma_listeners *self, const char *address, uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};

    if (inet_pton(AF_INET, address, &addr.sin_addr) != 1)
        return -EINVAL;
    return listen_on(self, (struct sockaddr *)&addr, sizeof(addr));
}

static int listen_v6(struct orma_listeners *self, const char *address, uint16_t port)
{
    struct sockaddr_in6 addr = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

    if (inet_pton(AF_INET6, address, &addr.sin6_addr) != 1)
        return -EINVAL;
    return listen_on(self, (struct sockaddr *)&addr, sizeof(addr));
}

int orma_listen(struct orma_listeners *self, const char *address, uint16_t port)
{
    int r;

    if (address && strcmp(address, "localhost"))
        return strchr(address, ':') ? listen_v6(self, address, port)
                                    : listen_v4(self, address, port);
    self->local = true;
    r = listen_v4(self, "127.0.0.1", port);
    if (r == 0)
        (void)listen_v6(self, "::1", self->port); /* a machine without IPv6 is fine */
    return r;
}

void orma_listeners_close(struct orma_listeners *self)
{
    while (self->num)
        orma_fd_close(&self->fds[--self->num]);
}
