/*
 * Sessions of the machine's service: a connection each. All on the loop; nothing waits
 * but for the answer to the bind, which a service gives at once.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "sdk/cabi/cabi.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define BIND_MS 1000
/* Asked for by a program, because it wants one. */
#define FLUSH_FLAGS (4u | 3u << 4)

static const char *const methods[] = ORMA_CONSUMER_PORT_METHODS;

struct connection {
    struct orma_list link; /* all */
    struct orma_cabi_session *session;
    struct orma_ipc_client *ipc; /* NULL: it is over */
    struct orma_list flushes;
    struct orma_buf packet;
    bool reading;
};

struct flush {
    struct orma_list link;
    struct connection *connection;
    void *request;
};

static struct orma_list all = {&all, &all};

static void forget_flush(struct flush *f)
{
    if (f->connection->ipc)
        orma_ipc_client_forget(f->connection->ipc, f);
    orma_list_remove(&f->link);
    free(f);
}

/* The session answers those who wait. */
static void end(struct connection *c)
{
    ORMA_LIST_EACH (struct flush, f, &c->flushes, link)
        forget_flush(f);
    orma_cabi_session_ended(c->session);
}

static void end_read(struct connection *c)
{
    if (!c->reading)
        return;
    c->reading = false;
    orma_buf_clear(&c->packet);
    orma_cabi_session_read_done(c->session);
}

static int invoke(struct connection *c, enum orma_consumer_port_method method,
                  const struct orma_buf *args, orma_ipc_reply_fn fn, void *ctx)
{
    if (!c->ipc || (args && args->failed))
        return -ENOTCONN;
    return orma_ipc_client_invoke(c->ipc, methods[method], args ? args->data : NULL,
                                  args ? args->len : 0, -1, fn, ctx);
}

/* ---- replies ---- */

static void on_enabled(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    (void)success, (void)reply;
    if (!has_more)
        end(ctx);
}

static void on_observed(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct connection *c = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len), sub;
    struct orma_pb_field f, g;

    (void)has_more;
    while (success && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_OBSERVE_EVENTS_RESPONSE_EVENTS)
            continue;
        sub = orma_pb_sub(&f);
        while (orma_pb_next(&sub, &g)) {
            if (g.id == ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED && g.num)
                orma_cabi_session_started(c->session);
        }
    }
}

static void on_flushed(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct flush *f = ctx;
    struct orma_cabi_session *session = f->connection->session;
    void *request = f->request;

    (void)has_more, (void)reply;
    orma_list_remove(&f->link);
    free(f);
    orma_cabi_session_flushed(session, request, success);
}

static void take_slice(struct connection *c, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    bool last = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_DATA)
            orma_buf_put(&c->packet, f.data, f.len);
        else if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_LAST_SLICE_FOR_PACKET)
            last = orma_pb_bool(&f);
    }
    if (!last)
        return;
    if (!c->packet.failed)
        orma_cabi_session_packet(c->session, c->packet.data, c->packet.len);
    orma_buf_clear(&c->packet);
}

static void on_read(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct connection *c = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    while (success && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICES)
            take_slice(c, orma_pb_sub(&f));
    }
    if (!has_more)
        end_read(c);
}

/* ---- what a session asks for ---- */

static int enable(struct connection *c)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_OBSERVE_EVENTS_REQUEST_EVENTS_TO_OBSERVE,
                    ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED);
    int r = invoke(c, ORMA_CONSUMER_PORT_OBSERVE_EVENTS, &args, on_observed, c);
    orma_buf_clear(&args);
    orma_pb_put_str(&args, ORMA_PB_ENABLE_TRACING_REQUEST_TRACE_CONFIG,
                    orma_buf_str(&c->session->config));
    if (r == 0)
        r = invoke(c, ORMA_CONSUMER_PORT_ENABLE_TRACING, &args, on_enabled, c);
    orma_buf_fini(&args);
    return r;
}

static int setup(struct orma_cabi_session *s)
{
    struct connection *c = calloc(1, sizeof(*c));

    if (!c)
        return -ENOMEM;
    c->session = s;
    orma_list_init(&c->flushes);
    orma_list_insert(&all, &c->link);
    s->impl = c;
    int r = orma_ipc_client_new(orma_sock_consumer_addr(), ORMA_CONSUMER_PORT_NAME, &c->ipc);
    if (r < 0) {
        c->ipc = NULL;
        return r;
    }
    r = orma_ipc_client_wait_bound(c->ipc, BIND_MS);
    orma_ipc_client_set_queues(c->ipc); /* from here on nothing waits */
    return r < 0 ? r : enable(c);
}

static void start(struct orma_cabi_session *s)
{
    if (s->deferred)
        (void)invoke(s->impl, ORMA_CONSUMER_PORT_START_TRACING, NULL, NULL, NULL);
}

static void stop(struct orma_cabi_session *s)
{
    struct connection *c = s->impl;

    if (invoke(c, ORMA_CONSUMER_PORT_DISABLE_TRACING, NULL, NULL, NULL) < 0)
        end(c);
}

static void flush(struct orma_cabi_session *s, uint32_t timeout_ms, void *request)
{
    struct flush *f = calloc(1, sizeof(*f));
    struct orma_buf args = {0};

    if (!f) {
        orma_cabi_session_flushed(s, request, false);
        return;
    }
    f->connection = s->impl;
    f->request = request;
    orma_list_insert(&f->connection->flushes, &f->link);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, timeout_ms);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_FLAGS, FLUSH_FLAGS);
    if (invoke(f->connection, ORMA_CONSUMER_PORT_FLUSH, &args, on_flushed, f) < 0)
        on_flushed(f, false, false, (struct orma_str){0});
    orma_buf_fini(&args);
}

static void read_buffers(struct orma_cabi_session *s)
{
    struct connection *c = s->impl;

    if (!c || invoke(c, ORMA_CONSUMER_PORT_READ_BUFFERS, NULL, on_read, c) < 0) {
        orma_cabi_session_read_done(s);
        return;
    }
    c->reading = true;
}

static void free_connection(struct orma_cabi_session *s)
{
    struct connection *c = s->impl;

    if (!c)
        return;
    ORMA_LIST_EACH (struct flush, f, &c->flushes, link)
        forget_flush(f);
    if (c->ipc) {
        orma_ipc_client_forget(c->ipc, c);
        orma_ipc_client_free(c->ipc);
    }
    orma_list_remove(&c->link);
    orma_buf_fini(&c->packet);
    free(c);
}

const struct orma_cabi_session_ops orma_cabi_system_session = {
    setup, start, stop, flush, read_buffers, free_connection};

/* ---- the loop ---- */

size_t orma_cabi_system_sessions_poll(struct pollfd *fds, size_t max)
{
    size_t num = 0;

    ORMA_LIST_EACH (struct connection, c, &all, link) {
        if (!c->ipc)
            continue;
        if (num < max)
            fds[num] = (struct pollfd){
                .fd = orma_ipc_client_fd(c->ipc),
                .events = orma_ipc_client_has_queued(c->ipc) ? POLLIN | POLLOUT : POLLIN};
        num++;
    }
    return fds ? ORMA_MIN(num, max) : num;
}

int orma_cabi_system_sessions_turn(void)
{
    ORMA_LIST_EACH (struct connection, c, &all, link) {
        if (!c->ipc || orma_ipc_client_dispatch(c->ipc) == 0)
            continue;
        end(c);
        orma_ipc_client_forget(c->ipc, c);
        orma_ipc_client_free(c->ipc);
        c->ipc = NULL;
        end_read(c);
    }
    return -1;
}

void orma_cabi_system_sessions_after_fork(void)
{
    ORMA_LIST_EACH (struct connection, c, &all, link) {
        if (c->ipc)
            orma_ipc_client_close(c->ipc);
    }
    orma_list_init(&all);
}
