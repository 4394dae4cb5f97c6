/*
 * Input: the stream collects bytes, slice() takes whole frames out of it for half
 * a millisecond at a time. A call that returned 1 stays open, and its frame's
 * bytes valid, until go_on() has ended it; no later frame is looked at.
 *
 * Output: a frame is sent at once if nothing waits. What the socket does not
 * accept is copied into a queue; each frame in it has the endpoint's time from the
 * moment when it becomes the first.
 *
 * The end: begin_end() notes how much the client has sent (hear_until) and shuts
 * the socket down; slices go on until that much was handled, then end_some()
 * lets the endpoint wind up and frees.
 */
#include "traced/network/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/assert.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_reader.h"

struct out_frame {
    struct orma_list link; /* traced_conn.out */
    int fd;                /* to be passed with the first byte; owned, -1: none */
    size_t len, sent;
    uint8_t data[];
};

#define USER_TEXT_MAX 24
/* What is read of a peer that goes away, if its socket can't say how much that is. */
#define HEAR_OUT_MAX ((uint64_t)16 << 20)

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

static void forget_out(struct traced_conn *self)
{
    ORMA_LIST_EACH (struct out_frame, frame, &self->out, link)
        frame_free(frame);
    self->out_bytes = 0;
}

/* Bytes in the socket. Where it can't say (vsock of older kernels): 0, or the most that counts. */
static uint64_t bytes_waiting(const struct traced_conn *self)
{
    int num = 0;
    char byte;

    if (ioctl(self->fd, SIOCINQ, &num) == 0)
        return (uint64_t)ORMA_MAX(num, 0);
    return recv(self->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 ? HEAR_OUT_MAX : 0;
}

static uint64_t user_id(const struct traced_conn *self)
{
    return self->is_unix ? (uint32_t)self->uid : TRACED_USER_NETWORK;
}

/* With what was not read, the kernel closes the descriptors in it. */
static void close_socket(struct traced_conn *self)
{
    if (self->fd >= 0 && bytes_waiting(self))
        traced_conn_discard(self, self->fd);
    else
        orma_fd_close(&self->fd);
    self->fd = -1;
}

static void discard(void *ctx, int fd)
{
    traced_conn_discard(ctx, fd);
}

void traced_conn_discard(struct traced_conn *self, int fd)
{
    traced_users_close(&self->network->users, user_id(self), fd);
}

int traced_conn_with_fd(struct traced_conn *self, const struct traced_call *call,
                        int (*fn)(struct traced_conn *self, const struct traced_call *call, int fd))
{
    int fd = orma_ipc_stream_take_fd(&self->in), second = -1;

    if (fd >= 0 && (second = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) < 0) {
        int r = -errno;

        traced_conn_discard(self, fd);
        return r;
    }
    int r = fn(self, call, fd);
    traced_conn_discard(self, second);
    return r;
}

void traced_conn_free(struct traced_conn *self)
{
    if (self->client && self->endpoint->gone)
        self->endpoint->gone(self);
    ORMA_ASSERT(!self->client && self->network->conns_num > 0);
    traced_work_cancel(&self->work);
    orma_list_remove(&self->link);
    self->network->conns_num--;
    forget_out(self);
    event_free_if(self->read_event);
    event_free_if(self->write_event);
    event_free_if(self->cutoff_event);
    event_free_if(self->bind_event);
    orma_ipc_stream_fini(&self->in);
    close_socket(self);
    if (self->user) {
        (void)traced_user_hold(self->user, self->held, 0); /* less is never too much */
        traced_users_leave(&self->network->users, self->user);
    }
    free(self->machine_name);
    free(self);
}

uint64_t traced_conn_mark(const struct traced_conn *self)
{
    return self->received + bytes_waiting(self);
}

bool traced_conn_passed(const struct traced_conn *self, uint64_t mark)
{
    if (self->ending || self->call_open || self->has_frames)
        return false;
    return self->received >= mark || !bytes_waiting(self);
}

/*
 * From here on nothing is sent. `hear_out`: what the peer has sent already is
 * still handled, slice by slice, before the connection is freed; more than that
 * it can't add, for its side is shut as well.
 */
static void begin_end(struct traced_conn *self, bool hear_out)
{
    if (self->ending)
        return;
    self->hear_until = traced_conn_mark(self);
    self->ending = true;
    if (self->read_event)
        event_del(self->read_event);
    if (self->write_event)
        event_del(self->write_event);
    if (self->cutoff_event)
        event_del(self->cutoff_event);
    if (self->bind_event)
        event_del(self->bind_event);
    forget_out(self);
    (void)shutdown(self->fd, SHUT_RDWR); /* it may be over already */
    if (!hear_out) {
        self->over = true;
        self->has_frames = self->call_open = false;
    }
    traced_turns_add(&self->network->loop->turns, &self->work);
}

/* A producer is always heard: what it has handed over belongs to sessions, not to it. */
void traced_conn_close(struct traced_conn *self)
{
    begin_end(self, self->client && self->endpoint->wind_up);
}

/* "user 1000", or all who come by the network together. */
static const char *user_of(const struct traced_conn *self, char ret[USER_TEXT_MAX])
{
    if (!self->is_unix)
        return "the network";
    snprintf(ret, USER_TEXT_MAX, "user %d", self->uid);
    return ret;
}

/* What is kept for it counts for its user. */
static void settle_account(struct traced_conn *self)
{
    size_t held = self->in.touched + self->out_bytes;
    char who[USER_TEXT_MAX];

    if (self->client && self->endpoint->held)
        held += self->endpoint->held(self);
    bool fine = traced_user_hold(self->user, self->held, held);
    self->held = held;
    if (fine || self->ending)
        return;
    if (traced_loop_may_log(self->network->loop))
        orma_log_warn("disconnected the %s with pid %d: %s makes the service hold %zu MiB",
                      self->endpoint->client_name, self->pid, user_of(self, who),
                      self->user->bytes >> 20);
    traced_conn_close(self);
}

void traced_conn_call_later(struct traced_conn *self)
{
    self->pump_due = true;
    traced_turns_add(&self->network->loop->turns, &self->work);
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

static void arm_cutoff(struct traced_conn *self)
{
    uint32_t ms = self->endpoint->cutoff_ms;
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    event_add(self->cutoff_event, &wait);
}

static void on_cutoff(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)fd;
    (void)what;
    if (traced_loop_may_log(self->network->loop))
        orma_log_warn("disconnected the %s with pid %d: it read nothing for %u ms",
                      self->endpoint->client_name, self->pid, self->endpoint->cutoff_ms);
    traced_conn_close(self);
}

static void on_bind_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)fd;
    (void)what;
    if (traced_loop_may_log(self->network->loop))
        orma_log_warn(
            "disconnected a client of uid %d with pid %d: it did not bind to a port within %u ms",
            self->uid, self->pid, self->endpoint->bind_ms);
    begin_end(self, false);
}

static void note_bound(struct traced_conn *self)
{
    event_free_if(self->bind_event);
    self->bind_event = NULL;
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
            begin_end(self, true);
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
    settle_account(self); /* what went out is kept no more */
    if (self->client && self->endpoint->drained)
        traced_conn_call_later(self);
}

static void enqueue(struct traced_conn *self, const uint8_t *data, size_t len, int pass_fd)
{
    struct out_frame *frame = malloc(sizeof(*frame) + len);

    if (!frame || self->out_bytes + len > self->endpoint->queue_max) {
        free(frame);
        if (traced_loop_may_log(self->network->loop))
            orma_log_warn("disconnected the client with pid %d: %zu bytes are queued for it",
                          self->pid, self->out_bytes);
        traced_conn_close(self);
        return;
    }
    *frame = (struct out_frame){.fd = -1, .len = len};
    memcpy(frame->data, data, len);
    if (pass_fd >= 0)
        frame->fd = fcntl(pass_fd, F_DUPFD_CLOEXEC,
                          0); /* -1: the client sees a missing descriptor and gives up */
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

    if (self->ending)
        return;
    if (orma_list_empty(&self->out)) {
        n = send_part(self->fd, data, len, pass_fd);
        if (n < 0 && n != -EAGAIN) {
            begin_end(self, true); /* it has gone, but may have said something before */
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

    /* Too large or no memory: the client would wait for ever, so its connection ends. */
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

/* NULL: there is none. Ids are those of the bind replies: 1 is the first. */
static const struct traced_port *port_of(const struct traced_conn *self, uint32_t service_id)
{
    const struct traced_port *const *port = self->endpoint->ports;

    for (uint32_t id = 1; *port; port++, id++)
        if (id == service_id)
            return *port;
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
        note_bound(self);
        send_encoded(self, &reply, port->method_names, port->methods_end, -1);
        return;
    }
    send_encoded(self, &reply, NULL, 0, -1);
}

/* Is it a message at all? Commits are walked once only, by their own method. */
static bool args_valid(const struct traced_port *port, uint32_t method_id, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    if (method_id == port->self_checked)
        return true;
    while (orma_pb_next(&r, &f))
        continue;
    return !r.failed;
}

static void conclude(struct traced_conn *self, const struct traced_call *call, int r)
{
    if (r == 0 || (r != -EBADMSG && call->drop_reply))
        return;
    traced_conn_reply(self, call->request_id, false, false, (struct orma_str){NULL, 0}, -1);
}

static void handle_invoke(struct traced_conn *self, const struct orma_ipc_frame *in)
{
    const struct traced_port *port = port_of(self, in->service_id);
    struct traced_call call = {in->request_id, in->payload, in->drop_reply};
    int r = -EBADMSG;

    if (port && in->method_id > 0 && in->method_id < port->methods_end &&
        args_valid(port, in->method_id, in->payload))
        r = port->methods[in->method_id](self, &call);
    if (r > 0) {
        ORMA_ASSERT(port->go_on);
        self->call = call;
        self->call_port = port;
        self->call_open = true;
    } else {
        conclude(self, &call, r);
    }
}

static void go_on(struct traced_conn *self)
{
    int r = self->call_port->go_on(self, &self->call);

    if (r > 0)
        return;
    self->call_open = false;
    conclude(self, &self->call, r);
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
        traced_conn_identify(self, &in);
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

/* One recvmsg(). At the end of the input `over` is set. */
static void receive(struct traced_conn *self)
{
    int r = self->ending && self->received >= self->hear_until
                ? 0
                : orma_ipc_stream_recv(&self->in, self->fd);

    if (r > 0) {
        self->over |= traced_users_is_stuck(&self->network->users, self->user);
        self->received += (uint64_t)r;
        self->has_frames = true;
    } else if (r != -EAGAIN || self->ending) {
        self->over = true;
    }
}

static void handle_next(struct traced_conn *self)
{
    const uint8_t *data;
    size_t len;

    if (self->call_open) {
        go_on(self);
        return;
    }
    int r = orma_ipc_stream_next(&self->in, &data, &len);
    if (r > 0) {
        handle_frame(self, data, len);
        return;
    }
    self->has_frames = false;
    self->over |= r < 0; /* where frames begin is not known any more */
}

/* All that was received, or as much as there is time for. */
static void handle_frames(struct traced_conn *self, uint64_t end_ns)
{
    while (self->call_open || self->has_frames) {
        handle_next(self);
        if (orma_clock_monotonic() >= end_ns)
            return;
    }
}

/* Nothing more will be heard. True: its memory is still being read. */
static bool end_some(struct traced_conn *self)
{
    begin_end(self, true);
    if (self->client && self->endpoint->wind_up && self->endpoint->wind_up(self))
        return true;
    traced_conn_free(self);
    return false;
}

static bool slice(struct traced_work *work)
{
    struct traced_conn *self = ORMA_CONTAINER_OF(work, struct traced_conn, work);
    uint64_t end_ns = orma_clock_monotonic() + TRACED_SLICE_NS;

    if (self->pump_due) {
        self->pump_due = false;
        if (self->client && self->endpoint->drained && !self->ending)
            self->endpoint->drained(self);
    }
    if (!self->call_open && !self->has_frames && !self->over)
        receive(self);
    handle_frames(self, end_ns);
    settle_account(self);
    if (self->call_open || self->has_frames)
        return true;
    if (self->over)
        return end_some(self);
    return self->ending || self->pump_due;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct traced_conn *self = arg;

    (void)fd;
    (void)what;
    traced_turns_do(&self->network->loop->turns, &self->work);
}

void traced_conn_hear_now(struct traced_conn *self, uint64_t end_ns)
{
    uint64_t mark = traced_conn_mark(self);

    while (!self->over && !traced_conn_passed(self, mark) && orma_clock_monotonic() < end_ns) {
        if (!self->call_open && !self->has_frames)
            receive(self);
        handle_frames(self, end_ns);
    }
}

/* ---- making one ---- */

/* Who it is, and whether there may be one more. */
static int enter(struct traced_conn *self)
{
    struct traced_users *users = &self->network->users;
    char who[USER_TEXT_MAX];

    traced_conn_find_peer(self);
    if (self->is_unix) /* else the kernel throws such bytes away, with what was sent along */
        (void)setsockopt(self->fd, SOL_SOCKET, SO_OOBINLINE, &(int){1}, sizeof(int));
    self->user = traced_users_enter(users, user_id(self));
    if (self->user)
        return 0;
    if (traced_loop_may_log(self->network->loop))
        orma_log_warn("refused a %s with pid %d: %s already has half of the connections that other "
                      "users leave free (at most %zu in total), or out of memory",
                      self->endpoint->client_name, self->pid, user_of(self, who), users->conns_max);
    return -EUSERS;
}

static int make_events(struct traced_conn *self)
{
    struct event_base *base = self->network->loop->base;
    uint32_t ms = self->endpoint->bind_ms;
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    self->read_event = event_new(base, self->fd, EV_READ | EV_PERSIST, on_readable, self);
    self->write_event = event_new(base, self->fd, EV_WRITE | EV_PERSIST, on_writable, self);
    self->cutoff_event = evtimer_new(base, on_cutoff, self);
    self->bind_event = evtimer_new(base, on_bind_timeout, self);
    return self->read_event && self->write_event && self->cutoff_event && self->bind_event &&
                   event_add(self->read_event, NULL) == 0 && event_add(self->bind_event, &wait) == 0
               ? 0
               : -ENOMEM;
}

int traced_conn_new(struct traced_network *network, int fd, const struct traced_endpoint *endpoint)
{
    struct traced_conn *self = calloc(1, sizeof(*self));

    if (!self) {
        orma_fd_close(&fd);
        return -ENOMEM;
    }
    *self = (struct traced_conn){.network = network, .endpoint = endpoint, .fd = fd};
    self->work = (struct traced_work){.slice = slice, .urgent = endpoint->urgent};
    orma_ipc_stream_init(&self->in);
    self->in.discard = discard;
    self->in.ctx = self;
    orma_list_init(&self->out);
    orma_list_insert(&network->conns, &self->link);
    network->conns_num++;
    int r = enter(self);
    if (r == 0)
        r = make_events(self);
    if (r < 0)
        traced_conn_free(self);
    return r;
}
