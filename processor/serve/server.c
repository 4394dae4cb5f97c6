/*
 * The loop: poll() over the listeners and a bounded number of connections. A
 * connection's bytes are gathered until a request (or frame) is whole; it is
 * answered at once, writing until all is written.
 */
#include "processor/serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "processor/serve/http_request.h"
#include "processor/serve/websocket.h"
#include "protos/fields/trace_processor.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"

#define CONNS_MAX 64
#define LISTENERS_MAX 2
#define SEND_TIMEOUT_MS 30000
#define READ_BLOCK ((size_t)256 << 10)
#define IN_MAX (ORMA_HTTP_HEAD_MAX + ORMA_HTTP_BODY_MAX + 16)

#define PROTO_HEADERS "Cache-Control: no-cache\r\nContent-Type: application/x-protobuf\r\n"

static const char help_page[] =
    "Orma: a trace processor\n\n"
    "This port serves one trace to programs. Two that know how to use it:\n\n"
    "1. https://ui.perfetto.dev: open or reload it while this runs, and say yes when it\n"
    "   asks whether to use the native acceleration.\n"
    "2. Python: perfetto.trace_processor.TraceProcessor(addr='localhost:9001')\n";

struct conn {
    int fd; /* -1: free */
    struct orma_buf in;
    struct orma_buf origin; /* of the request, if it is allowed */
    bool websocket, close, close_after;
    bool raw; /* the stream of the RPC itself */
};

struct orma_server {
    struct orma_rpc *rpc;
    char *origins;
    int listeners[LISTENERS_MAX];
    size_t listeners_num;
    bool raw;
    bool local; /* listens on the loopback only */
    uint16_t port;
    struct conn conns[CONNS_MAX];
};

/* ---- sending ---- */

/* Everything, or the connection is given up. */
static bool send_all(struct conn *c, const void *data, size_t len)
{
    const uint8_t *at = data;

    while (len && !c->close) {
        ssize_t n = send(c->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd pfd = {.fd = c->fd, .events = POLLOUT};

        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (errno != EINTR && (errno != EAGAIN || poll(&pfd, 1, SEND_TIMEOUT_MS) <= 0)) {
            c->close = true;
        }
    }
    return !c->close;
}

static void put_cors(const struct conn *c, struct orma_buf *out)
{
    if (c->origin.len)
        orma_buf_printf(out, "Access-Control-Allow-Origin: %.*s\r\nVary: Origin\r\n",
                        ORMA_STR_ARG(orma_buf_str(&c->origin)));
}

static void reply(struct conn *c, const char *status, const char *headers, struct orma_str body,
                  bool close)
{
    struct orma_buf out = {0};

    c->close_after |= close;
    orma_buf_printf(&out, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\nConnection: %s\r\n", status,
                    headers, body.len, c->close_after ? "close" : "keep-alive");
    put_cors(c, &out);
    orma_buf_put_str(&out, "\r\n");
    orma_buf_put(&out, body.data, body.len);
    if (out.failed || !send_all(c, out.data, out.len))
        c->close = true;
    orma_buf_fini(&out);
}

static void reply_error(struct conn *c, const char *status, const char *text)
{
    reply(c, status, "", orma_str_from(text), true);
}

static void begin_chunks(struct conn *c)
{
    struct orma_buf out = {0};

    orma_buf_printf(&out,
                    "HTTP/1.1 200 OK\r\n" PROTO_HEADERS
                    "Transfer-Encoding: chunked\r\nConnection: %s\r\n",
                    c->close_after ? "close" : "keep-alive");
    put_cors(c, &out);
    orma_buf_put_str(&out, "\r\n");
    (void)send_all(c, out.data, out.len); /* failure is in c->close */
    orma_buf_fini(&out);
}

static bool send_chunk(void *ctx, const void *data, size_t len)
{
    struct conn *c = ctx;
    char head[24];
    int n = snprintf(head, sizeof(head), "%zx\r\n", len);

    if (!len) /* that would be the end */
        return !c->close;
    return send_all(c, head, (size_t)n) && send_all(c, data, len) && send_all(c, "\r\n", 2);
}

static void end_chunks(struct conn *c)
{
    (void)send_all(c, "0\r\n\r\n", 5); /* failure is in c->close */
}

static bool send_frame(void *ctx, const void *data, size_t len)
{
    struct conn *c = ctx;
    uint8_t head[10];
    size_t n = orma_ws_head(ORMA_WS_DATA, len, head);

    return send_all(c, head, n) && send_all(c, data, len);
}

static bool send_raw(void *ctx, const void *data, size_t len)
{
    return send_all(ctx, data, len);
}

/* ---- what can be asked for ---- */

/* Calls that give one message. */
static const struct {
    const char *path;
    uint32_t method;
    bool empty; /* the answer has no body */
} calls[] = {
    {"/status", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_GET_STATUS, false},
    {"/parse", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_APPEND_TRACE_DATA, false},
    {"/notify_eof", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_FINALIZE_TRACE_DATA, true},
    {"/restore_initial_tables", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_RESTORE_INITIAL_TABLES, true},
    {"/compute_metric", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_COMPUTE_METRIC, false},
    {"/trace_summary", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_SUMMARIZE_TRACE, false},
    {"/enable_metatrace", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_ENABLE_METATRACE, true},
    {"/disable_and_read_metatrace", ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DISABLE_AND_READ_METATRACE,
     false},
};

static bool serve_call(struct orma_server *self, struct conn *c, const struct orma_http_request *rq)
{
    struct orma_buf out = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(calls); i++) {
        if (!orma_str_eq_c(rq->path, calls[i].path))
            continue;
        (void)orma_rpc_call(self->rpc, calls[i].method, rq->body, &out); /* all are known */
        if (calls[i].empty)
            orma_buf_clear(&out);
        reply(c, "200 OK", PROTO_HEADERS, orma_buf_str(&out), false);
        orma_buf_fini(&out);
        return true;
    }
    return false;
}

static void serve_rpc(struct orma_server *self, struct conn *c, const struct orma_http_request *rq)
{
    begin_chunks(c);
    c->close_after |= !orma_rpc_feed(self->rpc, rq->body.data, rq->body.len, send_chunk, c);
    end_chunks(c);
}

static void serve_query(struct orma_server *self, struct conn *c,
                        const struct orma_http_request *rq)
{
    begin_chunks(c);
    orma_rpc_query(self->rpc, rq->body, send_chunk, c);
    end_chunks(c);
}

/* An export on its way: the head is sent with the first piece. */
struct export
{
    struct conn *conn;
    bool begun;
};

static bool send_export(void *ctx, const void *data, size_t len, bool more)
{
    struct export *export = ctx;

    (void)more; /* the chunks tell */
    if (!export->begun)
        begin_chunks(export->conn);
    export->begun = true;
    return send_chunk(export->conn, data, len);
}

static void serve_export(struct orma_server *self, struct conn *c,
                         const struct orma_http_request *rq)
{
    struct export export = {.conn = c};
    struct orma_buf error = {0};
    int r = orma_rpc_export(self->rpc, rq->body, send_export, &export, &error);

    if (r == 0)
        end_chunks(c);
    else if (export.begun)
        c->close = true; /* a body that is cut off says it */
    else
        reply(c, r == -ENOTSUP ? "501 Not Implemented" : "400 Bad Request", PROTO_HEADERS,
              orma_buf_str(&error), true);
    orma_buf_fini(&error);
}

static void upgrade(struct conn *c, const struct orma_http_request *rq)
{
    struct orma_buf out = {0};
    bool good = orma_ws_handshake(rq, orma_buf_str(&c->origin), &out);

    c->websocket = good && send_all(c, out.data, out.len);
    if (!good)
        (void)send_all(c, out.data, out.len); /* it ends anyway */
    c->close |= !c->websocket;
    orma_buf_fini(&out);
}

static void serve_options(struct conn *c)
{
    reply(c, "204 No Content",
          "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
          "Access-Control-Allow-Headers: *\r\n"
          "Access-Control-Max-Age: 86400\r\n"
          "Access-Control-Allow-Private-Network: true\r\n",
          ORMA_STR(""), true);
}

static void serve(struct orma_server *self, struct conn *c, const struct orma_http_request *rq)
{
    bool allowed = orma_ws_origin_allowed(rq->origin, self->origins);

    orma_buf_clear(&c->origin);
    if (allowed)
        orma_buf_put(&c->origin, rq->origin.data, rq->origin.len);
    if (rq->has_connection && !orma_http_has_word(rq->connection, "keep-alive") &&
        !orma_http_has_word(rq->connection, "upgrade"))
        c->close_after = true;
    if (orma_str_eq_c(rq->method, "OPTIONS")) {
        serve_options(c);
        return;
    }
    if (rq->has_origin && !allowed) {
        reply_error(c, "403 Forbidden", "Origin not allowed");
        return;
    }
    /* A page may have its own name point to this machine: its requests then have no Origin. */
    if (self->local && rq->host.len && !orma_http_host_is_local(rq->host)) {
        reply_error(c, "403 Forbidden", "Host not allowed");
        return;
    }
    if (orma_str_eq_c(rq->path, "/websocket")) {
        upgrade(c, rq);
        return;
    }
    if (orma_str_eq_c(rq->path, "/rpc")) {
        serve_rpc(self, c, rq);
        return;
    }
    if (orma_str_eq_c(rq->path, "/query")) {
        serve_query(self, c, rq);
        return;
    }
    if (orma_str_eq_c(rq->path, "/export")) {
        serve_export(self, c, rq);
        return;
    }
    if (serve_call(self, c, rq))
        return;
    if (orma_str_eq_c(rq->path, "/"))
        reply(c, "200 OK", "Content-Type: text/plain\r\n", orma_str_from(help_page), false);
    else
        reply(c, "404 Not Found", PROTO_HEADERS, ORMA_STR(""), true);
}

/* ---- connections ---- */

static void take_request(struct orma_server *self, struct conn *c, bool *ret_more)
{
    struct orma_http_request rq;

    *ret_more = false;
    switch (orma_http_request_parse(orma_buf_str(&c->in), &rq)) {
    case ORMA_HTTP_MORE:
        return;
    case ORMA_HTTP_BAD:
        reply_error(c, "400 Bad Request", "no HTTP request, or a coding that is not taken");
        return;
    case ORMA_HTTP_TOO_LARGE:
        reply_error(c, "413 Payload Too Large", "the body is larger than 64 MiB");
        return;
    case ORMA_HTTP_WHOLE:
        serve(self, c, &rq);
        orma_buf_consume(&c->in, rq.used);
        *ret_more = true;
    }
}

static void take_frame(struct orma_server *self, struct conn *c, bool *ret_more)
{
    struct orma_str body = {0};
    uint8_t head[10];
    size_t used = 0;

    *ret_more = false;
    enum orma_ws_op op = orma_ws_frame(c->in.data, c->in.len, &body, &used);
    switch (op) {
    case ORMA_WS_MORE:
        return;
    case ORMA_WS_DATA:
        c->close |= !orma_rpc_feed(self->rpc, body.data, body.len, send_frame, c);
        break;
    case ORMA_WS_PING:
        if (send_all(c, head, orma_ws_head(ORMA_WS_PONG, body.len, head)))
            (void)send_all(c, body.data, body.len); /* failure is in c->close */
        break;
    case ORMA_WS_CLOSE:
        if (send_all(c, head, orma_ws_head(ORMA_WS_CLOSE, body.len, head)))
            (void)send_all(c, body.data, body.len); /* likewise */
        c->close = true;
        break;
    case ORMA_WS_PONG:
        break;
    case ORMA_WS_BAD:
        c->close = true;
        return;
    }
    orma_buf_consume(&c->in, used);
    *ret_more = true;
}

static void take_all(struct orma_server *self, struct conn *c)
{
    bool more = true;

    if (c->raw) {
        c->close |= !orma_rpc_feed(self->rpc, c->in.data, c->in.len, send_raw, c);
        orma_buf_clear(&c->in);
        return;
    }

    while (more && c->in.len && !c->close && !c->close_after) {
        if (c->websocket)
            take_frame(self, c, &more);
        else
            take_request(self, c, &more);
    }
}

static void end(struct conn *c)
{
    orma_fd_close(&c->fd);
    orma_buf_fini(&c->in);
    orma_buf_fini(&c->origin);
    *c = (struct conn){.fd = -1};
}

static void on_readable(struct orma_server *self, struct conn *c)
{
    uint8_t *room = orma_buf_reserve(&c->in, READ_BLOCK) ? c->in.data + c->in.len : NULL;
    ssize_t n = room ? recv(c->fd, room, READ_BLOCK, MSG_DONTWAIT) : 0;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        c->in.len += (size_t)n;
        take_all(self, c);
    }
    if (n <= 0 || c->close || c->close_after || c->in.len > IN_MAX)
        end(c);
}

static void on_connection(struct orma_server *self, int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), one = 1;

    if (fd < 0)
        return; /* gone again, or no descriptors: it is tried again */
    for (size_t i = 0; i < CONNS_MAX; i++) {
        if (self->conns[i].fd >= 0)
            continue;
        self->conns[i].fd = fd;
        self->conns[i].raw = self->raw;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* only faster */
        return;
    }
    (void)close(fd); /* too many */
}

/* ---- listening ---- */

static int listen_on(struct orma_server *self, const struct sockaddr *addr, socklen_t len)
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
    self->listeners[self->listeners_num++] = fd;
    fd = -1;
    return 0;
}

static int listen_v4(struct orma_server *self, const char *address, uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};

    if (inet_pton(AF_INET, address, &addr.sin_addr) != 1)
        return -EINVAL;
    return listen_on(self, (struct sockaddr *)&addr, sizeof(addr));
}

static int listen_v6(struct orma_server *self, const char *address, uint16_t port)
{
    struct sockaddr_in6 addr = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

    if (inet_pton(AF_INET6, address, &addr.sin6_addr) != 1)
        return -EINVAL;
    return listen_on(self, (struct sockaddr *)&addr, sizeof(addr));
}

static int listen_all(struct orma_server *self, const struct orma_server_config *config)
{
    const char *address = config->address;
    int r;

    if (config->unix_fd >= 0) {
        self->listeners[self->listeners_num++] = config->unix_fd;
        self->raw = true;
        return 0;
    }
    if (address && strcmp(address, "localhost"))
        return strchr(address, ':') ? listen_v6(self, address, config->port)
                                    : listen_v4(self, address, config->port);
    self->local = true;
    r = listen_v4(self, "127.0.0.1", config->port);
    if (r == 0)
        (void)listen_v6(self, "::1", self->port); /* a machine without IPv6 is fine */
    return r;
}

int orma_server_new(const struct orma_server_config *config, struct orma_rpc *rpc,
                    struct orma_server **ret)
{
    struct orma_server *self = calloc(1, sizeof(*self));
    int r = -ENOMEM;

    if (!self)
        return r;
    self->rpc = rpc;
    for (size_t i = 0; i < CONNS_MAX; i++)
        self->conns[i].fd = -1;
    self->origins = strdup(config->origins ? config->origins : "");
    if (self->origins)
        r = listen_all(self, config);
    if (r < 0)
        orma_server_free(self);
    else
        *ret = self;
    return r;
}

void orma_server_free(struct orma_server *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < CONNS_MAX; i++)
        end(&self->conns[i]);
    for (size_t i = 0; i < self->listeners_num; i++)
        orma_fd_close(&self->listeners[i]);
    free(self->origins);
    free(self);
}

uint16_t orma_server_port(const struct orma_server *self)
{
    return self->port;
}

/* Fills the list for poll(): stop, listeners, connections; of free ones the descriptor is -1. */
static size_t fill(const struct orma_server *self, int stop_fd, struct pollfd *fds)
{
    size_t num = 0;

    fds[num++] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
    for (size_t i = 0; i < self->listeners_num; i++)
        fds[num++] = (struct pollfd){.fd = self->listeners[i], .events = POLLIN};
    for (size_t i = 0; i < CONNS_MAX; i++)
        fds[num++] = (struct pollfd){.fd = self->conns[i].fd, .events = POLLIN};
    return num;
}

int orma_server_run(struct orma_server *self, int stop_fd, uint64_t idle_ms)
{
    struct pollfd fds[1 + LISTENERS_MAX + CONNS_MAX];
    int timeout = idle_ms == 0 ? -1 : idle_ms > INT32_MAX ? INT32_MAX : (int)idle_ms;

    for (;;) {
        size_t num = fill(self, stop_fd, fds), at = 1;
        int n = poll(fds, num, timeout);

        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0 || (n > 0 && fds[0].revents))
            return 0;
        for (size_t i = 0; n > 0 && i < self->listeners_num; i++, at++) {
            if (fds[at].revents)
                on_connection(self, self->listeners[i]);
        }
        for (size_t i = 0; n > 0 && i < CONNS_MAX; i++, at++) {
            if (fds[at].fd >= 0 && fds[at].revents)
                on_readable(self, &self->conns[i]);
        }
    }
}
