/*
 * An address is recognised by its form, in this order: "@name" (abstract),
 * "vsock://CID:PORT", "HOST:PORT" with a number behind the last colon, and else the
 * path of a local socket.
 *
 * Sends are loops over MSG_NOSIGNAL sends that never block; what is to wait polls
 * between them, so one deadline bounds the whole frame. A descriptor travels with
 * the first byte.
 */
#include "sdk/ipc/sock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/standard.h"
#include "sdk/base/str.h"

#define RUN_DIR "/run/perfetto"
#define RUN_PRODUCER RUN_DIR "/traced-producer.sock"
#define RUN_CONSUMER RUN_DIR "/traced-consumer.sock"
#define TMP_PRODUCER "/tmp/perfetto-producer"
#define TMP_CONSUMER "/tmp/perfetto-consumer"

#define UNIX_PATIENCE_S 2 /* that a connect may wait */
#define PATIENCE_S 20

/* The kernel's struct sockaddr_vm: not every C library brings its headers. */
struct vm_addr {
    sa_family_t family;
    uint16_t reserved;
    uint32_t port, cid;
    uint8_t flags, zero[3];
};

static int parse_unix(const char *text, struct orma_sock_addr *ret)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    size_t len = strlen(text);
    bool abstract = text[0] == '@';

    if (!len || len > sizeof(un.sun_path) - 1)
        return -EINVAL;
    memcpy(un.sun_path, text, len);
    if (abstract)
        un.sun_path[0] = '\0';
    memcpy(&ret->addr, &un, sizeof(un));
    /* Abstract names are exactly as long as given; paths carry their terminator. */
    ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + !abstract);
    ret->family = AF_UNIX;
    return 0;
}

static int parse_vsock(struct orma_str text, struct orma_sock_addr *ret)
{
    struct vm_addr vm = {.family = AF_VSOCK};
    struct orma_str cid;
    uint64_t c, p;

    if (!orma_str_cut(&text, ':', &cid) || !orma_str_to_u64(cid, &c) ||
        !orma_str_to_u64(text, &p) || c > UINT32_MAX || p > UINT32_MAX)
        return -EINVAL;
    vm.cid = (unsigned)c;
    vm.port = (unsigned)p;
    memcpy(&ret->addr, &vm, sizeof(vm));
    ret->len = sizeof(vm);
    ret->family = AF_VSOCK;
    return 0;
}

static int resolve(const char *host, const char *port, int family, struct orma_sock_addr *ret)
{
    struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM}, *found;

    if (getaddrinfo(host, port, &hints, &found))
        return -ENXIO;
    memcpy(&ret->addr, found->ai_addr, found->ai_addrlen);
    ret->len = found->ai_addrlen;
    ret->family = found->ai_family;
    freeaddrinfo(found);
    return 0;
}

static int parse_inet(const char *text, const char *colon, struct orma_sock_addr *ret)
{
    char host[256];
    size_t len = (size_t)(colon - text);
    bool v6 = len >= 2 && text[0] == '[' && text[len - 1] == ']';

    if (v6) {
        text++;
        len -= 2;
    }
    if (!len || len >= sizeof(host))
        return -EINVAL;
    memcpy(host, text, len);
    host[len] = '\0';
    return resolve(host, colon + 1, v6 ? AF_INET6 : AF_INET, ret);
}

int orma_sock_parse(const char *text, struct orma_sock_addr *ret)
{
    struct orma_str vsock = ORMA_STR("vsock://"), whole = orma_str_from(text);
    const char *colon = strrchr(text, ':');
    uint64_t port;

    if (text[0] == '@')
        return parse_unix(text, ret);
    if (orma_str_starts(whole, vsock)) {
        whole.data += vsock.len;
        whole.len -= vsock.len;
        return parse_vsock(whole, ret);
    }
    if (colon && orma_str_to_u64(orma_str_from(colon + 1), &port))
        return port <= UINT16_MAX ? parse_inet(text, colon, ret) : -EINVAL;
    return parse_unix(text, ret);
}

static int new_socket(const struct orma_sock_addr *addr, int flags)
{
    int sock = orma_standard_avoid(socket(addr->family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    int on = 1;

    if (sock < 0)
        return sock;
    if (addr->family == AF_INET || addr->family == AF_INET6) {
        (void)setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on,
                         sizeof(on)); /* only a matter of speed */
        (void)setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }
    return sock;
}

static bool is_ours(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

/* May programs send what they know to who listens at this path? */
static bool is_trusted(int sock, const char *path)
{
    const bool tmp = !strcmp(path, TMP_PRODUCER) || !strcmp(path, TMP_CONSUMER);
    struct ucred peer;
    socklen_t len = sizeof(peer);
    struct stat st;

    if (!tmp && strcmp(path, RUN_PRODUCER) && strcmp(path, RUN_CONSUMER))
        return true;
    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return false;
    if (tmp) /* anybody can make one, or a link to another service's */
        return is_ours(peer.uid) && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
               is_ours(st.st_uid);
    /* Root made the folder, and said who may put a socket there. */
    return is_ours(peer.uid) ||
           (lstat(RUN_DIR, &st) == 0 && (peer.uid == st.st_uid || !(st.st_mode & S_IWOTH)));
}

const char *orma_sock_why(int err)
{
    return err == ETIMEDOUT
               ? "the service there does not accept connections: it is stopped or overloaded"
           : err == EPERM ? "a program of another user, which is not trusted, listens there; name "
                            "the service in " ORMA_SOCK_PRODUCER_ENV " and " ORMA_SOCK_CONSUMER_ENV
                          : strerror(err);
}

/* connect(2) waits for room in the queue of who listens, which takes for ever if that one is
 * stopped; the network has longer ways. */
static void limit_connect(int sock, int family)
{
    const struct timeval limit = {.tv_sec = family == AF_UNIX ? UNIX_PATIENCE_S : PATIENCE_S};

    (void)setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)); /* else it may wait */
}

int orma_sock_connect(const char *text)
{
    struct orma_sock_addr addr;
    int r = orma_sock_parse(text, &addr);

    if (r < 0)
        return r;
    ORMA_AUTO(orma_fd_close) int sock = new_socket(&addr, 0);
    if (sock < 0)
        return sock;
    limit_connect(sock, addr.family);
    if (connect(sock, (struct sockaddr *)&addr.addr, addr.len) < 0)
        return errno == EAGAIN || errno == EINPROGRESS ? -ETIMEDOUT : -errno;
    if (addr.family == AF_UNIX && !is_trusted(sock, text))
        return -EPERM;
    r = orma_fd_set_nonblock(sock);
    if (r < 0)
        return r;
    r = sock;
    sock = -1;
    return r;
}

/* Removes a socket file on which nobody accepts. */
static int remove_stale(const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return -EEXIST;
    ORMA_AUTO(orma_fd_close) int probe = orma_sock_connect(path);
    if (probe == -ENOENT)
        return 0;
    if (probe != -ECONNREFUSED && probe != -EPERM) /* a stopped one does not answer in time */
        return -EADDRINUSE;
    return unlink(path) < 0 ? -errno : 0;
}

int orma_sock_listen(const char *text)
{
    struct orma_sock_addr addr;
    int r = orma_sock_parse(text, &addr);

    if (r < 0)
        return r;
    if (addr.family == AF_UNIX && text[0] != '@') {
        r = remove_stale(text);
        if (r < 0)
            return r;
    }
    ORMA_AUTO(orma_fd_close) int sock = new_socket(&addr, SOCK_NONBLOCK);
    if (sock < 0)
        return sock;
    if (bind(sock, (struct sockaddr *)&addr.addr, addr.len) < 0 || listen(sock, SOMAXCONN) < 0)
        return -errno;
    r = sock;
    sock = -1;
    return r;
}

static ssize_t send_some(int sock, const void *data, size_t len, int pass_fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec iov = {(void *)(uintptr_t)data, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (pass_fd >= 0) {
        msg.msg_control = control;
        msg.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &pass_fd, sizeof(int));
    }
    return sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Milliseconds left until `deadline_ns`, at least 0; -1 if there is none. */
static int left_ms(int timeout_ms, uint64_t deadline_ns)
{
    if (timeout_ms < 0)
        return -1;
    uint64_t now = orma_clock_monotonic();
    return now >= deadline_ns ? 0 : (int)((deadline_ns - now + 999999) / 1000000);
}

ssize_t orma_sock_send_now(int sock, const void *data, size_t len)
{
    ssize_t n;

    do
        n = send_some(sock, data, len, -1);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
    return n;
}

int orma_sock_send(int sock, const void *data, size_t len, int pass_fd, int timeout_ms)
{
    uint64_t deadline =
        timeout_ms < 0 ? 0 : orma_clock_monotonic() + (uint64_t)timeout_ms * 1000000u;
    const char *p = data;

    while (len) {
        ssize_t n = send_some(sock, p, len, pass_fd);

        if (n > 0) {
            p += n;
            len -= (size_t)n;
            pass_fd = -1; /* it went with the first byte */
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            return -errno;
        struct pollfd pfd = {.fd = sock, .events = POLLOUT};
        int ready = poll(&pfd, 1, left_ms(timeout_ms, deadline));
        if (ready == 0)
            return -ETIMEDOUT;
        if (ready < 0 && errno != EINTR)
            return -errno;
    }
    return 0;
}

static const char *default_addr(const char *env, const char *run_path, const char *tmp_path)
{
    const char *text = getenv(env);

    if (text && *text)
        return text;
    return access(RUN_DIR, X_OK) == 0 ? run_path : tmp_path;
}

const char *orma_sock_producer_addr(void)
{
    return default_addr(ORMA_SOCK_PRODUCER_ENV, RUN_PRODUCER, TMP_PRODUCER);
}

const char *orma_sock_consumer_addr(void)
{
    return default_addr(ORMA_SOCK_CONSUMER_ENV, RUN_CONSUMER, TMP_CONSUMER);
}
