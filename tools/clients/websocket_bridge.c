/*
 * One thread, poll() over at most PEERS_MAX pairs of a browser's connection and
 * a connection to the service. Bytes are not looked at: the service checks its
 * consumers, and what may talk to this port are pages of the viewer only.
 */
#include "tools/clients/websocket_bridge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "processor/serve/websocket.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/sock.h"

#define PROGRAM "websocket_bridge"
#define PORT_DEFAULT 8037
#define PEERS_MAX 16
#define BLOCK ((size_t)128 << 10)
#define SEND_TIMEOUT_MS 30000

enum { OPT_PORT = 1, OPT_ORIGINS };

static const struct orma_option options[] = {
    {OPT_PORT, 0, "port", "PORT", "The port on 127.0.0.1; 8037, where the viewer looks. 0: any."},
    {OPT_ORIGINS, 0, "additional-cors-origins", "LIST", "Pages of these origins may connect, too."},
    {0},
};

const struct orma_command orma_cmd_websocket_bridge = {
    .name = PROGRAM,
    .summary = "Let the viewer in a browser record with the service of this machine.",
    .synopsis = "[OPTIONS]",
    .details = "https://ui.perfetto.dev, 'Record new trace', target Linux, connects to it. It runs "
               "until Ctrl-C.",
    .examples = "  tracebox websocket_bridge\n",
    .options = options,
};

struct peer {
    int web, service; /* -1: free; service: before the handshake */
    struct orma_buf in;
};

struct bridge {
    int listener;
    const char *origins;
    struct peer peers[PEERS_MAX];
    uint8_t block[BLOCK];
};

static void end(struct peer *p)
{
    orma_fd_close(&p->web);
    orma_fd_close(&p->service);
    orma_buf_fini(&p->in);
    *p = (struct peer){.web = -1, .service = -1};
}

/* False: the other side is gone, or does not read. */
static bool send_all(int fd, const void *data, size_t len)
{
    const uint8_t *at = data;

    while (len) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd pfd = {.fd = fd, .events = POLLOUT};

        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (errno != EINTR && (errno != EAGAIN || poll(&pfd, 1, SEND_TIMEOUT_MS) <= 0)) {
            return false;
        }
    }
    return true;
}

static bool send_frame(int fd, enum orma_ws_op op, const void *data, size_t len)
{
    uint8_t head[10];
    size_t n = orma_ws_head(op, len, head);

    return send_all(fd, head, n) && send_all(fd, data, len);
}

/* ---- from the browser ---- */

static bool refuse(struct peer *p, const char *status)
{
    struct orma_buf out = {0};

    orma_buf_printf(&out, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    (void)send_all(p->web, out.data, out.len); /* it ends anyway */
    orma_buf_fini(&out);
    return false;
}

static bool connect_service(struct peer *p)
{
    int fd = orma_sock_connect(orma_sock_consumer_addr());

    if (fd < 0) {
        fprintf(stderr, PROGRAM ": no tracing service on %s: %s; start traced\n",
                orma_sock_consumer_addr(), strerror(-fd));
        return refuse(p, "503 Service Unavailable");
    }
    p->service = fd;
    return true;
}

/* False: the connection ends. */
static bool shake_hands(struct bridge *b, struct peer *p)
{
    struct orma_http_request rq;
    struct orma_buf out = {0};
    bool good;

    switch (orma_http_request_parse(orma_buf_str(&p->in), &rq)) {
    case ORMA_HTTP_MORE:
        return true;
    case ORMA_HTTP_BAD:
    case ORMA_HTTP_TOO_LARGE:
        return refuse(p, "400 Bad Request");
    case ORMA_HTTP_WHOLE:
        break;
    }
    if (!orma_str_eq_c(rq.path, "/traced"))
        return refuse(p, "404 Not Found");
    struct orma_str origin =
        orma_ws_origin_allowed(rq.origin, b->origins) ? rq.origin : ORMA_STR("");
    if (!origin.len || connect_service(p)) {
        good = orma_ws_handshake(&rq, origin, &out);
        good = send_all(p->web, out.data, out.len) && good;
        orma_buf_consume(&p->in, rq.used);
    } else {
        good = false;
    }
    orma_buf_fini(&out);
    return good;
}

static bool take_frame(struct peer *p, bool *ret_more)
{
    struct orma_str body = {0};
    size_t used = 0;
    bool good = true;

    *ret_more = false;
    switch (orma_ws_frame(p->in.data, p->in.len, &body, &used)) {
    case ORMA_WS_MORE:
        return true;
    case ORMA_WS_DATA:
        good = send_all(p->service, body.data, body.len);
        break;
    case ORMA_WS_PING:
        good = send_frame(p->web, ORMA_WS_PONG, body.data, body.len);
        break;
    case ORMA_WS_CLOSE:
        (void)send_frame(p->web, ORMA_WS_CLOSE, body.data, body.len); /* it ends anyway */
        return false;
    case ORMA_WS_PONG:
        break;
    case ORMA_WS_BAD:
        return false;
    }
    orma_buf_consume(&p->in, used);
    *ret_more = true;
    return good;
}

static bool on_web(struct bridge *b, struct peer *p)
{
    ssize_t n = recv(p->web, b->block, BLOCK, MSG_DONTWAIT);
    bool good = true, more = true;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    orma_buf_put(&p->in, b->block, (size_t)n);
    if (p->service < 0 && !shake_hands(b, p))
        return false;
    while (good && more && p->service >= 0 && p->in.len)
        good = take_frame(p, &more);
    return good && !p->in.failed;
}

/* ---- from the service ---- */

/* Descriptors that come along are not for browsers; recv() lets the kernel close them. */
static bool on_service(struct bridge *b, struct peer *p)
{
    ssize_t n = recv(p->service, b->block, BLOCK, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    return n > 0 && send_frame(p->web, ORMA_WS_DATA, b->block, (size_t)n);
}

/* ---- the loop ---- */

static void on_connection(struct bridge *b)
{
    int fd = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return; /* gone again */
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (b->peers[i].web < 0) {
            b->peers[i].web = fd;
            return;
        }
    }
    (void)close(fd); /* too many */
}

static int serve(struct bridge *b, int stop_fd)
{
    struct pollfd fds[2 + 2 * PEERS_MAX];

    for (;;) {
        fds[0] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = b->listener, .events = POLLIN};
        for (size_t i = 0; i < PEERS_MAX; i++) {
            fds[2 + 2 * i] = (struct pollfd){.fd = b->peers[i].web, .events = POLLIN};
            fds[3 + 2 * i] = (struct pollfd){.fd = b->peers[i].service, .events = POLLIN};
        }
        if (poll(fds, ORMA_ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
            return ORMA_EXIT_FAILURE;
        if (fds[0].revents)
            return ORMA_EXIT_OK;
        if (fds[1].revents)
            on_connection(b);
        for (size_t i = 0; i < PEERS_MAX; i++) {
            struct peer *p = &b->peers[i];
            bool good = true;

            if (fds[2 + 2 * i].fd >= 0 && fds[2 + 2 * i].revents)
                good = on_web(b, p);
            if (good && fds[3 + 2 * i].fd >= 0 && fds[3 + 2 * i].revents)
                good = on_service(b, p);
            if (!good)
                end(p);
        }
    }
}

static int listen_at(uint16_t *port)
{
    struct sockaddr_in addr = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)); /* only more patient */
    if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, PEERS_MAX) < 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &len) < 0) {
        int err = errno;

        orma_fd_close(&fd);
        return -err;
    }
    *port = ntohs(addr.sin_port);
    return fd;
}

static int stop_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run(const char *origins, uint16_t port)
{
    static struct bridge b; /* its block is large */
    ORMA_AUTO(orma_fd_close) int stop_fd = stop_signals();

    b.origins = origins;
    for (size_t i = 0; i < PEERS_MAX; i++)
        b.peers[i] = (struct peer){.web = -1, .service = -1};
    b.listener = listen_at(&port);
    if (b.listener < 0) {
        fprintf(stderr, PROGRAM ": cannot listen on 127.0.0.1:%u: %s%s\n", (unsigned)port,
                strerror(-b.listener), b.listener == -EADDRINUSE ? "; --port names another" : "");
        return ORMA_EXIT_FAILURE;
    }
    fprintf(stderr, PROGRAM ": listening on ws://127.0.0.1:%u/traced; Ctrl-C ends it\n",
            (unsigned)port);
    int code = serve(&b, stop_fd);
    for (size_t i = 0; i < PEERS_MAX; i++)
        end(&b.peers[i]);
    orma_fd_close(&b.listener);
    return code;
}

int orma_websocket_bridge_main(int argc, char **argv)
{
    const char *origins = NULL;
    uint64_t port = PORT_DEFAULT;
    struct orma_cli cli;
    int id;

    orma_cli_init(&cli, &orma_cmd_websocket_bridge, PROGRAM, argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_PORT:
            if (!orma_str_to_u64(orma_str_from(cli.value), &port) || port > UINT16_MAX)
                return orma_cli_usage_error(&cli, "bad port '%s': 0 to 65535", cli.value), 1;
            break;
        case OPT_ORIGINS:
            origins = cli.value;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        case ORMA_CLI_BAD:
            return ORMA_EXIT_FAILURE;
        default:
            return orma_cli_usage_error(&cli, "it takes no arguments"), 1;
        }
    }
    return run(origins, (uint16_t)port);
}
