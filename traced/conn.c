#include "traced/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_reader.h"
#include "traced/internal.h"
#include "traced/relay.h"

/* How long the oldest queued frame may wait to be taken, and how much may be queued. */
#define PRODUCER_CUTOFF_MS 10
#define CONSUMER_CUTOFF_MS 10000
#define PRODUCER_QUEUE_MAX ((size_t)4 << 20)
#define CONSUMER_QUEUE_MAX ((size_t)16 << 20)

struct out_frame {
    struct orma_list link; /* traced_conn.out */
    int fd;                /* to be passed with the first byte; owned, -1: none */
    size_t len, sent;
    uint8_t data[];
};

/* ---- end of a connection ---- */

static void frame_free(struct out_frame *frame)
{
    orma_list_remove(&frame->link);
    orma_fd_close(&frame->fd);
    free(frame);
}

static void event_free_if(struct event *ev)
{
    if (ev)
        event_free(ev);
}

static void end(struct traced_conn *self)
{
    if (self->ended)
        return;
    self->ended = true;
    if (self->producer)
        traced_producer_gone(self);
    if (self->consumer)
        traced_consumer_gone(self);
}

void traced_conn_free(struct traced_conn *self)
{
    end(self);
    orma_list_remove(&self->link);
    self->service->conns_num--;
    ORMA_LIST_EACH (struct out_frame, frame, &self->out, link)
        frame_free(frame);
    event_free_if(self->read_event);
    event_free_if(self->write_event);
    event_free_if(self->cutoff_event);
    event_free_if(self->kick_event);
    orma_ipc_stream_fini(&self->in);
    orma_fd_close(&self->fd);
    free(self->machine_name);
    free(self);
}

void traced_conn_close(struct traced_conn *self)
{
    if (self->closing)
        return;
    self->closing = true;
    traced_conn_call_later(self);
}

/* A timer, not event_active(): that would be served before any socket. */
void traced_conn_call_later(struct traced_conn *self)
{
    struct timeval now = {0, 0};

    event_add(self->kick_event, &now);
}

static void on_kick(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)fd;
    (void)what;
    if (self->closing)
        traced_conn_free(self);
    else if (self->consumer)
        traced_consumer_drained(self);
}

/* ---- sending ---- */

static ssize_t send_part(int sock, const void *data, size_t len, int pass_fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec iov = {(void *)(uintptr_t)data, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    ssize_t n;

    if (pass_fd >= 0) {
        msg.msg_control = control;
        msg.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &pass_fd, sizeof(int));
    }
    do
        n = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

static int cutoff_ms(const struct traced_conn *self)
{
    return self->kind == TRACED_PRODUCER_SOCKET ? PRODUCER_CUTOFF_MS : CONSUMER_CUTOFF_MS;
}

static void arm_cutoff(struct traced_conn *self)
{
    int ms = cutoff_ms(self);
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    event_add(self->cutoff_event, &wait);
}

static void on_cutoff(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)fd;
    (void)what;
    orma_log_warn("cut off the %s with pid %d: it took nothing for %d ms",
                  self->kind == TRACED_PRODUCER_SOCKET ? "producer" : "consumer", self->pid,
                  cutoff_ms(self));
    traced_conn_free(self);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)what;
    while (!orma_list_empty(&self->out)) {
        struct out_frame *frame = ORMA_CONTAINER_OF(self->out.next, struct out_frame, link);
        ssize_t n = send_part(fd, frame->data + frame->sent, frame->len - frame->sent,
                              frame->sent ? -1 : frame->fd);

        if (n == -EAGAIN)
            return;
        if (n < 0) {
            traced_conn_free(self);
            return;
        }
        frame->sent += (size_t)n;
        self->out_bytes -= (size_t)n;
        if (frame->sent < frame->len)
            return;
        frame_free(frame);
        arm_cutoff(self); /* each frame has its own time */
    }
    event_del(self->write_event);
    event_del(self->cutoff_event);
    if (self->consumer)
        traced_consumer_drained(self);
}

static void enqueue(struct traced_conn *self, const uint8_t *data, size_t len, int pass_fd)
{
    size_t max = self->kind == TRACED_PRODUCER_SOCKET ? PRODUCER_QUEUE_MAX : CONSUMER_QUEUE_MAX;
    struct out_frame *frame = malloc(sizeof(*frame) + len);

    if (!frame || self->out_bytes + len > max) {
        free(frame);
        orma_log_warn("cut off the client with pid %d: %zu bytes wait for it", self->pid,
                      self->out_bytes);
        traced_conn_close(self);
        return;
    }
    *frame = (struct out_frame){.fd = -1, .len = len};
    memcpy(frame->data, data, len);
    if (pass_fd >= 0)
        frame->fd = dup(pass_fd); /* -1: the client sees a missing descriptor and gives up */
    if (orma_list_empty(&self->out)) {
        event_add(self->write_event, NULL);
        arm_cutoff(self);
    }
    orma_list_insert(&self->out, &frame->link);
    self->out_bytes += len;
}

static void send_frame(struct traced_conn *self, const uint8_t *data, size_t len, int pass_fd)
{
    ssize_t n = 0;

    if (self->closing)
        return;
    if (orma_list_empty(&self->out)) {
        n = send_part(self->fd, data, len, pass_fd);
        if (n < 0 && n != -EAGAIN) {
            traced_conn_close(self);
            return;
        }
        if (n < 0)
            n = 0;
        if ((size_t)n == len)
            return;
    }
    enqueue(self, data + n, len - (size_t)n, n ? -1 : pass_fd);
}

static void send_encoded(struct traced_conn *self, const struct orma_ipc_frame *frame,
                         const char *const *methods, uint32_t methods_end, int pass_fd)
{
    struct orma_buf out = {0};

    /* Too large or no memory: the client would wait for ever, so it is told by the end. */
    if (orma_ipc_frame_encode(&out, frame, methods, methods_end) < 0 || out.failed)
        traced_conn_close(self);
    else
        send_frame(self, out.data, out.len, pass_fd);
    orma_buf_fini(&out);
}

void traced_conn_reply(struct traced_conn *self, uint64_t request_id, bool success, bool has_more,
                       struct orma_str payload, int pass_fd)
{
    struct orma_ipc_frame frame = {
        .kind = ORMA_IPC_INVOKE_REPLY,
        .request_id = request_id,
        .success = success,
        .has_more = has_more,
        .payload = payload,
    };

    send_encoded(self, &frame, NULL, 0, pass_fd);
}

void traced_conn_ack(struct traced_conn *self, const struct traced_call *call, bool success)
{
    if (!call->drop_reply)
        traced_conn_reply(self, call->request_id, success, false, (struct orma_str){"", 0}, -1);
}

/* ---- receiving ---- */

/* The ports of this socket by service id - 1; NULL behind the last. */
static const struct traced_port *port_of(const struct traced_conn *self, uint32_t service_id)
{
    if (service_id == 1)
        return self->kind == TRACED_PRODUCER_SOCKET ? &traced_producer_port : &traced_consumer_port;
    if (service_id == 2 && self->kind == TRACED_PRODUCER_SOCKET && self->relay_allowed)
        return &traced_relay_port;
    return NULL;
}

static void handle_bind(struct traced_conn *self, const struct orma_ipc_frame *in)
{
    struct orma_ipc_frame reply = {.kind = ORMA_IPC_BIND_REPLY, .request_id = in->request_id};
    const struct traced_port *port;

    for (uint32_t id = 1; (port = port_of(self, id)); id++) {
        if (!orma_str_eq_c(in->service_name, port->name))
            continue;
        reply.success = true;
        reply.service_id = id;
        send_encoded(self, &reply, port->method_names, port->methods_end, -1);
        return;
    }
    send_encoded(self, &reply, NULL, 0, -1);
}

/* Is it a message at all? Commits are walked once only, by their own method. */
static bool args_valid(const struct traced_conn *self, uint32_t method_id, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    if (self->kind == TRACED_PRODUCER_SOCKET && method_id == ORMA_PRODUCER_PORT_COMMIT_DATA)
        return true;
    while (orma_pb_next(&r, &f))
        continue;
    return !r.failed;
}

static void handle_invoke(struct traced_conn *self, const struct orma_ipc_frame *in)
{
    const struct traced_port *port = port_of(self, in->service_id);
    struct traced_call call = {in->request_id, in->payload, in->drop_reply};
    int r = -EBADMSG;

    if (port && in->method_id > 0 && in->method_id < port->methods_end &&
        args_valid(self, in->method_id, in->payload))
        r = port->methods[in->method_id](self, &call);
    if (r == 0 || (r != -EBADMSG && call.drop_reply))
        return;
    traced_conn_reply(self, call.request_id, false, false, (struct orma_str){NULL, 0}, -1);
}

static void handle_frame(struct traced_conn *self, const uint8_t *data, size_t len)
{
    struct orma_ipc_frame in;

    if (orma_ipc_frame_decode(data, len, &in) < 0)
        return; /* rule: an envelope that can't be decoded is ignored */
    switch (in.kind) {
    case ORMA_IPC_BIND:
        handle_bind(self, &in);
        return;
    case ORMA_IPC_INVOKE:
        handle_invoke(self, &in);
        return;
    case ORMA_IPC_PEER_IDENTITY:
        traced_relay_identify(self, &in);
        return;
    case ORMA_IPC_NONE:
    case ORMA_IPC_BIND_REPLY:
    case ORMA_IPC_INVOKE_REPLY:
    case ORMA_IPC_ERROR:
        break;
    }
    struct orma_ipc_frame reply = {
        .kind = ORMA_IPC_ERROR,
        .request_id = in.request_id,
        .payload = ORMA_STR("unknown request"),
    };
    send_encoded(self, &reply, NULL, 0, -1);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;
    const uint8_t *data;
    size_t len;

    (void)what;
    int r = orma_ipc_stream_recv(&self->in, fd);
    if (r == -EAGAIN)
        return;
    bool over = r <= 0;
    while (!over && !self->closing) {
        r = orma_ipc_stream_next(&self->in, &data, &len);
        if (r == 0)
            return;
        over = r < 0;
        if (!over)
            handle_frame(self, data, len);
    }
    traced_conn_free(self);
}

/* ---- making one ---- */

static void find_peer(struct traced_conn *self)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof(addr);
    struct ucred cred;

    self->is_unix =
        getsockname(self->fd, (struct sockaddr *)&addr, &len) == 0 && addr.ss_family == AF_UNIX;
    len = sizeof(cred);
    if (self->is_unix && getsockopt(self->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) {
        self->uid = (int32_t)cred.uid;
        self->pid = cred.pid;
    }
}

int traced_conn_new(struct traced_service *service, int fd, enum traced_socket_kind kind,
                    bool relay_allowed)
{
    struct traced_conn *self = calloc(1, sizeof(*self));

    if (!self) {
        orma_fd_close(&fd);
        return -ENOMEM;
    }
    *self = (struct traced_conn){
        .service = service, .kind = kind, .fd = fd, .relay_allowed = relay_allowed};
    orma_ipc_stream_init(&self->in);
    orma_list_init(&self->out);
    orma_list_insert(&service->conns, &self->link);
    service->conns_num++;
    find_peer(self);
    self->read_event = event_new(service->base, fd, EV_READ | EV_PERSIST, on_readable, self);
    self->write_event = event_new(service->base, fd, EV_WRITE | EV_PERSIST, on_writable, self);
    self->cutoff_event = evtimer_new(service->base, on_cutoff, self);
    self->kick_event = evtimer_new(service->base, on_kick, self);
    if (!self->read_event || !self->write_event || !self->cutoff_event || !self->kick_event ||
        event_add(self->read_event, NULL) < 0) {
        traced_conn_free(self);
        return -ENOMEM;
    }
    return 0;
}
