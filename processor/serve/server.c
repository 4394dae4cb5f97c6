/*
 * The loop: poll() over the listeners and a bounded number of connections, never
 * blocking. A connection's bytes are gathered until a request (or frame) is whole. What
 * needs the processor becomes a job (jobs.h), one at a time for each connection, so that
 * answers keep their order and clients take turns; all else is answered here, at once.
 *
 *   fd ─► in ─► request ─┬─► answer ─────────────────────► outbox ─► fd
 *                        └─► job ═ worker ═► its output ─►
 *
 * Everything that a client can make us hold or wait for has a limit: see the constants.
 */
#include "processor/serve/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "processor/serve/http_reply.h"
#include "processor/serve/listen.h"
#include "processor/serve/outbox.h"
#include "processor/serve/peer.h"
#include "processor/serve/requests.h"
#include "processor/serve/websocket.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"

/* So many requests may wait for the processor, of users other than ours half as many; and so many
 * connections more, for what needs no processor and to say that there are too many. */
#define JOBS_MAX 64
#define CONNS_MAX (JOBS_MAX + 8)
#define READ_BLOCK ((size_t)256 << 10)
#define IN_MAX (ORMA_HTTP_HEAD_MAX + ORMA_HTTP_BODY_MAX + 16)
/* Of all connections together: a few of the largest requests. */
#define IN_TOTAL_MAX ((size_t)256 << 20)
/* What is read ahead while a job runs: the next requests, and that the client leaves. Also, what
 * waits for a client before its next request is looked at: answers are longer than requests. */
#define AHEAD_MAX ((size_t)1 << 20)
/* A result waits here for its client, so that the worker can go on. */
#define OUT_MAX ((size_t)32 << 20)
#define OUT_TOTAL_MAX ((size_t)256 << 20)
/* A request must be whole after this, and at least so many bytes per ms. */
#define REQUEST_MS 10000
#define REQUEST_BYTES_PER_MS 128
/* A client that takes nothing for this long is dropped... */
#define SEND_MS 30000
/* ...and one whose full outbox keeps others waiting, after this in all. */
#define HOLD_MS 5000
/* One that shuts its sending side down may still want an answer; but not for ever. */
#define HALF_CLOSED_MS 1000
#define TICK_MS 50
#define ACCEPT_PAUSE_MS 200
#define STOP_MS 3000

static const char help_page[] =
    "Orma: a trace processor\n"
    "\n"
    "This port serves one trace to programs. Two that know how to use it:\n"
    "\n"
    "1. https://ui.perfetto.dev: open or reload it while this runs, and say yes when it\n"
    "   asks whether to use native acceleration.\n"
    "2. Python: perfetto.trace_processor.TraceProcessor(addr='localhost:9001')\n";

struct conn {
    int fd; /* -1: free */
    struct orma_buf in;
    size_t at; /* bytes of `in` that are done with */
    struct orma_outbox out;
    struct orma_job *job;          /* of the request that is being answered */
    struct orma_rpc_stream stream; /* with its job while that runs */
    size_t stream_len;             /* of its bytes at the begin of the job */
    struct orma_buf origin;        /* of the request, if it is allowed */
    bool websocket;
    bool raw;          /* the stream of the RPC itself */
    bool is_known;     /* `is_ours` is */
    bool is_ours;      /* a program of root, or of whoever runs the server */
    bool close_after;  /* the request is the last one */
    bool ending;       /* it is closed when all is sent */
    bool eof;          /* nothing more will come */
    bool stalled;      /* requests wait for the client to read its answers */
    uint64_t begun_ms; /* of a request that is not whole; 0: none */
    uint64_t half_ms;  /* the same for a message of the RPC: some of it came then */
    uint64_t used_ms;  /* something came, or was done */
    uint64_t sent_ms;  /* something could be sent, or there was nothing */
    uint64_t eof_ms;
    uint64_t held_ms; /* how long others have waited for it */
};

struct orma_server {
    struct orma_rpc *rpc;
    struct orma_jobs *jobs;
    char *origins;
    struct orma_listeners listeners;
    bool raw;
    uint64_t now_ms, accept_ms, used_ms; /* accept_ms: not before that */
    struct conn conns[CONNS_MAX];
};

/* What came and is not done with. */
static struct orma_str pending(const struct conn *c)
{
    return (struct orma_str){(const char *)c->in.data + c->at, c->in.len - c->at};
}

static uint64_t clock_ms(void)
{
    return orma_clock_monotonic() / 1000000;
}

static void end(struct orma_server *self, struct conn *c)
{
    if (c->job)
        orma_jobs_cancel(self->jobs, c->job);
    orma_fd_close(&c->fd);
    orma_buf_fini(&c->in);
    orma_outbox_fini(&c->out);
    orma_buf_fini(&c->origin);
    orma_rpc_stream_fini(&c->stream);
    *c = (struct conn){.fd = -1};
}

/* ---- answers that need no job ---- */

static void reply(struct conn *c, const char *status, const char *headers, struct orma_str body,
                  bool close)
{
    c->close_after |= close;
    orma_http_reply(&c->out.bytes, status, headers, body, orma_buf_str(&c->origin), c->close_after);
    c->ending |= c->close_after;
}

static void reply_error(struct conn *c, const char *status, const char *text)
{
    reply(c, status, "", orma_str_from(text), true);
}

static void serve_status(struct orma_server *self, struct conn *c)
{
    struct orma_buf status = {0};

    orma_jobs_status(self->jobs, &status);
    reply(c, "200 OK", ORMA_HTTP_PROTO_HEADERS, orma_buf_str(&status), false);
    orma_buf_fini(&status);
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

static void upgrade(struct conn *c, const struct orma_http_request *rq)
{
    c->websocket = orma_ws_handshake(rq, orma_buf_str(&c->origin), &c->out.bytes);
    c->ending |= !c->websocket;
}

/* ---- requests ---- */

/* Whose program is it? Asked only where it matters: the answer is in a table of all connections. */
static bool is_ours(const struct orma_server *self, struct conn *c)
{
    uint32_t uid;

    if (!c->is_known)
        c->is_ours = self->raw || (orma_peer_user(c->fd, &uid) && orma_peer_is_ours(uid));
    c->is_known = true;
    return c->is_ours;
}

/* May one more request wait for the processor? Nobody is asked who it is while none does. */
static bool may_start(struct orma_server *self, struct conn *c)
{
    size_t all = 0, foreign = 0;

    for (size_t i = 0; orma_jobs_look(self->jobs).busy && i < CONNS_MAX; i++) {
        struct conn *other = &self->conns[i];

        all += other->job != NULL;
        foreign += other->job && !is_ours(self, other);
    }
    return all < JOBS_MAX && (foreign < JOBS_MAX / 2 || is_ours(self, c));
}

/* The job gets the bytes it is about: the first `used` of what is pending. */
static void start(struct orma_server *self, struct conn *c, struct orma_job *job,
                  struct orma_str body, size_t used)
{
    struct orma_buf rest = {0};

    used += c->at;
    orma_buf_put(&rest, c->in.data + used, c->in.len - used);
    c->ending |= rest.failed;
    job->in = c->in;
    job->body = body;
    c->in = rest;
    c->at = 0;
    job->stream = c->stream;
    c->stream_len = c->stream.in.len;
    c->stream = (struct orma_rpc_stream){0};
    orma_buf_put(&job->origin, c->origin.data, c->origin.len);
    job->close_after = c->close_after;
    job->favoured = orma_jobs_look(self->jobs).busy && is_ours(self, c);
    c->job = job;
    c->begun_ms = 0;
    orma_jobs_add(self->jobs, job);
}

/* A page may make a browser send a GET without saying so to anybody, by an image. */
static bool may_act(const struct orma_http_request *rq, bool allowed)
{
    bool foreign = rq->fetch_site.len && !orma_str_eq_c(rq->fetch_site, "same-origin") &&
                   !orma_str_eq_c(rq->fetch_site, "none");

    return (!foreign || allowed) && (!rq->browser || orma_str_eq_c(rq->method, "POST"));
}

/* True if the request was taken by a job, which has its bytes then. */
static bool serve(struct orma_server *self, struct conn *c, const struct orma_http_request *rq)
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
    } else if (rq->has_origin && !allowed) {
        reply_error(c, "403 Forbidden", "Origin not allowed");
    } else if (self->listeners.local && rq->host.len && !orma_http_host_is_local(rq->host)) {
        /* A page may have its own name point to this machine: its requests have no Origin. */
        reply_error(c, "403 Forbidden", "Host not allowed");
    } else if (orma_str_eq_c(rq->path, "/websocket")) {
        upgrade(c, rq);
    } else if (orma_str_eq_c(rq->path, "/status")) {
        serve_status(self, c);
    } else if (orma_str_eq_c(rq->path, "/")) {
        reply(c, "200 OK", "Content-Type: text/plain\r\n", orma_str_from(help_page), false);
    } else {
        struct orma_job *job = orma_request_job(rq->path);

        bool acts = job && may_act(rq, allowed);

        if (acts && may_start(self, c)) {
            start(self, c, job, rq->body, rq->used);
            return true;
        }
        if (acts)
            reply_error(c, "503 Service Unavailable",
                        "too many requests wait for this server already: try again later, or end "
                        "queries of other clients (--query-timeout limits them)");
        else if (job)
            reply(c, "405 Method Not Allowed", "Allow: POST\r\n",
                  ORMA_STR("browsers must use POST, from an allowed page"), true);
        else
            reply(c, "404 Not Found", ORMA_HTTP_PROTO_HEADERS, ORMA_STR(""), true);
        orma_job_free(job);
    }
    return false;
}

/* False: nothing more can be taken now. */
static bool take_request(struct orma_server *self, struct conn *c)
{
    struct orma_http_request rq;

    switch (orma_http_request_parse(pending(c), &rq)) {
    case ORMA_HTTP_MORE:
        return false;
    case ORMA_HTTP_BAD:
        reply_error(c, "400 Bad Request", "not an HTTP request, or an unsupported encoding");
        return false;
    case ORMA_HTTP_TOO_LARGE:
        reply_error(c, "413 Payload Too Large", "the body is larger than 64 MiB");
        return false;
    case ORMA_HTTP_WHOLE:
        break;
    }
    if (!serve(self, c, &rq))
        c->at += rq.used;
    c->begun_ms = 0;
    return true;
}

static void put_frame(struct conn *c, enum orma_ws_op op, struct orma_str body)
{
    uint8_t head[10];

    orma_outbox_put(&c->out, head, orma_ws_head(op, body.len, head));
    orma_outbox_put(&c->out, body.data, body.len);
}

/* The same for a frame. While a job runs, what comes before the next data frame is looked at. */
static bool take_frame(struct orma_server *self, struct conn *c)
{
    struct orma_str body = {0};
    uint8_t *data = c->in.data + c->at;
    size_t used = 0, len = c->in.len - c->at;

    if (c->job && !orma_ws_is_control(data, len))
        return false;
    switch (orma_ws_frame(data, len, &body, &used)) {
    case ORMA_WS_MORE:
        return false;
    case ORMA_WS_DATA: {
        struct orma_job *job = may_start(self, c) ? orma_job_new(orma_request_run_websocket) : NULL;

        c->ending |= !job;
        if (job)
            start(self, c, job, body, used);
        return true;
    }
    case ORMA_WS_PING:
        if (orma_outbox_waiting(&c->out) < AHEAD_MAX) /* who reads none needs no more */
            put_frame(c, ORMA_WS_PONG, body);
        break;
    case ORMA_WS_CLOSE:
        put_frame(c, ORMA_WS_CLOSE, body);
        c->ending = true;
        break;
    case ORMA_WS_PONG:
        break;
    case ORMA_WS_BAD:
        c->ending = true;
        return false;
    }
    c->at += used;
    c->begun_ms = 0;
    return true;
}

static bool take_raw(struct orma_server *self, struct conn *c)
{
    struct orma_job *job = may_start(self, c) ? orma_job_new(orma_request_run_raw) : NULL;

    c->ending |= !job;
    if (job)
        start(self, c, job, pending(c), pending(c).len);
    return false;
}

/* Whatever is whole, up to the next job, or up to what the client has to read first. */
static void take_all(struct orma_server *self, struct conn *c)
{
    bool more = true;

    c->stalled = false;
    while (more && pending(c).len && !c->ending && !c->stalled) {
        if (!c->job && orma_outbox_waiting(&c->out) >= AHEAD_MAX)
            c->stalled = true;
        else if (c->websocket)
            more = take_frame(self, c);
        else if (c->job)
            break;
        else
            more = c->raw ? take_raw(self, c) : take_request(self, c);
    }
    if (c->at) /* once for all: moving the rest for each would take long */
        orma_buf_consume(&c->in, c->at);
    c->at = 0;
    if (c->in.len && !c->job && !c->begun_ms && !c->stalled)
        c->begun_ms = self->now_ms;
    if (c->in.failed)
        c->ending = true;
}

/* ---- jobs and their output ---- */

static size_t total_out(const struct orma_server *self)
{
    size_t sum = 0;

    for (size_t i = 0; i < CONNS_MAX; i++)
        sum += orma_outbox_waiting(&self->conns[i].out);
    return sum;
}

static size_t total_in(const struct orma_server *self)
{
    size_t sum = 0;

    for (size_t i = 0; i < CONNS_MAX; i++) {
        const struct conn *c = &self->conns[i];

        /* The stream belongs to the worker while a job runs: what it had then, and what came. */
        sum += c->in.len + (c->job ? c->job->in.len + c->stream_len : c->stream.in.len);
    }
    return sum;
}

/* A message that came in many pieces is held like a request that did: for so long, and so much. */
static void look_at_stream(struct orma_server *self, struct conn *c, size_t came)
{
    size_t len = c->stream.in.len;

    if (!len)
        c->half_ms = 0;
    else if (!c->half_ms || len <= came) /* another one than before */
        c->half_ms = self->now_ms;
    if (len > READ_BLOCK && total_in(self) > IN_TOTAL_MAX)
        c->ending = true;
}

static void job_done(struct orma_server *self, struct conn *c)
{
    struct orma_job *job = c->job;

    c->job = NULL;
    c->stream = job->stream;
    job->stream = (struct orma_rpc_stream){0};
    look_at_stream(self, c, job->body.len);
    c->ending |= job->close_after || job->cut;
    orma_job_free(job);
    c->used_ms = self->used_ms = self->now_ms;
    take_all(self, c);
}

/* Fetches what a job made, if the client is not too far behind. */
static void fetch(struct orma_server *self, struct conn *c)
{
    while (c->job && (!orma_outbox_waiting(&c->out) || (orma_outbox_waiting(&c->out) < OUT_MAX &&
                                                        total_out(self) < OUT_TOTAL_MAX))) {
        struct orma_buf got = {0};
        bool done = orma_jobs_take(self->jobs, c->job, &got);
        bool some = got.len;

        if (!c->out.bytes.len && some) { /* no copy of a large answer */
            orma_buf_fini(&c->out.bytes);
            c->out.bytes = got;
        } else {
            orma_outbox_put(&c->out, got.data, got.len);
            c->out.bytes.failed |= got.failed;
            orma_buf_fini(&got);
        }
        if (done)
            job_done(self, c);
        else if (!some)
            break;
    }
}

/* Sends what can be sent. Ends the connection if it is over. */
static void push_once(struct orma_server *self, struct conn *c)
{
    int64_t n = orma_outbox_flush(&c->out, c->fd);
    bool all = n >= 0 && !orma_outbox_waiting(&c->out);

    if (n > 0 || all)
        c->sent_ms = self->now_ms;
    if (n < 0 || (all && c->ending) || (all && c->eof && !c->job && !c->stalled))
        end(self, c);
}

/* The same, and takes the requests that waited for it. */
static void push(struct orma_server *self, struct conn *c)
{
    push_once(self, c);
    while (c->fd >= 0 && c->stalled && orma_outbox_waiting(&c->out) < AHEAD_MAX) {
        take_all(self, c);
        push_once(self, c);
    }
}

/* ---- connections ---- */

static bool wants_to_read(const struct conn *c)
{
    return !c->eof && !c->ending && !c->stalled && c->in.len < (c->job ? AHEAD_MAX : IN_MAX);
}

static void on_end_of_input(struct orma_server *self, struct conn *c)
{
    if (!c->eof)
        c->eof_ms = self->now_ms;
    c->eof = true;
    if (c->websocket) /* it says good-bye otherwise */
        end(self, c);
}

static void on_readable(struct orma_server *self, struct conn *c)
{
    uint8_t *room = orma_buf_reserve(&c->in, READ_BLOCK) ? c->in.data + c->in.len : NULL;
    ssize_t n = room ? recv(c->fd, room, READ_BLOCK, MSG_DONTWAIT) : 0;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        if (n < 0 || !room)
            end(self, c);
        else
            on_end_of_input(self, c);
        return;
    }
    c->in.len += (size_t)n;
    c->used_ms = self->used_ms = self->now_ms;
    take_all(self, c);
    if (total_in(self) <= IN_TOTAL_MAX || c->job || c->ending)
        return;
    if (c->websocket || c->raw)
        end(self, c);
    else
        reply_error(c, "503 Service Unavailable", "too many requests at once: try again");
}

static void on_event(struct orma_server *self, struct conn *c, short events)
{
    if (events & POLLERR) {
        end(self, c);
        return;
    }
    if (events & POLLIN && wants_to_read(c))
        on_readable(self, c);
    else if (events & POLLHUP)
        end(self, c); /* nobody reads, and all that came was read */
    else if (events & POLLRDHUP)
        on_end_of_input(self, c);
}

static struct conn *find_free(struct orma_server *self)
{
    for (size_t i = 0; i < CONNS_MAX; i++) {
        if (self->conns[i].fd < 0)
            return &self->conns[i];
    }
    return NULL;
}

/* Ends the connection that has done nothing for longest. False: all are at work. */
static bool evict(struct orma_server *self)
{
    struct conn *oldest = NULL;

    for (size_t i = 0; i < CONNS_MAX; i++) {
        struct conn *c = &self->conns[i];

        if (c->fd < 0 || c->job || orma_outbox_waiting(&c->out))
            continue;
        /* WebSockets last: somebody looks at a page. */
        if (!oldest || c->websocket < oldest->websocket ||
            (c->websocket == oldest->websocket && c->used_ms < oldest->used_ms))
            oldest = c;
    }
    if (oldest)
        end(self, oldest);
    return oldest;
}

static bool out_of_descriptors(void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
}

static void on_connection(struct orma_server *self, int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), one = 1;

    if (fd < 0) {
        /* Without a pause poll() would tell of it again and again. */
        if (out_of_descriptors() && !evict(self))
            self->accept_ms = self->now_ms + ACCEPT_PAUSE_MS;
        return;
    }
    if (!find_free(self) && !evict(self)) {
        (void)close(fd); /* too many, and all at work */
        return;
    }
    *find_free(self) =
        (struct conn){.fd = fd, .raw = self->raw, .used_ms = self->now_ms, .sent_ms = self->now_ms};
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* only faster */
}

/* ---- time ---- */

static void check_times(struct orma_server *self, struct conn *c,
                        const struct orma_jobs_state *jobs, uint64_t passed_ms)
{
    uint64_t now = self->now_ms;

    if (jobs->blocked && jobs->blocked == c->job && jobs->waiting)
        c->held_ms += passed_ms;
    if (orma_outbox_waiting(&c->out) && now - c->sent_ms > SEND_MS)
        end(self, c);
    else if (c->held_ms > HOLD_MS)
        end(self, c);
    else if (c->eof && c->job && now - c->eof_ms > HALF_CLOSED_MS)
        end(self, c);
    else if (c->half_ms && !c->job &&
             now - c->half_ms > REQUEST_MS + c->stream.in.len / REQUEST_BYTES_PER_MS)
        end(self, c);
    else if (c->begun_ms && !c->job && !c->ending &&
             now - c->begun_ms > REQUEST_MS + c->in.len / REQUEST_BYTES_PER_MS) {
        if (!c->websocket)
            reply_error(c, "408 Request Timeout", "the request was not completed");
        c->ending = true;
    }
}

/* How long poll() may sleep. */
static int sleep_ms(const struct orma_server *self, const struct orma_jobs_state *jobs,
                    uint64_t idle_ms)
{
    uint64_t ms = UINT64_MAX;

    if (jobs->busy)
        ms = TICK_MS;
    else if (idle_ms)
        ms = self->used_ms + idle_ms > self->now_ms ? self->used_ms + idle_ms - self->now_ms : 0;
    if (self->accept_ms)
        ms = ORMA_MIN(ms, ACCEPT_PAUSE_MS);
    for (size_t i = 0; i < CONNS_MAX; i++) {
        const struct conn *c = &self->conns[i];

        if (c->fd >= 0 && (c->begun_ms || c->half_ms || orma_outbox_waiting(&c->out)))
            ms = ORMA_MIN(ms, 500u);
    }
    return ms == UINT64_MAX ? -1 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* ---- the loop ---- */

#define FDS_MAX (2 + ORMA_LISTENERS_MAX + CONNS_MAX)

/* Who is asked, in this order: stop, worker, listeners, connections. */
struct polled {
    struct pollfd fds[FDS_MAX];
    size_t num, first_listener, first_conn;
    unsigned char conns[CONNS_MAX]; /* their numbers */
};

static short events_of(const struct conn *c)
{
    short events = orma_outbox_waiting(&c->out) ? POLLOUT : 0;

    if (wants_to_read(c))
        events |= POLLIN;
    else if (!c->eof && !c->stalled) /* behind what waits there may be more requests */
        events |= POLLRDHUP;
    return events;
}

static void add(struct polled *p, int fd, short events)
{
    p->fds[p->num++] = (struct pollfd){.fd = fd, .events = events};
}

/* Open ones only: poll() refuses a list that is longer than the limit of descriptors. */
static void fill(const struct orma_server *self, int stop_fd, struct polled *p)
{
    p->num = 0;
    add(p, stop_fd, POLLIN);
    add(p, orma_jobs_wake_fd(self->jobs), POLLIN);
    p->first_listener = p->num;
    for (size_t i = 0; i < self->listeners.num && !self->accept_ms; i++)
        add(p, self->listeners.fds[i], POLLIN);
    p->first_conn = p->num;
    for (size_t i = 0; i < CONNS_MAX; i++) {
        if (self->conns[i].fd < 0)
            continue;
        p->conns[p->num - p->first_conn] = (unsigned char)i;
        add(p, self->conns[i].fd, events_of(&self->conns[i]));
    }
}

/* One that began when nobody waited was not asked whose it is. */
static void favour_ours(struct orma_server *self)
{
    for (size_t i = 0; i < CONNS_MAX; i++) {
        struct conn *c = &self->conns[i];

        if (c->fd >= 0 && c->job && is_ours(self, c))
            orma_jobs_favour(self->jobs, c->job);
    }
}

/* One turn over the connections: what came, what jobs made, what can be sent, what is late. */
static void turn(struct orma_server *self, const struct polled *p, uint64_t passed_ms)
{
    struct orma_jobs_state jobs = orma_jobs_look(self->jobs);

    for (size_t i = p->first_conn; i < p->num; i++) {
        struct conn *c = &self->conns[p->conns[i - p->first_conn]];

        if (!orma_outbox_waiting(&c->out))
            c->sent_ms = self->now_ms;
        if (p->fds[i].revents)
            on_event(self, c, p->fds[i].revents);
        if (c->fd >= 0)
            fetch(self, c);
        if (c->fd >= 0)
            push(self, c);
        if (c->fd >= 0)
            fetch(self, c); /* there may be room again */
        if (c->fd >= 0)
            check_times(self, c, &jobs, passed_ms);
    }
    if (jobs.waiting)
        favour_ours(self);
    orma_jobs_tick(self->jobs);
}

static int loop(struct orma_server *self, int stop_fd, uint64_t idle_ms)
{
    struct polled p;

    self->now_ms = self->used_ms = clock_ms();
    for (;;) {
        struct orma_jobs_state jobs = orma_jobs_look(self->jobs);

        fill(self, stop_fd, &p);
        int n = poll(p.fds, p.num, sleep_ms(self, &jobs, idle_ms));
        uint64_t before = self->now_ms;

        if (n < 0 && errno != EINTR)
            return -errno;
        self->now_ms = clock_ms();
        for (size_t i = 0; n <= 0 && i < p.num; i++)
            p.fds[i].revents = 0;
        if (p.fds[0].revents)
            return 0;
        if (idle_ms && !jobs.busy && self->now_ms - self->used_ms >= idle_ms)
            return 0;
        orma_jobs_woken(self->jobs);
        turn(self, &p, self->now_ms - before);
        if (self->accept_ms && self->now_ms >= self->accept_ms)
            self->accept_ms = 0;
        for (size_t i = p.first_listener; i < p.first_conn; i++) {
            if (p.fds[i].revents)
                on_connection(self, p.fds[i].fd);
        }
    }
}

int orma_server_run(struct orma_server *self, int stop_fd, uint64_t idle_ms)
{
    int r = orma_jobs_new(self->rpc, &self->jobs);

    if (r < 0)
        return r;
    r = loop(self, stop_fd, idle_ms);
    for (size_t i = 0; i < CONNS_MAX; i++)
        end(self, &self->conns[i]);
    if (!orma_jobs_stop(self->jobs, STOP_MS))
        return -EBUSY;
    orma_jobs_free(ORMA_STEAL(self->jobs));
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
    if (self->origins && config->unix_fd >= 0) {
        self->listeners.fds[self->listeners.num++] = config->unix_fd;
        self->raw = true;
        r = 0;
    } else if (self->origins) {
        r = orma_listen(&self->listeners, config->address, config->port);
    }
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
    orma_listeners_close(&self->listeners);
    free(self->origins);
    free(self);
}

uint16_t orma_server_port(const struct orma_server *self)
{
    return self->listeners.port;
}
