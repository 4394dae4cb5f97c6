/*
 * Sockets by address text, as everywhere a socket name is accepted:
 *
 *   @NAME            abstract unix socket
 *   vsock://CID:PORT AF_VSOCK
 *   HOST:PORT        TCP, IPv4 name or address
 *   [V6]:PORT        TCP, IPv6
 *   anything else    path of a unix socket
 *
 * All are non-blocking byte streams, close-on-exec.
 */
#ifndef ORMA_SDK_IPC_SOCK_H
#define ORMA_SDK_IPC_SOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#define ORMA_SOCK_PRODUCER_ENV "PERFETTO_PRODUCER_SOCK_NAME"
#define ORMA_SOCK_CONSUMER_ENV "PERFETTO_CONSUMER_SOCK_NAME"

struct orma_sock_addr {
    struct sockaddr_storage addr;
    socklen_t len;
    int family; /* AF_UNIX, AF_INET, AF_INET6, AF_VSOCK */
};

/* -EINVAL: empty, too long or a bad port; -ENXIO: the host is not known. */
int orma_sock_parse(const char *text, struct orma_sock_addr *ret);

/*
 * Connected descriptor, or -errno. The connect itself may block: for 2 s, by the network for 20,
 * then -ETIMEDOUT. On a socket of the default places (below) root, this user, or whom root gave
 * /run/perfetto must listen, else -EPERM: in /tmp anybody may. An address that somebody chose is
 * trusted as it is.
 */
int orma_sock_connect(const char *text);

/* What the error number of a connect means, for people. */
const char *orma_sock_why(int err);

/*
 * Listening descriptor, or -errno. A stale socket file (nobody accepts on it)
 * is replaced; a living one gives -EADDRINUSE, any other file -EEXIST.
 */
int orma_sock_listen(const char *text);

/* What the socket takes at once: how many bytes, 0 if none; or -errno. */
ssize_t orma_sock_send_now(int sock, const void *data, size_t len);

/*
 * Sends all bytes, with `pass_fd` (or -1) attached to the first. Waits at most
 * timeout_ms (-1: for ever) in all for a slow reader, then -ETIMEDOUT. No SIGPIPE: -EPIPE.
 */
int orma_sock_send(int sock, const void *data, size_t len, int pass_fd, int timeout_ms);

/*
 * Where the service listens and clients connect by default: the
 * environment variable, else /run/perfetto/... if that directory is accessible,
 * else /tmp/perfetto-... The producer variable may hold a list (service only).
 */
const char *orma_sock_producer_addr(void);
const char *orma_sock_consumer_addr(void);
#endif
