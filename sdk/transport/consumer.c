/*
 * Calls that wait keep what their callback has seen in a struct on their own stack
 * (`waiting`) and dispatch until it is done. When they give up early, the request
 * is taken back, so that no later reply writes there. The reply to EnableTracing is
 * the one that stays open: it comes when the session ends.
 *
 * Packets arrive as slices; a reply may end in the middle of a packet, so they are
 * put together in one buffer across replies.
 */
#include "sdk/transport/consumer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "sdk/base/clock.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* Answers that need no work of producers come at once; so long is a dead service. */
#define CALL_TIMEOUT_MS 10000

static const char *const methods[] = ORMA_CONSUMER_PORT_METHODS;

struct orma_consumer {
    struct orma_ipc_client *ipc;
    bool ended;
    struct orma_buf error; /* terminated text of the end */
    orma_observe_fn observe_fn;
    void *observe_ctx;
    struct orma_consumer *kept; /* not ours */
};

int orma_consumer_new(const char *addr, int timeout_ms, struct orma_consumer **ret)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    int r = orma_ipc_client_new(addr ? addr : orma_sock_consumer_addr(), ORMA_CONSUMER_PORT_NAME,
                                &self->ipc);
    if (r < 0)
        return r;
    r = orma_ipc_client_wait_bound(self->ipc, timeout_ms);
    if (r < 0)
        return r;
    *ret = ORMA_STEAL(self);
    return 0;
}

void orma_consumer_free(struct orma_consumer *self)
{
    if (!self)
        return;
    orma_ipc_client_free(self->ipc); /* calls back once more for what is still open */
    orma_buf_fini(&self->error);
    free(self);
}

int orma_consumer_fd(const struct orma_consumer *self)
{
    return orma_ipc_client_fd(self->ipc);
}

int orma_consumer_dispatch(struct orma_consumer *self)
{
    return orma_ipc_client_dispatch(self->ipc);
}

int orma_consumer_wait(struct orma_consumer *self, int timeout_ms)
{
    return orma_ipc_client_wait(self->ipc, timeout_ms);
}

static void on_enable_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_consumer *self = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    if (has_more)
        return; /* not the end yet */
    self->ended = true;
    orma_buf_clear(&self->error);
    if (!success)
        orma_buf_put_str(&self->error, "the service refused the session or is gone");
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ENABLE_TRACING_RESPONSE_ERROR)
            orma_buf_put(&self->error, f.data, f.len);
    }
    orma_buf_put_byte(&self->error, '\0');
}

int orma_consumer_enable(struct orma_consumer *self, struct orma_str config, int fd)
{
    struct orma_buf args = {0};

    self->ended = false;
    orma_pb_put_str(&args, ORMA_PB_ENABLE_TRACING_REQUEST_TRACE_CONFIG, config);
    int r = args.failed
                ? -ENOMEM
                : orma_ipc_client_invoke(self->ipc, methods[ORMA_CONSUMER_PORT_ENABLE_TRACING],
                                         args.data, args.len, fd, on_enable_reply, self);
    orma_buf_fini(&args);
    return r;
}

int orma_consumer_enable_notify(struct orma_consumer *self)
{
    struct orma_buf args = {0};

    self->ended = false;
    orma_pb_put_u64(&args, ORMA_PB_ENABLE_TRACING_REQUEST_ATTACH_NOTIFICATION_ONLY, 1);
    int r = orma_ipc_client_invoke(self->ipc, methods[ORMA_CONSUMER_PORT_ENABLE_TRACING], args.data,
                                   args.len, -1, on_enable_reply, self);
    orma_buf_fini(&args);
    return r;
}

int orma_consumer_ended(const struct orma_consumer *self, const char **ret_error)
{
    if (self->ended && ret_error)
        *ret_error = self->error.failed ? "out of memory" : (const char *)self->error.data;
    return self->ended;
}

/* One call that waits: what its callback has seen. */
struct waiting {
    bool done, success;
    struct orma_buf *reply; /* may be NULL */
    uint64_t replies;
    /* ReadBuffers only */
    struct orma_buf *packet;
    orma_packet_fn fn;
    void *ctx;
    int result;
};

static void on_call_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct waiting *w = ctx;

    w->success = success;
    w->done = !has_more;
    w->replies++;
    if (success && w->reply)
        orma_buf_put(w->reply, reply.data, reply.len);
}

void orma_consumer_keep(struct orma_consumer *self, struct orma_consumer *other)
{
    self->kept = other;
}

static int wait_turn(struct orma_consumer *self, int timeout_ms)
{
    if (!self->kept)
        return orma_ipc_client_wait(self->ipc, timeout_ms);
    struct pollfd fds[] = {
        {.fd = orma_consumer_fd(self),
         .events = orma_ipc_client_has_queued(self->ipc) ? POLLIN | POLLOUT : POLLIN},
        {.fd = orma_consumer_fd(self->kept), .events = POLLIN},
    };
    int n = poll(fds, ORMA_ARRAY_LEN(fds), timeout_ms);

    if (n < 0)
        return -errno;
    if (fds[1].revents && orma_consumer_dispatch(self->kept) < 0)
        self->kept = NULL; /* its owner will find the same */
    if (fds[0].revents)
        return orma_consumer_dispatch(self);
    return n ? 0 : -ETIMEDOUT;
}

/* Dispatches until `w` is done. With `between`, the time is that between replies, else in all. */
static int wait_for(struct orma_consumer *self, const struct waiting *w, int timeout_ms,
                    bool between)
{
    uint64_t end = 0, seen = UINT64_MAX;

    while (!w->done) {
        uint64_t now = orma_clock_monotonic();

        if (seen == UINT64_MAX || (between && seen != w->replies)) {
            seen = w->replies;
            end = now + (uint64_t)timeout_ms * 1000000u;
        }
        if (now >= end)
            return -ETIMEDOUT;
        int r = wait_turn(self, (int)((end - now) / 1000000u) + 1);
        if (r < 0 && r != -EINTR && r != -ETIMEDOUT)
            return r;
    }
    return w->success ? 0 : -EREMOTEIO;
}

/* `w` lives in the caller's frame, so the request is forgotten when waiting for it ends early. */
static int call(struct orma_consumer *self, const char *method, const struct orma_buf *args, int fd,
                int timeout_ms, bool between, orma_ipc_reply_fn fn, struct waiting *w)
{
    int r = args && args->failed
                ? -ENOMEM
                : orma_ipc_client_invoke(self->ipc, method, args ? args->data : NULL,
                                         args ? args->len : 0, fd, fn, w);

    if (r < 0)
        return r;
    r = wait_for(self, w, timeout_ms, between);
    if (!w->done)
        orma_ipc_client_forget(self->ipc, w);
    return r;
}

int orma_consumer_call(struct orma_consumer *self, const char *method, const struct orma_buf *args,
                       int fd, int timeout_ms, struct orma_buf *reply)
{
    struct waiting w = {.reply = reply};

    return call(self, method, args, fd, timeout_ms, false, on_call_reply, &w);
}

int orma_consumer_disable(struct orma_consumer *self)
{
    return orma_consumer_call(self, methods[ORMA_CONSUMER_PORT_DISABLE_TRACING], NULL, -1,
                              CALL_TIMEOUT_MS, NULL);
}

static void on_flush_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_consumer_flush *flush = ctx;

    (void)has_more;
    (void)reply;
    *flush = (struct orma_consumer_flush){.done = true, .complete = success};
}

int orma_consumer_flush_begin(struct orma_consumer *self, uint32_t flush_timeout_ms, uint64_t flags,
                              struct orma_consumer_flush *flush)
{
    struct orma_buf args = {0};

    *flush = (struct orma_consumer_flush){0};
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, flush_timeout_ms);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_FLAGS, flags);
    int r = args.failed ? -ENOMEM
                        : orma_ipc_client_invoke(self->ipc, methods[ORMA_CONSUMER_PORT_FLUSH],
                                                 args.data, args.len, -1, on_flush_reply, flush);
    orma_buf_fini(&args);
    return r;
}

void orma_consumer_flush_forget(struct orma_consumer *self, struct orma_consumer_flush *flush)
{
    orma_ipc_client_forget(self->ipc, flush);
}

static void on_next_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_consumer_next *next = ctx;
    struct orma_pb_field f;

    (void)has_more;
    next->done = true;
    next->refused = !success;
    while (success && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ORMA_NEXT_FILE_RESPONSE_ERROR)
            next->failed = true;
        else if (f.id == ORMA_PB_ORMA_NEXT_FILE_RESPONSE_PACKETS_BEHIND)
            next->behind = orma_pb_u64(&f);
    }
}

int orma_consumer_next_begin(struct orma_consumer *self, int fd, struct orma_consumer_next *next)
{
    *next = (struct orma_consumer_next){0};
    return orma_ipc_client_invoke(self->ipc, methods[ORMA_CONSUMER_PORT_ORMA_NEXT_FILE], NULL, 0,
                                  fd, on_next_reply, next);
}

void orma_consumer_next_forget(struct orma_consumer *self, struct orma_consumer_next *next)
{
    orma_ipc_client_forget(self->ipc, next);
}

int orma_consumer_free_buffers(struct orma_consumer *self)
{
    return orma_consumer_call(self, methods[ORMA_CONSUMER_PORT_FREE_BUFFERS], NULL, -1,
                              CALL_TIMEOUT_MS, NULL);
}

/* Appends a slice; the last one of a packet hands it over. */
static void take_slice(struct waiting *w, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    bool last = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_DATA)
            orma_buf_put(w->packet, f.data, f.len);
        else if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_LAST_SLICE_FOR_PACKET)
            last = orma_pb_bool(&f);
    }
    if (!last || w->result < 0)
        return;
    w->result = w->packet->failed ? -ENOMEM : w->fn(w->ctx, w->packet->data, w->packet->len);
    orma_buf_clear(w->packet);
}

static void on_read_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct waiting *w = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    w->success = success;
    w->done = !has_more;
    w->replies++;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICES)
            take_slice(w, orma_pb_sub(&f));
    }
}

int orma_consumer_read_wait(struct orma_consumer *self, int timeout_ms, orma_packet_fn fn,
                            void *ctx)
{
    struct orma_buf packet = {0};
    struct waiting w = {.packet = &packet, .fn = fn, .ctx = ctx};
    int r = call(self, methods[ORMA_CONSUMER_PORT_READ_BUFFERS], NULL, -1, timeout_ms, true,
                 on_read_reply, &w);

    orma_buf_fini(&packet);
    return w.result < 0 ? w.result : r;
}

int orma_consumer_stats_wait(struct orma_consumer *self, struct orma_buf *ret)
{
    struct orma_buf reply = {0};
    int r = orma_consumer_call(self, methods[ORMA_CONSUMER_PORT_GET_TRACE_STATS], NULL, -1,
                               CALL_TIMEOUT_MS, &reply);
    struct orma_pb_reader reader = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    while (r == 0 && orma_pb_next(&reader, &f)) {
        if (f.id == ORMA_PB_GET_TRACE_STATS_RESPONSE_TRACE_STATS)
            orma_buf_put(ret, f.data, f.len);
    }
    orma_buf_fini(&reply);
    return r;
}

static void on_observe_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_consumer *self = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    (void)has_more;
    while (success && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBSERVE_EVENTS_RESPONSE_EVENTS)
            self->observe_fn(self->observe_ctx, orma_pb_str(&f));
    }
}

int orma_consumer_observe(struct orma_consumer *self, uint32_t types, orma_observe_fn fn, void *ctx)
{
    struct orma_buf args = {0};

    self->observe_fn = fn;
    self->observe_ctx = ctx;
    for (uint32_t bit = 1; bit && bit <= types; bit <<= 1) {
        if (types & bit)
            orma_pb_put_u64(&args, ORMA_PB_OBSERVE_EVENTS_REQUEST_EVENTS_TO_OBSERVE, bit);
    }
    int r = orma_ipc_client_invoke(self->ipc, methods[ORMA_CONSUMER_PORT_OBSERVE_EVENTS], args.data,
                                   args.len, -1, on_observe_reply, self);
    orma_buf_fini(&args);
    return r;
}
