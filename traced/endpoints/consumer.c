#include "traced/endpoints/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/pbc.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/endpoints/query.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/clone.h"
#include "traced/sessions/read.h"
#include "traced/sessions/session.h"

/* A reply is cut before this sum of slices, each counted with an overhead; a slice is not larger.
 */
#define REPLY_MAX (ORMA_IPC_FRAME_MAX - 64)
#define SLICE_OVERHEAD 16
#define SLICE_MAX (ORMA_IPC_FRAME_MAX - 512)
/* What is read from the session for one reply. */
#define READ_BATCH ((size_t)32 << 10)

static const struct orma_str no_bytes = {"", 0};

struct traced_consumer *traced_consumer_of(struct traced_conn *conn)
{
    struct traced_consumer *self = conn->consumer;

    if (self)
        return self;
    self = calloc(1, sizeof(*self));
    if (!self)
        return NULL;
    self->conn = conn;
    self->uid = conn->uid;
    conn->consumer = self;
    return self;
}

void traced_consumer_gone(struct traced_conn *conn)
{
    struct traced_consumer *self = conn->consumer;

    conn->consumer = NULL;
    traced_clone_forget(self->clone);
    if (self->session)
        traced_session_release(self->session);
    orma_buf_fini(&self->batch);
    free(self);
}

/* The one nested message of a request; empty if it is not there. */
static int parse_message(struct orma_str args, uint32_t id, struct orma_str *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    *ret = no_bytes;
    while (orma_pb_next(&r, &f))
        if (f.id == id && f.data)
            *ret = orma_pb_str(&f);
    return r.failed ? -EBADMSG : 0;
}

/* The numbers of a request by field, those above `max` are skipped. */
static int parse_numbers(struct orma_str args, uint64_t *vals, uint32_t max)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    memset(vals, 0, (max + 1) * sizeof(*vals));
    while (orma_pb_next(&r, &f))
        if (f.id <= max)
            vals[f.id] = orma_pb_u64(&f);
    return r.failed ? -EBADMSG : 0;
}

/* ---- EnableTracing ---- */

static void reply_disabled(struct traced_conn *conn, uint64_t request_id, const char *error)
{
    struct orma_buf out = {0};

    orma_pb_put_u64(&out, ORMA_PB_ENABLE_TRACING_RESPONSE_DISABLED, 1);
    if (error && *error)
        orma_pb_put_cstr(&out, ORMA_PB_ENABLE_TRACING_RESPONSE_ERROR, error);
    traced_conn_reply(conn, request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

void traced_consumer_session_ended(struct traced_consumer *self, const char *error)
{
    if (!self->waits_for_end)
        return;
    self->waits_for_end = false;
    reply_disabled(self->conn, self->enable_request_id, error);
}

static void wait_for_end(struct traced_consumer *self, const struct traced_call *call)
{
    if (self->waits_for_end) /* a handler that goes away without an answer */
        traced_conn_reply(self->conn, self->enable_request_id, false, false, (struct orma_str){0},
                          -1);
    self->waits_for_end = !call->drop_reply;
    self->enable_request_id = call->request_id;
}

static int enable_tracing(struct traced_conn *conn, const struct traced_call *call)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_ipc_stream_take_fd(&conn->in);
    struct traced_consumer *self = traced_consumer_of(conn);
    struct traced_session *session;
    struct orma_buf error = {0};
    struct orma_str config;
    uint64_t nums[3];

    if (!self)
        return -ENOMEM;
    int r = parse_message(call->args, ORMA_PB_ENABLE_TRACING_REQUEST_TRACE_CONFIG, &config);
    if (r < 0 || (r = parse_numbers(call->args, nums, 2)) < 0)
        return r;
    wait_for_end(self, call);
    if (nums[ORMA_PB_ENABLE_TRACING_REQUEST_ATTACH_NOTIFICATION_ONLY]) {
        if (self->session && self->session->state == TRACED_DISABLED && !self->session->file)
            traced_session_tell_end(self->session); /* it came to its end while it was detached */
        return 0;
    }
    if (self->session) {
        orma_buf_put_str(&error, "A Consumer is trying to EnableTracing() but another tracing "
                                 "session is already active (forgot a call to FreeBuffers() ?)");
        r = -EBUSY;
    } else {
        r = traced_session_new(conn->service, self, config, fd, &session, &error);
        fd = -1; /* taken */
    }
    if (r == -EBADMSG) {
        self->waits_for_end = false;
    } else if (r < 0) {
        if (!error.len)
            orma_buf_put_str(&error, strerror(-r));
        traced_consumer_session_ended(self, orma_buf_cstr(&error));
        r = 0;
    }
    orma_buf_fini(&error);
    return r;
}

/* ---- plain calls on the session ---- */

static int start_tracing(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);

    if (!self)
        return -ENOMEM;
    traced_conn_ack(conn, call, true);
    if (self->session)
        traced_session_start(self->session);
    return 0;
}

static int disable_tracing(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);

    if (!self)
        return -ENOMEM;
    traced_conn_ack(conn, call, true);
    if (self->session)
        traced_session_disable(self->session);
    return 0;
}

static int free_buffers(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);

    if (!self)
        return -ENOMEM;
    if (self->session)
        traced_session_release(self->session);
    orma_buf_clear(&self->batch);
    self->batch_at = self->packet_at = 0;
    self->batch_more = false;
    traced_consumer_pump(self); /* who waits for data gets none */
    traced_conn_ack(conn, call, true);
    return 0;
}

struct flush_wait {
    uint64_t request_id;
    bool drop_reply;
};

static void on_flushed(struct traced_session *session, bool ok, void *ctx)
{
    struct flush_wait *wait = ctx;

    if (session->consumer && !wait->drop_reply)
        traced_conn_reply(session->consumer->conn, wait->request_id, ok, false,
                          ok ? no_bytes : (struct orma_str){0}, -1);
    free(wait);
}

static int flush(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    uint64_t nums[3];
    int r = parse_numbers(call->args, nums, 2);

    if (r < 0)
        return r;
    if (!self || !self->session || self->session->state != TRACED_STARTED)
        return -ENOENT;
    struct flush_wait *wait = malloc(sizeof(*wait));
    if (!wait)
        return -ENOMEM;
    *wait = (struct flush_wait){call->request_id, call->drop_reply};
    traced_session_flush(self->session, TRACED_FLUSH_ALL,
                         (uint32_t)nums[ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS],
                         nums[ORMA_PB_FLUSH_REQUEST_FLAGS], on_flushed, wait);
    return 0;
}

static int get_trace_stats(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    struct orma_buf out = {0};

    if (!self || !self->session)
        return -ENOENT;
    size_t msg = orma_pb_begin(&out, ORMA_PB_GET_TRACE_STATS_RESPONSE_TRACE_STATS);
    traced_put_stats(&out, self->session, REPLY_MAX - 2 * ORMA_VARINT_MAX);
    orma_pb_end(&out, msg);
    bool fits = !out.failed && out.len < REPLY_MAX;
    if (fits && !call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    return fits ? 0 : -EMSGSIZE;
}

/* ---- ReadBuffers ---- */

/* Appends slices of the packets in the batch until the reply is full. */
static void fill_reply(struct traced_consumer *self, struct orma_buf *reply)
{
    size_t sum = 0;

    while (self->batch_at < self->batch.len) {
        struct orma_pb_reader r =
            orma_pb_reader(self->batch.data + self->batch_at, self->batch.len - self->batch_at);
        struct orma_pb_field packet;

        if (!orma_pb_next(&r, &packet))
            break; /* cannot be: these are our own bytes */
        size_t rest = packet.len - self->packet_at, len = ORMA_MIN(rest, (size_t)SLICE_MAX);
        if (sum && sum + len + SLICE_OVERHEAD > REPLY_MAX)
            break;
        sum += len + SLICE_OVERHEAD;
        size_t slice = orma_pb_begin(reply, ORMA_PB_READ_BUFFERS_RESPONSE_SLICES);
        orma_pb_put_bytes(reply, ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_DATA,
                          packet.data + self->packet_at, len);
        orma_pb_put_u64(reply, ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_LAST_SLICE_FOR_PACKET,
                        len == rest);
        orma_pb_end(reply, slice);
        self->packet_at += len;
        if (len < rest)
            continue;
        self->packet_at = 0;
        self->batch_at = (size_t)(r.pos - self->batch.data);
    }
}

static enum traced_batch refill(struct traced_consumer *self)
{
    if (self->batch_at < self->batch.len)
        return TRACED_BATCH_READY;
    orma_buf_clear(&self->batch);
    self->batch_at = self->packet_at = 0;
    self->batch_more = false;
    if (!self->session || self->session->into_file)
        return TRACED_BATCH_NONE;
    return traced_session_read_batch(self->session, READ_BATCH, &self->batch, &self->batch_more);
}

/* False: not now. */
static bool send_one_reply(struct traced_consumer *self)
{
    struct orma_buf reply = {0};

    if (refill(self) == TRACED_BATCH_LATER)
        return false;
    fill_reply(self, &reply);
    bool more = self->batch_at < self->batch.len || self->batch_more;
    traced_conn_reply(self->conn, self->reads[0], true, more,
                      reply.len ? orma_buf_str(&reply) : no_bytes, -1);
    orma_buf_fini(&reply);
    if (more)
        return true;
    self->reads_num--;
    memmove(&self->reads[0], &self->reads[1], self->reads_num * sizeof(self->reads[0]));
    return true;
}

/* As much as the socket takes, but not all in one turn of the loop: others want to be served. */
void traced_consumer_pump(struct traced_consumer *self)
{
    for (int replies = 0; self->reads_num && replies < 8; replies++) {
        if (self->conn->ending || traced_conn_is_slow(self->conn))
            return; /* traced_consumer_drained() goes on */
        if (self->session && traced_session_is_ending(self->session))
            return; /* so does the end of the session */
        if (!send_one_reply(self))
            return; /* a batch is being compressed */
    }
    if (self->reads_num && !self->conn->ending && !traced_conn_is_slow(self->conn))
        traced_conn_call_later(self->conn);
}

static void pump_queries(struct traced_consumer *self)
{
    if (traced_queries_pump(self->conn, &self->queries))
        traced_conn_call_later(self->conn);
}

void traced_consumer_drained(struct traced_conn *conn)
{
    if (!conn->consumer)
        return;
    pump_queries(conn->consumer);
    traced_consumer_pump(conn->consumer);
}

static int read_buffers(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);

    if (!self || self->reads_num == TRACED_READS_MAX)
        return -EBUSY;
    if (call->drop_reply)
        return 0; /* nobody wants the data */
    self->reads[self->reads_num++] = call->request_id;
    if (self->reads_num == 1)
        traced_consumer_pump(self);
    return 0;
}

/* ---- ObserveEvents ---- */

static bool observes(const struct traced_consumer *self, unsigned type)
{
    return self && self->observes && self->observe_mask & 1u << type;
}

static void send_event(struct traced_consumer *self, const struct orma_buf *events)
{
    struct orma_buf out = {0};

    orma_pb_put_bytes(&out, ORMA_PB_OBSERVE_EVENTS_RESPONSE_EVENTS, events->data, events->len);
    traced_conn_reply(self->conn, self->observe_request_id, true, true, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

static void put_instance(struct orma_buf *out, const struct traced_instance *inst)
{
    bool started = inst->state == TRACED_INSTANCE_STARTED;
    size_t msg = orma_pb_begin(out, ORMA_PB_OBSERVABLE_EVENTS_INSTANCE_STATE_CHANGES);

    orma_pb_put_cstr(out, ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_CHANGE_PRODUCER_NAME,
                     inst->producer->name);
    orma_pb_put_cstr(out,
                     ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_CHANGE_DATA_SOURCE_NAME,
                     inst->name);
    orma_pb_put_u64(out, ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_CHANGE_STATE,
                    started ? ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_STARTED
                            : ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_STOPPED);
    orma_pb_end(out, msg);
}

static bool is_reported(const struct traced_instance *inst)
{
    return inst->state != TRACED_INSTANCE_STARTING && inst->state != TRACED_INSTANCE_STOPPING;
}

void traced_consumer_instance_changed(const struct traced_instance *inst)
{
    struct orma_buf events = {0};

    if (!observes(inst->session->consumer, ORMA_PB_OBSERVABLE_EVENTS_TYPE_DATA_SOURCES_INSTANCES) ||
        !is_reported(inst))
        return;
    put_instance(&events, inst);
    send_event(inst->session->consumer, &events);
    orma_buf_fini(&events);
}

void traced_consumer_all_started(struct traced_session *session)
{
    struct orma_buf events = {0};

    if (!observes(session->consumer, ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED))
        return;
    session->all_started_observed = true;
    orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED, 1);
    send_event(session->consumer, &events);
    orma_buf_fini(&events);
}

void traced_consumer_clone_trigger(const struct traced_session *session,
                                   const struct traced_trigger *t)
{
    struct orma_buf events = {0};

    if (!observes(session->consumer, ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT))
        return;
    size_t msg = orma_pb_begin(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT);
    orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRACING_SESSION_ID,
                    session->id);
    orma_pb_put_cstr(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRIGGER_NAME, t->name);
    orma_pb_put_cstr(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_PRODUCER_NAME,
                     t->producer_name);
    orma_pb_put_i64(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_PRODUCER_UID,
                    t->producer_uid);
    orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_BOOT_TIME_NS, t->ts);
    orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRIGGER_DELAY_MS,
                    t->stop_delay_ms);
    orma_pb_end(&events, msg);
    send_event(session->consumer, &events);
    orma_buf_fini(&events);
}

/* What is already so, in one message. */
static void replay_events(struct traced_consumer *self)
{
    struct traced_session *s = self->session;
    struct orma_buf events = {0};

    if (observes(self, ORMA_PB_OBSERVABLE_EVENTS_TYPE_DATA_SOURCES_INSTANCES))
        ORMA_LIST_EACH (struct traced_instance, inst, &s->instances, session_link)
            if (is_reported(inst) && events.len < REPLY_MAX / 2)
                put_instance(&events, inst);
    if (observes(self, ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED) &&
        s->all_started_told && !s->all_started_observed) {
        s->all_started_observed = true;
        orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED, 1);
    }
    if (events.len)
        send_event(self, &events);
    orma_buf_fini(&events);
}

static int observe_events(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    struct orma_pb_reader r = orma_pb_reader(call->args.data, call->args.len), packed;
    struct orma_pb_field f;
    uint32_t mask = 0;
    uint64_t type;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_OBSERVE_EVENTS_REQUEST_EVENTS_TO_OBSERVE)
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &type);)
                mask |= type < 32 ? 1u << type : 0;
    if (r.failed)
        return -EBADMSG;
    if (!self)
        return -ENOMEM;
    if (self->observes)
        traced_conn_reply(conn, self->observe_request_id, true, false, no_bytes, -1);
    self->observes = mask && !call->drop_reply;
    self->observe_mask = mask;
    self->observe_request_id = call->request_id;
    if (!mask)
        traced_conn_ack(conn, call, true);
    else if (self->session)
        replay_events(self);
    return 0;
}

/* ---- questions about the service ---- */

static int query_capabilities(struct traced_conn *conn, const struct traced_call *call)
{
    struct orma_buf out = {0};
    size_t msg = orma_pb_begin(&out, ORMA_PB_QUERY_CAPABILITIES_RESPONSE_CAPABILITIES);

    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_HAS_QUERY_CAPABILITIES, 1);
    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_OBSERVABLE_EVENTS,
                    ORMA_PB_OBSERVABLE_EVENTS_TYPE_DATA_SOURCES_INSTANCES);
    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_OBSERVABLE_EVENTS,
                    ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED);
    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_OBSERVABLE_EVENTS,
                    ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT);
    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_HAS_TRACE_CONFIG_OUTPUT_PATH, 1);
    orma_pb_put_u64(&out, ORMA_PB_TRACING_SERVICE_CAPABILITIES_HAS_CLONE_SESSION, 1);
    orma_pb_end(&out, msg);
    if (!call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    return 0;
}

static int query_service_state(struct traced_conn *conn, const struct traced_call *call)
{
    uint64_t nums[2];
    int r = parse_numbers(call->args, nums, 1);

    if (r < 0)
        return r;
    if (call->drop_reply)
        return 0;
    struct traced_consumer *self = traced_consumer_of(conn);
    if (!self)
        return -ENOMEM;
    r = traced_queries_add(&self->queries, call->request_id,
                           nums[ORMA_PB_QUERY_SERVICE_STATE_REQUEST_SESSIONS_ONLY]);
    if (r == 0 && self->queries.num == 1)
        pump_queries(self);
    return r;
}

static int save_trace_for_bugreport(struct traced_conn *conn, const struct traced_call *call)
{
    struct orma_buf out = {0};

    orma_pb_put_u64(&out, ORMA_PB_SAVE_TRACE_FOR_BUGREPORT_RESPONSE_SUCCESS, 0);
    orma_pb_put_cstr(&out, ORMA_PB_SAVE_TRACE_FOR_BUGREPORT_RESPONSE_MSG,
                     "SaveTraceForBugreport is deprecated. Use "
                     "CloneSession(kBugreportSessionId) instead.");
    if (!call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    return 0;
}

/* ---- sessions that outlive their consumer ---- */

static struct traced_session *find_detached(const struct traced_service *svc, int32_t uid,
                                            struct orma_str key)
{
    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link)
        if (s->detach_key && s->uid == uid && orma_str_eq_c(key, s->detach_key))
            return s;
    return NULL;
}

static int detach(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    struct orma_str key;
    int r = parse_message(call->args, ORMA_PB_DETACH_REQUEST_KEY, &key);

    if (r < 0)
        return r;
    if (!self || !self->session || !key.len || find_detached(conn->service, self->uid, key))
        return -ENOENT;
    self->session->detach_key = orma_str_dup(key);
    if (!self->session->detach_key)
        return -ENOMEM;
    self->session->consumer = NULL;
    self->session = NULL;
    traced_conn_ack(conn, call, true);
    return 0;
}

static int attach(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    struct orma_buf out = {0};
    struct orma_str key;
    int r = parse_message(call->args, ORMA_PB_ATTACH_REQUEST_KEY, &key);

    if (r < 0)
        return r;
    struct traced_session *s = self ? find_detached(conn->service, self->uid, key) : NULL;
    if (!s || self->session || self->clone)
        return -ENOENT;
    free(s->detach_key);
    s->detach_key = NULL;
    s->consumer = self;
    self->session = s;
    orma_pb_put_bytes(&out, ORMA_PB_ATTACH_RESPONSE_TRACE_CONFIG, s->config_bytes.data,
                      s->config_bytes.len);
    if (!call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    return 0;
}

static int change_trace_config(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);
    struct orma_str config;
    int r = parse_message(call->args, ORMA_PB_CHANGE_TRACE_CONFIG_REQUEST_TRACE_CONFIG, &config);

    if (r < 0)
        return r;
    if (!self)
        return -ENOMEM;
    if (self->session && (r = traced_session_change_config(self->session, config)) < 0)
        return r;
    traced_conn_ack(conn, call, true);
    return 0;
}

static const char *const method_names[] = ORMA_CONSUMER_PORT_METHODS;
static const traced_method_fn methods[] = {
    [ORMA_CONSUMER_PORT_ENABLE_TRACING] = enable_tracing,
    [ORMA_CONSUMER_PORT_DISABLE_TRACING] = disable_tracing,
    [ORMA_CONSUMER_PORT_READ_BUFFERS] = read_buffers,
    [ORMA_CONSUMER_PORT_FREE_BUFFERS] = free_buffers,
    [ORMA_CONSUMER_PORT_FLUSH] = flush,
    [ORMA_CONSUMER_PORT_START_TRACING] = start_tracing,
    [ORMA_CONSUMER_PORT_CHANGE_TRACE_CONFIG] = change_trace_config,
    [ORMA_CONSUMER_PORT_DETACH] = detach,
    [ORMA_CONSUMER_PORT_ATTACH] = attach,
    [ORMA_CONSUMER_PORT_GET_TRACE_STATS] = get_trace_stats,
    [ORMA_CONSUMER_PORT_OBSERVE_EVENTS] = observe_events,
    [ORMA_CONSUMER_PORT_QUERY_SERVICE_STATE] = query_service_state,
    [ORMA_CONSUMER_PORT_QUERY_CAPABILITIES] = query_capabilities,
    [ORMA_CONSUMER_PORT_SAVE_TRACE_FOR_BUGREPORT] = save_trace_for_bugreport,
    [ORMA_CONSUMER_PORT_CLONE_SESSION] = traced_clone_request,
};

const struct traced_port traced_consumer_port = {
    .name = ORMA_CONSUMER_PORT_NAME,
    .method_names = method_names,
    .methods = methods,
    .methods_end = ORMA_CONSUMER_PORT_METHODS_END,
};
