/*
 * Sessions and producers go into the first reply; then the data sources, in the
 * order of their serial numbers. The number of the last one sent is all that is
 * kept between two turns, so that they may come and go.
 */
#include "traced/endpoints/query.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "sdk/base/buf.h"
#include "sdk/ipc/frame.h"
#include "sdk/wire/pb_writer.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

#define REPLY_MAX (ORMA_IPC_FRAME_MAX - 128)
/* Replies of one turn. */
#define REPLIES_MAX 8

static const struct traced_sessions *sessions_of(const struct traced_conn *conn)
{
    return conn->network->context;
}

/* Replies under construction: sent whenever the next piece would not fit any more. */
struct replies {
    struct traced_conn *conn;
    uint64_t request_id;
    unsigned sent;
    struct orma_buf state; /* TracingServiceState so far */
};

static void send_reply(struct replies *r, bool more)
{
    struct orma_buf out = {0};

    orma_pb_put_bytes(&out, ORMA_PB_QUERY_SERVICE_STATE_RESPONSE_SERVICE_STATE, r->state.data,
                      r->state.len);
    traced_conn_reply(r->conn, r->request_id, true, more, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
    orma_buf_clear(&r->state);
    r->sent++;
}

/* Appends a field of the state; one that is too large for any reply is left out. */
static void put_piece(struct replies *r, uint32_t field, const struct orma_buf *piece)
{
    size_t len = piece->len + 2 * ORMA_VARINT_MAX;

    if (piece->failed || len > REPLY_MAX)
        return;
    if (r->state.len + len > REPLY_MAX)
        send_reply(r, true);
    orma_pb_put_bytes(&r->state, field, piece->data, piece->len);
}

static void put_producer(struct replies *r, const struct traced_producer *p)
{
    struct orma_buf m = {0};

    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_ID, p->id);
    orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_NAME, p->name);
    orma_pb_put_i64(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_UID, p->uid);
    orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_SDK_VERSION, p->sdk_version);
    orma_pb_put_i64(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_PID, p->pid);
    if (!traced_producer_is_local(p)) {
        orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_MACHINE_ID, p->conn->machine_id);
        if (p->conn->machine_name)
            orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_MACHINE_NAME,
                             p->conn->machine_name);
    }
    put_piece(r, ORMA_PB_TRACING_SERVICE_STATE_PRODUCERS, &m);
    orma_buf_fini(&m);
}

static void put_data_source(struct replies *r, const struct traced_data_source *ds)
{
    struct orma_buf m = {0};

    orma_pb_put_bytes(&m, ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_DS_DESCRIPTOR,
                      ds->descriptor.data, ds->descriptor.len);
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_PRODUCER_ID, ds->producer->id);
    put_piece(r, ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES, &m);
    orma_buf_fini(&m);
}

static const char *state_name(enum traced_session_state state)
{
    switch (state) {
    case TRACED_CONFIGURED:
        return "CONFIGURED";
    case TRACED_STARTED:
        return "STARTED";
    case TRACED_STOPPING:
        return "STOP_WAIT";
    case TRACED_DISABLED:
        return "DISABLED";
    case TRACED_CLONED:
        return "CLONED_READ_ONLY";
    }
    return "";
}

static void put_session(struct replies *r, const struct traced_session *s)
{
    struct orma_buf m = {0};
    uint64_t sources = 0;

    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
        sources++;
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_ID, s->id);
    orma_pb_put_i64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_CONSUMER_UID, s->uid);
    orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_STATE, state_name(s->state));
    if (s->config->unique_session_name)
        orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_UNIQUE_SESSION_NAME,
                         s->config->unique_session_name);
    for (size_t i = 0; i < s->config->n_buffers; i++)
        orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_BUFFER_SIZE_KB,
                        s->config->buffers[i]->size_kb);
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_DURATION_MS, s->duration_ms);
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_NUM_DATA_SOURCES, sources);
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_START_REALTIME_NS,
                    s->start_realtime_ns);
    if (s->config->bugreport_score)
        orma_pb_put_i64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_BUGREPORT_SCORE,
                        s->config->bugreport_score);
    if (s->config->bugreport_filename && *s->config->bugreport_filename)
        orma_pb_put_cstr(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_BUGREPORT_FILENAME,
                         s->config->bugreport_filename);
    orma_pb_put_u64(&m, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_IS_STARTED,
                    s->state == TRACED_STARTED);
    put_piece(r, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSIONS, &m);
    orma_buf_fini(&m);
}

static void put_sessions(struct replies *r)
{
    const struct traced_sessions *sessions = sessions_of(r->conn);
    uint64_t started = 0;

    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        started += s->state == TRACED_STARTED;
    orma_pb_put_u64(&r->state, ORMA_PB_TRACING_SERVICE_STATE_NUM_SESSIONS, sessions->num);
    orma_pb_put_u64(&r->state, ORMA_PB_TRACING_SERVICE_STATE_NUM_SESSIONS_STARTED, started);
    orma_pb_put_cstr(&r->state, ORMA_PB_TRACING_SERVICE_STATE_TRACING_SERVICE_VERSION,
                     sessions->version);
    orma_pb_put_u64(&r->state, ORMA_PB_TRACING_SERVICE_STATE_SUPPORTS_TRACING_SESSIONS, 1);
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        if (r->conn->uid == 0 || r->conn->uid == s->uid)
            put_session(r, s);
}

/* ---- in turns ---- */

static bool may_send(const struct replies *r)
{
    return r->sent < REPLIES_MAX && !r->conn->ending && !traced_conn_is_slow(r->conn);
}

/* Those after the last one sent. True: that was all. */
static bool put_data_sources(struct replies *r, struct traced_queries *q)
{
    ORMA_LIST_EACH (struct traced_data_source, ds, &sessions_of(r->conn)->producers->data_sources,
                    registry_link) {
        if (ds->serial <= q->last_serial)
            continue;
        if (!may_send(r))
            return false;
        put_data_source(r, ds);
        q->last_serial = ds->serial;
    }
    return true;
}

/* True: the first of them is answered. */
static bool answer_some(struct traced_conn *conn, struct traced_queries *q)
{
    struct replies r = {.conn = conn, .request_id = q->items[0].request_id};
    bool done = true;

    if (!q->begun) {
        put_sessions(&r);
        ORMA_LIST_EACH (struct traced_producer, p, &sessions_of(conn)->producers->list, link)
            if (!q->items[0].sessions_only)
                put_producer(&r, p);
    }
    q->begun = true;
    if (!q->items[0].sessions_only)
        done = put_data_sources(&r, q);
    if (done || r.state.len)
        send_reply(&r, !done);
    orma_buf_fini(&r.state);
    return done;
}

bool traced_queries_pump(struct traced_conn *conn, struct traced_queries *q)
{
    if (!q->num || conn->ending || traced_conn_is_slow(conn))
        return false;
    if (answer_some(conn, q)) {
        q->num--;
        memmove(&q->items[0], &q->items[1], q->num * sizeof(q->items[0]));
        q->begun = false;
        q->last_serial = 0;
    }
    return q->num && !conn->ending && !traced_conn_is_slow(conn);
}

int traced_queries_add(struct traced_queries *q, uint64_t request_id, bool sessions_only)
{
    if (q->num == TRACED_QUERIES_MAX)
        return -EBUSY;
    q->items[q->num].request_id = request_id;
    q->items[q->num++].sessions_only = sessions_only;
    return 0;
}
