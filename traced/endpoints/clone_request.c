/*
 * A request is checked and handed to sessions/clone.c; the consumer keeps its id
 * for the reply, which comes with the clone, or when the clone's file is complete.
 */
#include "traced/endpoints/clone_request.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/ipc.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "traced/endpoints/consumer.h"
#include "traced/output/file.h"
#include "traced/sessions/clone.h"
#include "traced/sessions/session.h"

#define BUGREPORT_SESSION UINT64_MAX

/* A parsed CloneSessionRequest. Spans point into it. */
struct clone_request {
    uint64_t session_id;
    bool for_bugreport;
    struct orma_str name;
    struct traced_clone_args args;
};

static const char already_attached[] =
    "The consumer is already attached to another tracing session";

/* ---- replies ---- */

static void reply(struct traced_conn *conn, uint64_t request_id, const char *error,
                  const struct traced_session *clone)
{
    struct orma_buf out = {0};

    orma_pb_put_u64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_SUCCESS, !error);
    orma_pb_put_cstr(&out, ORMA_PB_CLONE_SESSION_RESPONSE_ERROR, error ? error : "");
    orma_pb_put_i64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_UUID_MSB, clone ? clone->uuid_msb : 0);
    orma_pb_put_i64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_UUID_LSB, clone ? clone->uuid_lsb : 0);
    orma_pb_put_u64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_WAS_WRITE_INTO_FILE,
                    clone && clone->output.into_file);
    traced_conn_reply(conn, request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

void traced_clone_request_written(struct traced_session *session)
{
    struct traced_consumer *consumer = session->consumer;
    struct orma_buf text = {0};

    if (!consumer || !consumer->clone_reply_due)
        return;
    consumer->clone_reply_due = false;
    if (session->output.error)
        orma_buf_printf(&text, "Failed to write the cloned trace: %s",
                        traced_file_reason(session->output.error));
    reply(consumer->conn, consumer->clone_request_id, text.len ? orma_buf_cstr(&text) : NULL,
          session);
    orma_buf_fini(&text);
}

/* ---- the end ---- */

static const char *is_taken(void *ctx)
{
    const struct traced_consumer *consumer = ctx;

    return consumer->session ? already_attached : NULL;
}

static void on_done(void *ctx, struct traced_session *clone, const char *error)
{
    struct traced_consumer *consumer = ctx;

    consumer->clone = NULL;
    if (!clone) {
        if (!consumer->clone_drop_reply)
            reply(consumer->conn, consumer->clone_request_id, error, NULL);
        return;
    }
    clone->consumer = consumer;
    consumer->session = clone;
    consumer->clone_reply_due = !consumer->clone_drop_reply;
    if (clone->output.file)
        traced_session_output_start_writing(clone); /* the reply comes when the file is complete */
    else
        traced_clone_request_written(clone);
}

/* ---- the request ---- */

static int parse(struct orma_str args, struct clone_request *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    *ret = (struct clone_request){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID:
            ret->session_id = orma_pb_u64(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_FOR_BUGREPORT:
            ret->for_bugreport = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_UNIQUE_SESSION_NAME:
            ret->name = orma_pb_str(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_NAME:
            ret->args.trigger_name = orma_pb_str(&f);
            ret->args.has_trigger = true;
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_PRODUCER_NAME:
            ret->args.trigger_producer = orma_pb_str(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_TRUSTED_PRODUCER_UID:
            ret->args.trigger_uid = (int32_t)orma_pb_u64(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_BOOT_TIME_NS:
            ret->args.trigger_ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_DELAY_MS:
            ret->args.trigger_delay_ms = orma_pb_u64(&f);
            break;
        }
    }
    if (orma_str_has_zero(ret->args.trigger_name) || orma_str_has_zero(ret->args.trigger_producer))
        return -EILSEQ;
    return r.failed ? -EBADMSG : 0;
}

static struct traced_session *find_for_bugreport(const struct traced_sessions *sessions)
{
    struct traced_session *best = NULL;

    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        if (s->state == TRACED_STARTED && s->config->bugreport_score > 0 &&
            (!best || s->config->bugreport_score > best->config->bugreport_score))
            best = s;
    return best;
}

static struct traced_session *find_source(const struct traced_sessions *sessions,
                                          const struct clone_request *req)
{
    if (req->session_id == BUGREPORT_SESSION)
        return find_for_bugreport(sessions);
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link) {
        const char *name = s->config->unique_session_name;

        if (req->name.len ? s->state != TRACED_CLONED && name && orma_str_eq_c(req->name, name)
                          : s->id == req->session_id)
            return s;
    }
    return NULL;
}

static size_t clones_num(const struct traced_sessions *sessions)
{
    size_t num = 0;

    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        num += s->state == TRACED_CLONED;
    return num;
}

/* Why there can't be a clone; NULL: there can. */
static const char *refusal(const struct traced_consumer *consumer,
                           const struct traced_session *source, bool has_fd)
{
    if (consumer->session || consumer->clone)
        return already_attached;
    if (!source)
        return "Tracing session not found";
    if (consumer->uid != 0 && consumer->uid != source->uid)
        return "Not allowed to clone a session from another UID";
    if (source->state == TRACED_CLONED)
        return "The session is a clone itself; clone the original session instead";
    if (source->output.into_file && !has_fd)
        return "The session writes into a file; a file descriptor for the clone must be passed";
    if (clones_num(source->registry) >= TRACED_SESSIONS_MAX)
        return "Too many clones; free some first";
    return NULL;
}

static int clone_session(struct traced_conn *conn, const struct traced_call *call, int taken)
{
    static const struct traced_clone_client client = {.refusal = is_taken, .done = on_done};
    ORMA_AUTO(orma_fd_close) int fd = taken;
    struct traced_consumer *consumer = traced_consumer_of(conn);
    struct clone_request req;
    int r = parse(call->args, &req);

    if (r < 0)
        return r;
    if (!consumer)
        return -ENOMEM;
    struct traced_session *source = find_source(conn->network->context, &req);
    const char *error = refusal(consumer, source, fd >= 0);
    if (error) {
        if (!call->drop_reply)
            reply(conn, call->request_id, error, NULL);
        return 0;
    }
    req.args.uid = consumer->uid;
    req.args.fd = -1;
    if (source->output.into_file) {
        req.args.fd = fd;
        fd = -1; /* taken */
    }
    r = traced_clone_new(source, &req.args, &client, consumer, &consumer->clone);
    if (r < 0)
        return r;
    consumer->clone_request_id = call->request_id;
    consumer->clone_drop_reply = call->drop_reply;
    traced_clone_begin(consumer->clone, source, req.for_bugreport);
    return 0;
}

int traced_clone_request(struct traced_conn *conn, const struct traced_call *call)
{
    return traced_conn_with_fd(conn, call, clone_session);
}
