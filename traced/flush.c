/* Flushes: producers are asked to hand over what they hold, and answer with the flush's id. */
#include <stdlib.h>

#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"
#include "traced/gather.h"
#include "traced/internal.h"
#include "traced/producer.h"
#include "traced/session.h"

#define FLUSHES_MAX 1000
#define DEFAULT_TIMEOUT_MS 5000
#define SLOW_MAX 32

struct flush {
    struct orma_list link; /* traced_session.flushes */
    struct traced_session *session;
    uint64_t id, flags;
    enum traced_flush_scope scope;
    struct orma_map pending; /* producer ids -> 1 */
    struct event *timer;
    struct traced_gather_wait end; /* all have answered, or had their time */
    traced_flush_fn fn;
    void *ctx;
};

static void flush_free(struct flush *f)
{
    orma_list_remove(&f->link);
    traced_gather_cancel(&f->end);
    f->session->flushes_num--;
    orma_map_fini(&f->pending);
    if (f->timer)
        event_free(f->timer);
    free(f);
}

/* Which data sources did not answer a flush that was to be the last. */
static void note_slow(const struct flush *f)
{
    struct traced_session *s = f->session;
    struct orma_buf msg = {0};
    unsigned num = 0;

    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances, session_link) {
        if (inst->no_flush || orma_map_get(&f->pending, inst->producer->id) == ORMA_MAP_NONE ||
            num++ >= SLOW_MAX)
            continue;
        size_t ds = orma_pb_begin(&msg, ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE);
        orma_pb_put_cstr(&msg, ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_PRODUCER_NAME,
                         inst->producer->name);
        orma_pb_put_cstr(&msg,
                         ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_DATA_SOURCE_NAME,
                         inst->name);
        orma_pb_end(&msg, ds);
    }
    if (num)
        traced_snapshots_add_event(
            &s->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_LAST_FLUSH_SLOW_DATA_SOURCES, 0, &msg);
    orma_buf_fini(&msg);
}

static void finish(struct flush *f, bool ok)
{
    struct traced_session *s = f->session;
    traced_flush_fn fn = f->fn;
    void *ctx = f->ctx;
    unsigned reason = f->flags & 0xf;

    if (!ok && (reason == (TRACED_FLUSH_STOP & 0xf) || reason == (TRACED_FLUSH_CLONE & 0xf)))
        note_slow(f);
    flush_free(f);
    traced_snapshots_add_event(&s->snapshots,
                               ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED, 1, NULL);
    traced_session_snapshot_clocks(s);
    if (ok)
        s->flushes_succeeded++;
    else
        s->flushes_failed++;
    fn(s, ok, ctx);
}

/* An answer that lay in a socket when the time was over is in time. */
static void on_gathered(struct traced_gather_wait *wait)
{
    struct flush *f = ORMA_CONTAINER_OF(wait, struct flush, end);

    finish(f, f->pending.len == 0); /* without producers the time is 0 */
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct flush *f = arg;

    (void)fd;
    (void)what;
    if (!traced_gather_waits(&f->end))
        traced_gather_begin(&f->session->gather, &f->end);
}

static bool in_scope(const struct traced_session *s, const struct traced_instance *inst,
                     enum traced_flush_scope scope)
{
    bool transfer = s->config->buffers[inst->target]->transfer_on_clone;

    return scope == TRACED_FLUSH_ALL || (scope == TRACED_FLUSH_TRANSFER) == transfer;
}

static void put_ids(struct orma_buf *body, const struct flush *fl, const struct traced_producer *p)
{
    const struct traced_session *s = fl->session;

    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances, session_link)
        if (inst->producer == p && !inst->no_flush && inst->state != TRACED_INSTANCE_STOPPED &&
            in_scope(s, inst, fl->scope))
            orma_pb_put_u64(body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_DATA_SOURCE_IDS,
                            inst->id);
}

/* A producer without shared memory scrapes itself when it is flushed. */
static bool scrapes_itself(const struct traced_producer *p)
{
    return p->emulated && p->scraping && p->conn->machine_id != 0;
}

static void ask_producer(struct flush *f, struct traced_producer *p)
{
    struct orma_buf body = {0};

    if (orma_map_get(&f->pending, p->id) != ORMA_MAP_NONE ||
        orma_map_put(&f->pending, p->id, 1) < 0)
        return;
    put_ids(&body, f, p);
    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_REQUEST_ID, f->id);
    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_FLAGS, f->flags);
    if (traced_producer_command_field(p, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH, &body) < 0)
        orma_map_take(&f->pending, p->id);
    orma_buf_fini(&body);
}

void traced_session_flush(struct traced_session *s, enum traced_flush_scope scope,
                          uint32_t timeout_ms, uint64_t flags, traced_flush_fn fn, void *ctx)
{
    struct flush *f = s->flushes_num < FLUSHES_MAX ? calloc(1, sizeof(*f)) : NULL;

    s->flushes_requested++;
    if (!f || !(f->timer = evtimer_new(s->service->base, on_timeout, f))) {
        free(f);
        s->flushes_failed++;
        fn(s, false, ctx);
        return;
    }
    f->session = s;
    f->end.fn = on_gathered;
    f->id = ++s->service->last_flush_id;
    f->flags = flags;
    f->scope = scope;
    f->fn = fn;
    f->ctx = ctx;
    orma_list_insert(&s->flushes, &f->link);
    s->flushes_num++;
    traced_snapshots_add_event(&s->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_FLUSH_STARTED, 1, NULL);
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances, session_link)
        if (inst->state != TRACED_INSTANCE_STOPPED && in_scope(s, inst, scope) &&
            (!inst->no_flush || scrapes_itself(inst->producer)))
            ask_producer(f, inst->producer);
    if (!timeout_ms)
        timeout_ms = s->config->flush_timeout_ms ? s->config->flush_timeout_ms : DEFAULT_TIMEOUT_MS;
    if (!f->pending.len)
        timeout_ms = 0; /* done at the next turn of the loop */
    struct timeval wait = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    event_add(f->timer, &wait);
}

static void waive(struct traced_producer *p, uint64_t up_to)
{
    ORMA_LIST_EACH (struct traced_session, s, &p->service->sessions, link)
        ORMA_LIST_EACH (struct flush, f, &s->flushes, link) {
            if (f->id > up_to || orma_map_take(&f->pending, p->id) == ORMA_MAP_NONE ||
                f->pending.len)
                continue;
            /* The end comes from the loop: it may free the session, or the producer's instances. */
            struct timeval now = {0, 0};
            event_add(f->timer, &now);
        }
}

void traced_flush_ack(struct traced_producer *producer, uint64_t id)
{
    waive(producer, id);
}

void traced_flush_producer_gone(struct traced_producer *producer)
{
    waive(producer, UINT64_MAX);
}

void traced_flush_cancel_all(struct traced_session *self)
{
    while (!orma_list_empty(&self->flushes)) {
        struct flush *f = ORMA_CONTAINER_OF(self->flushes.next, struct flush, link);
        traced_flush_fn fn = f->fn;
        void *ctx = f->ctx;

        flush_free(f);
        self->flushes_failed++;
        fn(self, false, ctx);
    }
}
