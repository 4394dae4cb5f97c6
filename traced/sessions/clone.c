#include "traced/sessions/clone.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/config.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session_internal.h"

#define BUGREPORT_SESSION UINT64_MAX
#define FOR_BUGREPORT (1u << 8)

/* What a CloneSessionRequest says. Spans point into it. */
struct request {
    uint64_t session_id;
    bool has_id, for_bugreport, has_trigger;
    struct orma_str name, trigger_name, trigger_producer;
    int32_t trigger_uid;
    uint64_t trigger_ts, trigger_delay_ms;
};

/* One flush, and the buffers that are taken when it ends. */
struct group {
    struct traced_clone *clone;
    bool transfer;
};

struct traced_clone {
    struct traced_consumer *consumer; /* NULL: gone */
    uint64_t request_id;
    bool drop_reply;
    int fd; /* for the source's file; owned, -1: none */
    uint64_t started_ts;
    struct traced_clone_trigger trigger; /* taken over by the clone */
    struct group groups[2];
    unsigned pending;               /* groups */
    const char *error;              /* NULL: fine so far */
    struct traced_buffer **buffers; /* one for each of the source; owned */
    uint64_t *taken_ts;
    size_t buffers_num;
};

/* ---- replies ---- */

static void reply(struct traced_consumer *consumer, uint64_t request_id, const char *error,
                  const struct traced_session *clone)
{
    struct orma_buf out = {0};

    orma_pb_put_u64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_SUCCESS, !error);
    orma_pb_put_cstr(&out, ORMA_PB_CLONE_SESSION_RESPONSE_ERROR, error ? error : "");
    orma_pb_put_i64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_UUID_MSB, clone ? clone->uuid_msb : 0);
    orma_pb_put_i64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_UUID_LSB, clone ? clone->uuid_lsb : 0);
    orma_pb_put_u64(&out, ORMA_PB_CLONE_SESSION_RESPONSE_WAS_WRITE_INTO_FILE,
                    clone && clone->into_file);
    traced_conn_reply(consumer->conn, request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

void traced_clone_file_done(struct traced_session *session)
{
    struct orma_buf text = {0};

    if (!session->consumer || !session->clone_reply_due)
        return;
    session->clone_reply_due = false;
    if (session->file_error)
        orma_buf_printf(&text, "Failed to write the cloned trace: %s",
                        traced_file_reason(session->file_error));
    reply(session->consumer, session->clone_request_id, text.len ? orma_buf_cstr(&text) : NULL,
          session);
    orma_buf_fini(&text);
}

/* ---- life ---- */

static void clone_free(struct traced_clone *self)
{
    if (self->consumer)
        self->consumer->clone = NULL;
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_buffer_free(self->buffers[i]);
    free(self->buffers);
    free(self->taken_ts);
    free(self->trigger.name);
    free(self->trigger.producer_name);
    orma_fd_close(&self->fd);
    free(self);
}

void traced_clone_forget(struct traced_clone *self)
{
    if (self)
        self->consumer = NULL;
}

/* ---- taking the buffers ---- */

static bool is_transferred(const struct traced_session *s, size_t idx)
{
    return s->config->buffers[idx]->transfer_on_clone;
}

/* The sequences of the new buffer get the identities that they have in the session. */
static void name_again(struct traced_session *s, struct traced_buffer *buf)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &buf->seqs, link) {
        struct traced_producer *p =
            orma_map_get_ptr(&s->service->producers_by_id, seq->producer_id);

        if (p)
            traced_session_name_seq(s, p, seq);
        else
            traced_seq_settle(seq);
    }
}

static int take_buffer(struct traced_session *s, size_t idx, struct traced_buffer **ret)
{
    struct traced_session_buffer *sb = &s->buffers[idx];
    struct traced_buffer *next;

    if (!is_transferred(s, idx))
        return traced_buffer_clone(sb->buf, ret);
    int r = traced_buffer_succeed(sb->buf, &next);
    if (r < 0)
        return r;
    ORMA_LIST_EACH (struct traced_producer, p, &s->service->producers, link)
        traced_producer_forget_seqs(p);
    *ret = sb->buf;
    sb->buf = next;
    next->owner = sb;
    name_again(s, next);
    return 0;
}

static void take_group(struct traced_clone *self, struct traced_session *source, bool transfer)
{
    for (size_t i = 0; i < self->buffers_num && !self->error; i++) {
        if (is_transferred(source, i) != transfer)
            continue;
        if (take_buffer(source, i, &self->buffers[i]) < 0)
            self->error = "Not enough memory for a copy of the buffers";
        self->taken_ts[i] = orma_clock_boottime();
    }
}

/* ---- the clone itself ---- */

static void note_clone_events(struct traced_session *clone, const struct traced_clone *self)
{
    struct traced_snapshots *sn = &clone->snapshots;

    traced_snapshots_add_event_at(sn, self->started_ts, ORMA_PB_TRACING_SERVICE_EVENT_CLONE_STARTED,
                                  1, NULL);
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_snapshots_add_event_at(sn, self->taken_ts[i],
                                      ORMA_PB_TRACING_SERVICE_EVENT_BUFFER_CLONED, i, NULL);
    traced_snapshots_add_event(sn, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED, 1, NULL);
    traced_session_snapshot_clocks(clone);
}

static void finish(struct traced_clone *self, struct traced_session *source)
{
    struct traced_consumer *consumer = self->consumer;
    struct traced_session *clone;

    if (consumer && consumer->session && !self->error)
        self->error = "The consumer is already attached to another tracing session";
    if (!consumer || self->error) {
        if (consumer && !self->drop_reply)
            reply(consumer, self->request_id, self->error, NULL);
        clone_free(self);
        return;
    }
    int r = traced_session_clone(source, consumer, self->buffers, self->fd, &clone);
    self->fd = -1;         /* taken */
    self->buffers_num = 0; /* taken */
    if (r < 0) {
        if (!self->drop_reply)
            reply(consumer, self->request_id, "Not enough memory for the clone", NULL);
        clone_free(self);
        return;
    }
    clone->trigger = self->trigger;
    self->trigger = (struct traced_clone_trigger){0};
    self->buffers_num = clone->buffers_num;
    note_clone_events(clone, self);
    self->buffers_num = 0;
    clone->clone_request_id = self->request_id;
    clone->clone_reply_due = !self->drop_reply;
    if (clone->file)
        traced_session_start_writing(clone); /* the reply comes when the file is complete */
    else
        traced_clone_file_done(clone);
    clone_free(self);
}

static void on_flushed(struct traced_session *source, bool ok, void *ctx)
{
    struct group *group = ctx;
    struct traced_clone *self = group->clone;

    (void)ok; /* what did not come in time is not in the snapshot */
    if (source->freeing)
        self->error = "Original session ended";
    else
        take_group(self, source, group->transfer);
    if (--self->pending == 0)
        finish(self, source);
}

/* ---- the request ---- */

static int parse(struct orma_str args, struct request *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    *ret = (struct request){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID:
            ret->session_id = orma_pb_u64(&f);
            ret->has_id = true;
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_FOR_BUGREPORT:
            ret->for_bugreport = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_UNIQUE_SESSION_NAME:
            ret->name = orma_pb_str(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_NAME:
            ret->trigger_name = orma_pb_str(&f);
            ret->has_trigger = true;
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_PRODUCER_NAME:
            ret->trigger_producer = orma_pb_str(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_TRUSTED_PRODUCER_UID:
            ret->trigger_uid = (int32_t)orma_pb_u64(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_BOOT_TIME_NS:
            ret->trigger_ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_DELAY_MS:
            ret->trigger_delay_ms = orma_pb_u64(&f);
            break;
        }
    }
    return r.failed ? -EBADMSG : 0;
}

static struct traced_session *find_for_bugreport(const struct traced_service *svc)
{
    struct traced_session *best = NULL;

    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link)
        if (s->state == TRACED_STARTED && s->config->bugreport_score > 0 &&
            (!best || s->config->bugreport_score > best->config->bugreport_score))
            best = s;
    return best;
}

static struct traced_session *find_source(const struct traced_service *svc,
                                          const struct request *req)
{
    if (req->session_id == BUGREPORT_SESSION)
        return find_for_bugreport(svc);
    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link) {
        const char *name = s->config->unique_session_name;

        if (req->name.len ? s->state != TRACED_CLONED && name && orma_str_eq_c(req->name, name)
                          : s->id == req->session_id)
            return s;
    }
    return NULL;
}

static size_t clones_num(const struct traced_service *svc)
{
    size_t num = 0;

    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link)
        num += s->state == TRACED_CLONED;
    return num;
}

/* Why there can't be a clone; NULL: there can. */
static const char *refusal(const struct traced_consumer *consumer,
                           const struct traced_session *source, bool has_fd)
{
    if (consumer->session || consumer->clone)
        return "The consumer is already attached to another tracing session";
    if (!source)
        return "Tracing session not found";
    if (consumer->uid != 0 && consumer->uid != source->uid)
        return "Not allowed to clone a session from another UID";
    if (source->state == TRACED_CLONED)
        return "The session is a clone itself; clone the session that it was made of";
    if (source->into_file && !has_fd)
        return "The session writes into a file; a descriptor for the clone's file must be passed";
    if (clones_num(source->service) >= TRACED_SESSIONS_MAX)
        return "Too many clones; free some first";
    return NULL;
}

static void clear_buffers(struct traced_session *source)
{
    for (size_t i = 0; i < source->buffers_num; i++)
        if (source->config->buffers[i]->clear_before_clone)
            traced_buffer_clear(source->buffers[i].buf);
}

static bool has_group(const struct traced_session *source, bool transfer)
{
    for (size_t i = 0; i < source->buffers_num; i++)
        if (is_transferred(source, i) == transfer)
            return true;
    return !transfer; /* without buffers it is the second that asks */
}

static struct traced_clone *clone_new(const struct traced_session *source,
                                      const struct request *req)
{
    struct traced_clone *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->fd = -1;
    self->started_ts = orma_clock_boottime();
    self->buffers = calloc(source->buffers_num + 1, sizeof(struct traced_buffer *));
    self->taken_ts = calloc(source->buffers_num + 1, sizeof(*self->taken_ts));
    self->trigger = (struct traced_clone_trigger){
        .present = req->has_trigger,
        .ts = req->trigger_ts,
        .name = orma_str_dup(req->trigger_name),
        .producer_name = orma_str_dup(req->trigger_producer),
        .producer_uid = req->trigger_uid,
        .stop_delay_ms = req->trigger_delay_ms,
    };
    if (self->buffers && self->taken_ts && self->trigger.name && self->trigger.producer_name)
        return self;
    clone_free(self);
    return NULL;
}

static void begin(struct traced_clone *self, struct traced_session *source, bool for_bugreport)
{
    uint64_t flags = TRACED_FLUSH_CLONE | (for_bugreport ? FOR_BUGREPORT : 0);
    bool use[2] = {has_group(source, true), has_group(source, false)};

    clear_buffers(source);
    self->buffers_num = source->buffers_num;
    self->pending = (unsigned)use[0] + use[1];
    for (unsigned i = 0; i < 2; i++)
        self->groups[i] = (struct group){self, i == 0};
    if (use[0] && use[1]) { /* the first may fail at once and must not end it all */
        traced_session_flush(source, TRACED_FLUSH_TRANSFER, 0, flags, on_flushed, &self->groups[0]);
        traced_session_flush(source, TRACED_FLUSH_STAY, 0, flags, on_flushed, &self->groups[1]);
        return;
    }
    traced_session_flush(source, TRACED_FLUSH_ALL, 0, flags, on_flushed,
                         &self->groups[use[0] ? 0 : 1]);
}

int traced_clone_request(struct traced_conn *conn, const struct traced_call *call)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_ipc_stream_take_fd(&conn->in);
    struct traced_consumer *consumer = traced_consumer_of(conn);
    struct request req;
    int r = parse(call->args, &req);

    if (r < 0)
        return r;
    if (!consumer)
        return -ENOMEM;
    struct traced_session *source = find_source(conn->service, &req);
    const char *error = refusal(consumer, source, fd >= 0);
    if (error) {
        if (!call->drop_reply)
            reply(consumer, call->request_id, error, NULL);
        return 0;
    }
    struct traced_clone *self = clone_new(source, &req);
    if (!self)
        return -ENOMEM;
    self->consumer = consumer;
    self->request_id = call->request_id;
    self->drop_reply = call->drop_reply;
    self->fd = source->into_file ? fd : -1;
    if (source->into_file)
        fd = -1; /* taken */
    consumer->clone = self;
    begin(self, source, req.for_bugreport);
    return 0;
}
