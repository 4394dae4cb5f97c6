/*
 * One thread, poll() over at most PEERS_MAX pairs of a browser's connection and
 * a connection to the service. Bytes are not looked at: the service knows us only, so who may
 * talk to this port are pages of the viewer, in a browser of the user who runs us.
 *
 * Nothing blocks. What one side does not take waits, up to WAITING_MAX; then the other side is
 * not read until it did. So a browser that stops reading stops its own recording only.
 */
#include "tools/clients/websocket_bridge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "processor/serve/outbox.h"
#include "processor/serve/websocket.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/sock.h"
#include "tools/base/signals.h"
#include "processor/serve/peer.h"

#define PROGRAM "websocket_bridge"
#define PORT_DEFAULT 8037
#define PEERS_MAX 16
#define BLOCK ((size_t)128 << 10)
#define WAITING_MAX ((size_t)1 << 20)
#define HANDSHAKE_MAX_MS 10000
#define ACCEPT_PAUSE_MS 200

enum { OPT_PORT = 1, OPT_ORIGINS };

static const struct orma_option options[] = {
    {OPT_PORT, 0, "port", "PORT",
     "Port on 127.0.0.1. Default: 8037, which the viewer uses. 0: any free port."},
    {OPT_ORIGINS, 0, "additional-cors-origins", "LIST",
     "Also accept connections from pages of these origins."},
    {0},
};

const struct orma_command orma_cmd_websocket_bridge = {
    .name = PROGRAM,
    .summary = "Let the viewer in a browser record with the service of this machine.",
    .synopsis = "[OPTIONS]",
    .details = "https://ui.perfetto.dev, 'Record new trace', target Linux, connects to it. It runs "
               "until Ctrl-C. The browser must run as the same user (or the one who called sudo): "
               "it may do whatever that user may.",
    .examples = "  tracebox websocket_bridge\n",
    .options = options,
};

struct peer {
    int web, service; /* -1: free; service: before the handshake */
    struct orma_buf in;
    struct orma_outbox to_web, to_service;
    uint64_t since_ms; /* it is connected */
    bool ending;       /* when the browser has taken all */
};

struct bridge {
    int listener;
    const char *origins;
    bool refused;               /* somebody, which was said */
    uint64_t now_ms, accept_ms; /* accept_ms: not before that; 0: now */
    struct peer peers[PEERS_MAX];
    uint8_t block[BLOCK];
};

static void end(struct peer *p)
{
    orma_fd_close(&p->web);
    orma_fd_close(&p->service);
    orma_buf_fini(&p->in);
    orma_outbox_fini(&p->to_web);
    orma_outbox_fini(&p->to_service);
    *p = (struct peer){.web = -1, .service = -1};
}

static uint64_t clock_ms(void)
{
    return orma_clock_monotonic() / 1000000;
}

static void put_frame(struct peer *p, enum orma_ws_op op, const void *data, size_t len)
{
    uint8_t head[10];

    orma_outbox_put(&p->to_web, head, orma_ws_head(op, len, head));
    orma_outbox_put(&p->to_web, data, len);
}

/* ---- from the browser ---- */

static void refuse(struct peer *p, const char *status)
{
    orma_buf_printf(&p->to_web.bytes,
                    "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    p->ending = true;
}

static bool connect_service(struct peer *p)
{
    int fd = orma_sock_connect(orma_sock_consumer_addr());

    if (fd < 0) {
        fprintf(stderr, PROGRAM ": no tracing service on %s: %s; start traced\n",
                orma_sock_consumer_addr(), orma_sock_why(-fd));
        refuse(p, "503 Service Unavailable");
        return false;
    }
    p->service = fd;
    return true;
}

static void shake_hands(struct bridge *b, struct peer *p)
{
    struct orma_http_request rq;

    switch (orma_http_request_parse(orma_buf_str(&p->in), &rq)) {
    case ORMA_HTTP_MORE:
        return;
    case ORMA_HTTP_BAD:
    case ORMA_HTTP_TOO_LARGE:
        refuse(p, "400 Bad Request");
        return;
    case ORMA_HTTP_WHOLE:
        break;
    }
    if (!orma_str_eq_c(rq.path, "/traced")) {
        refuse(p, "404 Not Found");
        return;
    }
    struct orma_str origin =
        orma_ws_origin_allowed(rq.origin, b->origins) ? rq.origin : ORMA_STR("");
    if (origin.len && !connect_service(p))
        return;
    p->ending = !orma_ws_handshake(&rq, origin, &p->to_web.bytes);
    orma_buf_consume(&p->in, rq.used);
}

/* False: nothing more can be taken now. */
static bool take_frame(struct peer *p)
{
    struct orma_str body = {0};
    size_t used = 0;

    switch (orma_ws_frame(p->in.data, p->in.len, &body, &used)) {
    case ORMA_WS_MORE:
        return false;
    case ORMA_WS_DATA:
        orma_outbox_put(&p->to_service, body.data, body.len);
        break;
    case ORMA_WS_PING:
        if (orma_outbox_waiting(&p->to_web) < WAITING_MAX) /* who reads none needs no more */
            put_frame(p, ORMA_WS_PONG, body.data, body.len);
        break;
    case ORMA_WS_CLOSE:
        put_frame(p, ORMA_WS_CLOSE, body.data, body.len);
        p->ending = true;
        return false;
    case ORMA_WS_PONG:
        break;
    case ORMA_WS_BAD:
        p->ending = true;
        return false;
    }
    orma_buf_consume(&p->in, used);
    return true;
}

/* False: the connection is over. */
static bool on_web(struct bridge *b, struct peer *p)
{
    ssize_t n = recv(p->web, b->block, BLOCK, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    orma_buf_put(&p->in, b->block, (size_t)n);
    if (p->service < 0)
        shake_hands(b, p);
    while (p->service >= 0 && p->in.len && !p->ending && take_frame(p))
        ;
    return !p->in.failed;
}

/* ---- from the service ---- */

/* Descriptors that come along are not for browsers; recv() lets the kernel close them. */
static bool on_service(struct bridge *b, struct peer *p)
{
    ssize_t n = recv(p->service, b->block, BLOCK, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n > 0)
        put_frame(p, ORMA_WS_DATA, b->block, (size_t)n);
    else
        p->ending = true; /* what it said before is still passed on */
    return true;
}

/* ---- the loop ---- */

/* Before it takes one of few places, and before anything is read. */
static bool may_connect(struct bridge *b, int fd)
{
    static const char no[] =
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    uint32_t uid = 0;
    const bool known = orma_peer_user(fd, &uid);

    if (known && orma_peer_is_ours(uid))
        return true;
    if (!b->refused && known)
        fprintf(stderr,
                PROGRAM ": refused a connection from user %u: the browser must run as the user who "
                        "started this program\n",
                uid);
    b->refused |= known;                                              /* else it is gone already */
    (void)!send(fd, no, sizeof(no) - 1, MSG_DONTWAIT | MSG_NOSIGNAL); /* it may have gone */
    return false;
}

static void on_connection(struct bridge *b)
{
    int fd = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            b->accept_ms = b->now_ms + ACCEPT_PAUSE_MS; /* else poll() tells of it for ever */
        return;
    }
    const bool welcome = may_connect(b, fd);
    for (size_t i = 0; welcome && i < PEERS_MAX; i++) {
        if (b->peers[i].web < 0) {
            b->peers[i].web = fd;
            b->peers[i].since_ms = b->now_ms;
            return;
        }
    }
    (void)close(fd); /* too many, or not for us */
}

static short events_of(bool read, const struct orma_outbox *out)
{
    return (short)((read ? POLLIN : 0) | (orma_outbox_waiting(out) ? POLLOUT : 0));
}

/* Both sides of a peer, to fds[0] and fds[1]. */
static void fill(const struct peer *p, struct pollfd *fds)
{
    bool service_takes = orma_outbox_waiting(&p->to_service) < WAITING_MAX;
    bool web_takes = orma_outbox_waiting(&p->to_web) < WAITING_MAX;

    fds[0] =
        (struct pollfd){.fd = p->web, .events = events_of(service_takes && !p->ending, &p->to_web)};
    fds[1] = (struct pollfd){.fd = p->ending ? -1 : p->service,
                             .events = events_of(web_takes, &p->to_service)};
}

static void serve_peer(struct bridge *b, struct peer *p, const struct pollfd *fds)
{
    bool good = true;

    if (fds[0].revents & (POLLERR | POLLHUP))
        good = fds[0].events & POLLIN && fds[0].revents & POLLIN;
    if (good && fds[0].revents & POLLIN)
        good = on_web(b, p);
    if (good && fds[1].fd >= 0 && fds[1].revents & (POLLIN | POLLERR | POLLHUP) && !p->ending)
        good = fds[1].revents & POLLIN ? on_service(b, p) : !(fds[1].events & POLLIN);
    if (good && p->service >= 0 && orma_outbox_flush(&p->to_service, p->service) < 0)
        p->ending = true;
    if (good)
        good = orma_outbox_flush(&p->to_web, p->web) >= 0 &&
               !(p->ending && !orma_outbox_waiting(&p->to_web));
    /* Half a handshake keeps one of few places. */
    if (good && p->service < 0 && b->now_ms - p->since_ms > HANDSHAKE_MAX_MS)
        good = false;
    if (!good)
        end(p);
}

static int sleep_ms(const struct bridge *b)
{
    if (b->accept_ms)
        return ACCEPT_PAUSE_MS;
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (b->peers[i].web >= 0 && b->peers[i].service < 0)
            return 500;
    }
    return -1;
}

static int serve(struct bridge *b, int stop_fd)
{
    struct pollfd fds[2 + 2 * PEERS_MAX];

    for (;;) {
        fds[0] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = b->accept_ms ? -1 : b->listener, .events = POLLIN};
        for (size_t i = 0; i < PEERS_MAX; i++)
            fill(&b->peers[i], fds + 2 + 2 * i);
        int n = poll(fds, ORMA_ARRAY_LEN(fds), sleep_ms(b));
        if (n < 0 && errno != EINTR)
            return ORMA_EXIT_FAILURE;
        for (size_t i = 0; n <= 0 && i < ORMA_ARRAY_LEN(fds); i++)
            fds[i].revents = 0;
        b->now_ms = clock_ms();
        if (fds[0].revents)
            return ORMA_EXIT_OK;
        for (size_t i = 0; i < PEERS_MAX; i++) {
            if (b->peers[i].web >= 0)
                serve_peer(b, &b->peers[i], fds + 2 + 2 * i);
        }
        if (b->accept_ms && b->now_ms >= b->accept_ms)
            b->accept_ms = 0;
        if (fds[1].revents)
            on_connection(b);
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

static int run(const char *origins, uint16_t port)
{
    static struct bridge b; /* its block is large */
    static const int signals[] = {SIGINT, SIGTERM, 0};
    ORMA_AUTO(orma_fd_close) int stop_fd = orma_signals_open(PROGRAM, signals);

    if (stop_fd < 0)
        return ORMA_EXIT_FAILURE;
    b.origins = origins;
    for (size_t i = 0; i < PEERS_MAX; i++)
        b.peers[i] = (struct peer){.web = -1, .service = -1};
    b.listener = listen_at(&port);
    if (b.listener < 0) {
        fprintf(stderr, PROGRAM ": cannot listen on 127.0.0.1:%u: %s%s\n", (unsigned)port,
                strerror(-b.listener), b.listener == -EADDRINUSE ? "; --port selects another" : "");
        return ORMA_EXIT_FAILURE;
    }
    fprintf(stderr, PROGRAM ": listening on ws://127.0.0.1:%u/traced; Ctrl-C stops it\n",
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
            return orma_cli_usage_error(&cli, "no arguments expected"), 1;
        }
    }
    return run(origins, (uint16_t)port);
}
