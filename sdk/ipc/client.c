/*
 * Requests get rising ids and wait in a list, newest first, until their last reply;
 * a reply is matched by its id. Methods are called by name: the reply to the bind,
 * which is the first frame, brings the numbers that this service gave them, so a
 * request before it has to wait for it.
 *
 * A send either waits for the socket (SEND_TIMEOUT_MS) or, with `queues`, leaves
 * what the socket does not take in `queue`, which keeps the order of the frames and
 * is bounded by QUEUE_MAX.
 */
#include "sdk/ipc/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/sock.h"
#include "sdk/ipc/stream.h"

#define METHODS_MAX 64
#define METHOD_NAME_MAX 48
/* A service that takes no bytes for so long is as good as gone. */
#define SEND_TIMEOUT_MS 10000
/* What may wait for a service that takes nothing, before its client gives it up. */
#define QUEUE_MAX ((size_t)16 << 20)

struct request {
    struct request *next;
    uint64_t id;
    orma_ipc_reply_fn fn;
    void *ctx;
};

struct method {
    uint32_t id;
    char name[METHOD_NAME_MAX];
};

enum bind_state { BIND_SENT, BIND_OK, BIND_REFUSED };

struct orma_ipc_client {
    int sock;
    struct orma_fd_id sock_id;
    struct orma_ipc_stream in;
    struct orma_buf out;      /* scratch for one frame */
    bool queues;              /* sends do not wait */
    struct orma_buf queue;    /* what the socket has not taken, in order */
    struct request *requests; /* waiting for replies, newest first */
    uint64_t last_id;
    enum bind_state bind;
    uint32_t service_id;
    unsigned methods_num;
    struct method methods[METHODS_MAX];
};

static bool is_ours(const struct orma_ipc_client *self)
{
    return orma_fd_is(self->sock, self->sock_id);
}

/* Sends `out`, or puts what the socket does not take at once behind what waits already. */
static int enqueue(struct orma_ipc_client *self)
{
    ssize_t sent = 0;

    if (!self->queue.len)
        sent = orma_sock_send_now(self->sock, self->out.data, self->out.len);
    if (sent < 0)
        return (int)sent;
    if (self->queue.len + self->out.len > QUEUE_MAX)
        return -ENOBUFS;
    orma_buf_put(&self->queue, self->out.data + sent, self->out.len - (size_t)sent);
    return self->queue.failed ? -ENOMEM : 0;
}

void orma_ipc_client_set_queues(struct orma_ipc_client *self)
{
    self->queues = true;
}

bool orma_ipc_client_has_queued(const struct orma_ipc_client *self)
{
    return self->queue.len != 0;
}

static int send_queued(struct orma_ipc_client *self)
{
    size_t done = 0;
    ssize_t n = 1;

    if (self->queue.len && !is_ours(self))
        return -EBADF;
    while (n > 0 && done < self->queue.len) {
        n = orma_sock_send_now(self->sock, self->queue.data + done, self->queue.len - done);
        done += n > 0 ? (size_t)n : 0;
    }
    orma_buf_consume(&self->queue, done);
    return n < 0 ? (int)n : 0;
}

int orma_ipc_client_drain(struct orma_ipc_client *self, int timeout_ms)
{
    uint64_t end = orma_clock_monotonic() + (uint64_t)timeout_ms * 1000000u;
    int r;

    while ((r = send_queued(self)) == 0 && self->queue.len) {
        struct pollfd pfd = {.fd = self->sock, .events = POLLOUT};
        uint64_t now = orma_clock_monotonic();

        if (now >= end)
            return -ETIMEDOUT;
        if (poll(&pfd, 1, (int)((end - now) / 1000000 + 1)) < 0 && errno != EINTR)
            return -errno;
    }
    return r;
}

static int send_frame(struct orma_ipc_client *self, const struct orma_ipc_frame *frame, int pass_fd)
{
    orma_buf_clear(&self->out);
    int r = orma_ipc_frame_encode(&self->out, frame, NULL, 0);
    if (r == 0 && !is_ours(self))
        r = -EBADF;
    if (r < 0)
        return r;
    if (self->queues)
        return enqueue(self);
    return orma_sock_send(self->sock, self->out.data, self->out.len, pass_fd, SEND_TIMEOUT_MS);
}

int orma_ipc_client_new_from_fd(int sock, const char *service, struct orma_ipc_client **ret)
{
    ORMA_AUTO(orma_ipc_client_free_p) struct orma_ipc_client *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->sock = -1;
    orma_ipc_stream_init(&self->in);
    struct orma_ipc_frame bind = {
        .kind = ORMA_IPC_BIND,
        .request_id = ++self->last_id,
        .service_name = orma_str_from(service),
    };
    self->sock = sock;
    self->sock_id = orma_fd_identify(sock);
    int r = send_frame(self, &bind, -1);
    if (r < 0) {
        self->sock = -1; /* stays the caller's */
        return r;
    }
    *ret = ORMA_STEAL(self);
    return 0;
}

int orma_ipc_client_new(const char *addr, const char *service, struct orma_ipc_client **ret)
{
    ORMA_AUTO(orma_fd_close) int sock = orma_sock_connect(addr);

    if (sock < 0)
        return sock;
    int r = orma_ipc_client_new_from_fd(sock, service, ret);
    if (r == 0)
        sock = -1;
    return r;
}

void orma_ipc_client_free(struct orma_ipc_client *self)
{
    if (!self)
        return;
    for (struct request *r = self->requests, *next; r; r = next) {
        next = r->next;
        r->fn(r->ctx, false, false, (struct orma_str){0});
        free(r);
    }
    orma_ipc_client_close(self);
    orma_ipc_stream_fini(&self->in);
    orma_buf_fini(&self->out);
    orma_buf_fini(&self->queue);
    free(self);
}

void orma_ipc_client_close(struct orma_ipc_client *self)
{
    if (is_ours(self))
        orma_fd_close(&self->sock);
    self->sock = -1;
}

int orma_ipc_client_fd(const struct orma_ipc_client *self)
{
    return self->sock;
}

static void add_method(void *ctx, uint32_t id, struct orma_str name)
{
    struct orma_ipc_client *self = ctx;

    if (self->methods_num == METHODS_MAX || name.len >= METHOD_NAME_MAX)
        return; /* none of ours: a later version may have more */
    struct method *m = &self->methods[self->methods_num++];
    m->id = id;
    memcpy(m->name, name.data, name.len);
    m->name[name.len] = '\0';
}

static void on_bind_reply(struct orma_ipc_client *self, const struct orma_ipc_frame *f)
{
    self->bind = f->success ? BIND_OK : BIND_REFUSED;
    self->service_id = f->service_id;
    orma_ipc_frame_methods(f, add_method, self);
}

static void on_reply(struct orma_ipc_client *self, const struct orma_ipc_frame *f)
{
    struct request **link = &self->requests;

    while (*link && (*link)->id != f->request_id)
        link = &(*link)->next;
    struct request *r = *link;
    if (!r)
        return; /* nobody asked, or nobody wants it any more */
    if (f->success && f->has_more) {
        r->fn(r->ctx, true, true, f->payload);
        return;
    }
    *link = r->next; /* before the call: it may invoke again */
    r->fn(r->ctx, f->success, false, f->payload);
    free(r);
}

static void on_frame(struct orma_ipc_client *self, const uint8_t *data, size_t len)
{
    struct orma_ipc_frame f;

    if (orma_ipc_frame_decode(data, len, &f) < 0)
        return; /* as specified: such a frame is ignored */
    if (f.kind == ORMA_IPC_BIND_REPLY && self->bind == BIND_SENT)
        on_bind_reply(self, &f);
    else if (f.kind == ORMA_IPC_INVOKE_REPLY || f.kind == ORMA_IPC_ERROR)
        on_reply(self, &f); /* an error frame has success = false */
}

int orma_ipc_client_dispatch(struct orma_ipc_client *self)
{
    if (!is_ours(self))
        return -EBADF;
    /* An error here is found by reading as well, behind what the service said before it went. */
    if (self->queue.len)
        (void)send_queued(self);
    for (;;) {
        int got = orma_ipc_stream_recv(&self->in, self->sock);
        const uint8_t *data;
        size_t len;
        int r;

        if (got == -EAGAIN)
            return 0;
        if (got <= 0 && got != -ENOBUFS)
            return got ? got : -ECONNRESET;
        while ((r = orma_ipc_stream_next(&self->in, &data, &len)) > 0)
            on_frame(self, data, len);
        if (r < 0)
            return r;
    }
}

int orma_ipc_client_wait(struct orma_ipc_client *self, int timeout_ms)
{
    short events = orma_ipc_client_has_queued(self) ? POLLIN | POLLOUT : POLLIN;
    struct pollfd pfd = {.fd = self->sock, .events = events};
    int n = poll(&pfd, 1, timeout_ms);

    if (n < 0)
        return -errno;
    return n ? orma_ipc_client_dispatch(self) : -ETIMEDOUT;
}

int orma_ipc_client_wait_bound(struct orma_ipc_client *self, int timeout_ms)
{
    uint64_t end = orma_clock_monotonic() + (uint64_t)timeout_ms * 1000000u;

    while (self->bind == BIND_SENT) {
        uint64_t now = orma_clock_monotonic();
        int left = timeout_ms < 0 ? -1 : now < end ? (int)((end - now) / 1000000 + 1) : 0;
        int r = orma_ipc_client_wait(self, left);

        if (r < 0 && r != -EINTR)
            return r;
    }
    return self->bind == BIND_OK ? 0 : -ENOPROTOOPT;
}

bool orma_ipc_client_is_bound(const struct orma_ipc_client *self)
{
    return self->bind == BIND_OK;
}

bool orma_ipc_client_is_refused(const struct orma_ipc_client *self)
{
    return self->bind == BIND_REFUSED;
}

static uint32_t method_id(const struct orma_ipc_client *self, const char *name)
{
    for (unsigned i = 0; i < self->methods_num; i++) {
        if (!strcmp(self->methods[i].name, name))
            return self->methods[i].id;
    }
    return 0;
}

int orma_ipc_client_invoke(struct orma_ipc_client *self, const char *method, const void *args,
                           size_t len, int pass_fd, orma_ipc_reply_fn fn, void *ctx)
{
    struct request *req = NULL;

    if (self->bind != BIND_OK)
        return -EAGAIN;
    struct orma_ipc_frame frame = {
        .kind = ORMA_IPC_INVOKE,
        .service_id = self->service_id,
        .method_id = method_id(self, method),
        .payload = {args, len},
        .drop_reply = !fn,
    };
    if (!frame.method_id)
        return -ENOSYS;
    frame.request_id = ++self->last_id;
    if (fn && !(req = malloc(sizeof(*req))))
        return -ENOMEM;
    int r = send_frame(self, &frame, pass_fd);
    if (r < 0 || !req) {
        free(req);
        return r;
    }
    *req = (struct request){.next = self->requests, .id = frame.request_id, .fn = fn, .ctx = ctx};
    self->requests = req;
    return 0;
}

void orma_ipc_client_forget(struct orma_ipc_client *self, const void *ctx)
{
    for (struct request **link = &self->requests; *link;) {
        struct request *r = *link;

        if (r->ctx != ctx) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        free(r);
    }
}

int orma_ipc_client_take_fd(struct orma_ipc_client *self)
{
    return orma_ipc_stream_take_fd(&self->in);
}
