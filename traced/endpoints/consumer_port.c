/*
 * The methods in the order of the table at the end. A method that takes longer
 * than its call answers later: EnableTracing when the session ends, ReadBuffers
 * as the socket takes it, Flush and CloneSession from their callbacks.
 */
#include "traced/endpoints/consumer_port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/endpoints/clone_request.h"
#include "traced/endpoints/consumer.h"
#include "traced/output/file.h"
#include "traced/sessions/clone.h"
#include "traced/sessions/session.h"
#include "traced/sessions/session_make.h"
#include "traced/sessions/stats.h"

static const struct orma_str no_bytes = {"", 0};

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

static void wait_for_end(struct traced_consumer *self, const struct traced_call *call)
{
    if (self->waits_for_end) /* a handler that goes away without an answer */
        traced_conn_reply(self->conn, self->enable_request_id, false, false, (struct orma_str){0},
                          -1);
    self->waits_for_end = !call->drop_reply;
    self->enable_request_id = call->request_id;
}

static int enable(struct traced_conn *conn, const struct traced_call *call, int taken)
{
    ORMA_AUTO(orma_fd_close) int fd = taken;
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
        if (self->session && self->session->state == TRACED_DISABLED && !self->session->output.file)
            traced_session_output_report_end(
                self->session); /* it came to its end while it was detached */
        return 0;
    }
    if (self->session) {
        orma_buf_put_str(&error, "A Consumer is trying to EnableTracing() but another tracing "
                                 "session is already active (forgot a call to FreeBuffers() ?)");
        r = -EBUSY;
    } else {
        r = traced_session_new(conn->network->context, config, self->uid, fd, &session, &error);
        fd = -1; /* taken */
    }
    if (r == 0) {
        self->session = session;
        traced_session_begin(session, self);
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

static int enable_tracing(struct traced_conn *conn, const struct traced_call *call)
{
    return traced_conn_with_fd(conn, call, enable);
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
    traced_consumer_forget_batch(self);
    traced_consumer_pump(self); /* who waits for data gets none */
    traced_conn_ack(conn, call, true);
    return 0;
}

struct flush_reply {
    uint64_t request_id;
    bool drop_reply;
};

static void on_flushed(struct traced_session *session, bool ok, void *ctx)
{
    struct flush_reply *wait = ctx;

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
    struct flush_reply *wait = malloc(sizeof(*wait));
    if (!wait)
        return -ENOMEM;
    *wait = (struct flush_reply){call->request_id, call->drop_reply};
    traced_flush(self->session, TRACED_FLUSH_ALL, (uint32_t)nums[ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS],
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
    traced_session_put_reply(&out, self->session, TRACED_REPLY_MAX - 2 * ORMA_VARINT_MAX);
    orma_pb_end(&out, msg);
    bool fits = !out.failed && out.len < TRACED_REPLY_MAX;
    if (fits && !call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    return fits ? 0 : -EMSGSIZE;
}

static int read_buffers(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_consumer *self = traced_consumer_of(conn);

    if (!self || self->reads_num == TRACED_READS_MAX)
        return -EBUSY;
    if (call->drop_reply)
        return 0; /* nobody wants the data */
    return traced_consumer_add_read(self, call->request_id);
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
        traced_consumer_replay_events(self);
    return 0;
}

/* ---- OrmaNextFile ---- */

static void on_next_file(struct traced_session *session, int error)
{
    struct traced_consumer *self = session->consumer;
    struct orma_buf out = {0};

    if (!self || self->next_file_drop_reply)
        return;
    if (error == -ECANCELED) {
        traced_conn_reply(self->conn, self->next_file_request_id, false, false,
                          (struct orma_str){0}, -1);
        return;
    }
    if (error)
        orma_pb_put_cstr(&out, ORMA_PB_ORMA_NEXT_FILE_RESPONSE_ERROR, traced_file_reason(error));
    orma_pb_put_u64(&out, ORMA_PB_ORMA_NEXT_FILE_RESPONSE_PACKETS_BEHIND,
                    session->output.next.behind);
    traced_conn_reply(self->conn, self->next_file_request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

static int begin_next_file(struct traced_conn *conn, const struct traced_call *call, int taken)
{
    ORMA_AUTO(orma_fd_close) int fd = taken;
    struct traced_consumer *self = traced_consumer_of(conn);
    uint64_t nums[2];

    int r = parse_numbers(call->args, nums, 1);
    if (r < 0)
        return r;
    if (!self || !self->session || fd < 0)
        return -ENOENT;
    r = traced_next_file_begin(self->session, fd,
                               (uint32_t)nums[ORMA_PB_ORMA_NEXT_FILE_REQUEST_FLUSH_TIMEOUT_MS]);
    fd = -1; /* taken */
    if (r < 0)
        return r;
    self->session->output.next.complete = on_next_file;
    self->next_file_request_id = call->request_id;
    self->next_file_drop_reply = call->drop_reply;
    return 0;
}

static int next_file(struct traced_conn *conn, const struct traced_call *call)
{
    return traced_conn_with_fd(conn, call, begin_next_file);
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

static void pump_queries(struct traced_consumer *self)
{
    if (traced_queries_pump(self->conn, &self->queries))
        traced_conn_call_later(self->conn);
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

static struct traced_session *find_detached(const struct traced_sessions *sessions, int32_t uid,
                                            struct orma_str key)
{
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
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
    if (!self || !self->session || !key.len || orma_str_has_zero(key) ||
        find_detached(conn->network->context, self->uid, key))
        return -ENOENT;
    self->session->detach_key = orma_str_dup(key);
    if (!self->session->detach_key)
        return -ENOMEM;
    self->session->consumer = NULL;
    self->session->output.next.complete = NULL;
    self->session = NULL;
    self->clone_reply_due = false;
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
    struct traced_session *s = self ? find_detached(conn->network->context, self->uid, key) : NULL;
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
    [ORMA_CONSUMER_PORT_ORMA_NEXT_FILE] = next_file,
};

static const struct traced_port port = {
    .name = ORMA_CONSUMER_PORT_NAME,
    .method_names = method_names,
    .methods = methods,
    .methods_end = ORMA_CONSUMER_PORT_METHODS_END,
};

/* ---- the endpoint ---- */

static void drained(struct traced_conn *conn)
{
    pump_queries(conn->client);
    traced_consumer_pump(conn->client);
}

static void gone(struct traced_conn *conn)
{
    struct traced_consumer *self = conn->client;

    conn->client = NULL;
    traced_clone_forget(self->clone);
    if (self->session)
        traced_session_release(self->session);
    traced_consumer_free(self);
}

static const struct traced_port *const ports[] = {&port, NULL};

const struct traced_endpoint traced_consumer_endpoint = {
    .client_name = "consumer",
    .ports = ports,
    .cutoff_ms = 10000,
    .bind_ms = 30000,
    .queue_max = (size_t)16 << 20,
    .urgent = true,
    .gone = gone,
    .drained = drained,
};

/* ---- what sessions report ---- */

static void on_ended(struct traced_session *session, const char *error)
{
    if (session->consumer)
        traced_consumer_session_ended(session->consumer, error);
}

static void on_readable(struct traced_session *session)
{
    if (session->consumer)
        traced_consumer_pump(session->consumer);
}

static void on_read_later(struct traced_session *session)
{
    if (session->consumer)
        traced_conn_call_later(session->consumer->conn);
}

static void on_released(struct traced_session *session)
{
    if (!session->consumer)
        return;
    session->consumer->session = NULL;
    session->consumer->clone_reply_due = false;
}

const struct traced_session_events traced_consumer_session_events = {
    .started = traced_consumer_all_started,
    .instance_changed = traced_consumer_instance_changed,
    .ended = on_ended,
    .readable = on_readable,
    .read_later = on_read_later,
    .clone_due = traced_consumer_clone_due,
    .clone_written = traced_clone_request_written,
    .released = on_released,
};
