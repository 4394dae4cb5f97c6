/*
 * ReadBuffers: a batch of packets is read from the session, cut into slices that
 * fit replies, and sent as the socket accepts them:
 *
 *   session ──refill()──► batch ──fill_reply()──► reply ──► socket
 *                          [packet][packet][packet]
 *                             batch_at ┘   └ packet_at: inside a packet that is cut
 *
 * Whatever stops this (a slow socket, a batch at the compressor, a session about
 * to end) calls traced_consumer_pump() again when it is over.
 */
#include "traced/endpoints/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "sdk/ipc/frame.h"
#include "sdk/wire/pb_writer.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

/* Slices are counted with an overhead each, and not larger than this. */
#define SLICE_OVERHEAD 16
#define SLICE_MAX (ORMA_IPC_FRAME_MAX - 512)
/* What is read from the session for one reply. */
#define READ_BATCH ((size_t)32 << 10)

static const struct orma_str no_bytes = {"", 0};

struct traced_consumer *traced_consumer_of(struct traced_conn *conn)
{
    struct traced_consumer *self = conn->client;

    if (self)
        return self;
    self = calloc(1, sizeof(*self));
    if (!self)
        return NULL;
    self->conn = conn;
    self->uid = conn->uid;
    conn->client = self;
    return self;
}

void traced_consumer_free(struct traced_consumer *self)
{
    orma_buf_fini(&self->batch);
    free(self);
}

/* ---- the end of a session ---- */

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
        if (sum && sum + len + SLICE_OVERHEAD > TRACED_REPLY_MAX)
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

void traced_consumer_forget_batch(struct traced_consumer *self)
{
    orma_buf_clear(&self->batch);
    self->batch_at = self->packet_at = 0;
    self->batch_more = false;
}

static enum traced_batch refill(struct traced_consumer *self)
{
    if (self->batch_at < self->batch.len)
        return TRACED_BATCH_READY;
    traced_consumer_forget_batch(self);
    if (!self->session || self->session->output.into_file)
        return TRACED_BATCH_NONE;
    return traced_session_output_read_batch(self->session, READ_BATCH, &self->batch,
                                            &self->batch_more);
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
            return; /* the endpoint's drained() goes on */
        if (self->session && traced_session_is_ending(self->session))
            return; /* so does the end of the session */
        if (!send_one_reply(self))
            return; /* a batch is being compressed */
    }
    if (self->reads_num && !self->conn->ending && !traced_conn_is_slow(self->conn))
        traced_conn_call_later(self->conn);
}

int traced_consumer_add_read(struct traced_consumer *self, uint64_t request_id)
{
    if (self->reads_num == TRACED_READS_MAX)
        return -EBUSY;
    self->reads[self->reads_num++] = request_id;
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
    session->instances.all_started_observed = true;
    orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED, 1);
    send_event(session->consumer, &events);
    orma_buf_fini(&events);
}

void traced_consumer_clone_due(const struct traced_session *session, const struct traced_trigger *t)
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
void traced_consumer_replay_events(struct traced_consumer *self)
{
    struct traced_session *s = self->session;
    struct orma_buf events = {0};

    if (observes(self, ORMA_PB_OBSERVABLE_EVENTS_TYPE_DATA_SOURCES_INSTANCES))
        ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
            if (is_reported(inst) && events.len < TRACED_REPLY_MAX / 2)
                put_instance(&events, inst);
    if (observes(self, ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED) &&
        s->instances.all_started && !s->instances.all_started_observed) {
        s->instances.all_started_observed = true;
        orma_pb_put_u64(&events, ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED, 1);
    }
    if (events.len)
        send_event(self, &events);
    orma_buf_fini(&events);
}
