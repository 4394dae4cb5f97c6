/*
 * Flushes: producers are asked to hand over what they hold, and answer with the
 * flush's id.
 *
 *   requests   [a] [b] [c]   [d]            each with a time limit of its own
 *                └──┼──┘      │
 *   flushes      one flush   the next       asks its producers, in slices (turn.h)
 *
 * A request joins a flush of its scope that has not begun to ask: it asks for
 * what was written before the request came, which such a flush covers. So any
 * number of requests that come together cost one message for each producer.
 */
#include "traced/sessions/flush.h"

#include <stdlib.h>

#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/wire/pb_writer.h"
#include "traced/producers/producer.h"
#include "traced/sessions/gather.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

#define FLUSHES_MAX 1000
#define DEFAULT_TIMEOUT_MS 5000
#define SLOW_MAX 32
/* A message to a producer, beside its bytes. */
#define COST_ASK 8192

/* In a flush's `pending`. */
enum { TO_BE_ASKED = 1, ASKED, GIVEN_UP };

struct flush_request {
    struct orma_list link; /* session_flush.requests */
    struct session_flush *flush;
    struct event *timer;
    struct traced_gather_wait end; /* its time is over; what has come is still taken */
    traced_flush_fn fn;
    void *ctx;
};

struct session_flush {
    struct orma_list link; /* traced_session.flushes */
    struct traced_session *session;
    enum traced_flush_scope scope;
    uint64_t id; /* 0: it has not begun to ask */
    uint64_t flags;
    struct orma_map pending; /* producer ids -> TO_BE_ASKED, ASKED, GIVEN_UP */
    size_t given_up;         /* of those */
    uint16_t *ask;           /* producer ids; owned */
    size_t ask_num, asked;
    struct traced_work work;       /* asking */
    struct traced_gather_wait end; /* all have answered */
    struct orma_list requests;     /* request.link */
    bool answering;                /* in answer_all() */
};

static void request_free(struct flush_request *r)
{
    orma_list_remove(&r->link);
    traced_gather_cancel(&r->end);
    if (r->timer)
        event_free(r->timer);
    free(r);
}

static void flush_free(struct session_flush *f)
{
    orma_map_fini(&f->pending);
    free(f->ask);
    free(f);
}

/* Which data sources did not answer a flush that was to be the last. */
static void note_slow(const struct session_flush *f)
{
    struct traced_session *s = f->session;
    struct orma_buf msg = {0};
    unsigned num = 0;

    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link) {
        if (inst->no_flush || orma_map_get(&f->pending, inst->producer->id) == ORMA_MAP_NONE)
            continue;
        inst->owes_flush = f->id;
        if (num++ >= SLOW_MAX)
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

/* Ends one request; the callback may free the session, and the flush with it. */
static void answer(struct flush_request *r, bool ok)
{
    struct traced_session *s = r->flush->session;
    traced_flush_fn fn = r->fn;
    void *ctx = r->ctx;

    request_free(r);
    ORMA_ASSERT(s->flushes.num > 0);
    s->flushes.num--;
    if (ok)
        s->flushes.succeeded++;
    else
        s->flushes.failed++;
    fn(s, ok, ctx);
}

/* A callback may come back here, by way of traced_flushes_cancel(): then the outer call frees. */
static void answer_all(struct session_flush *f, bool ok)
{
    bool inner = f->answering;

    f->answering = true;
    traced_work_cancel(&f->work);
    traced_gather_cancel(&f->end);
    while (!orma_list_empty(&f->requests)) /* in the session's list until here, to be found there */
        answer(ORMA_CONTAINER_OF(f->requests.next, struct flush_request, link), ok);
    orma_list_remove(&f->link);
    if (!inner)
        flush_free(f);
}

/* Of any flush: the sentence is the same where some have not answered, but says how many. */
static void note_end(const struct session_flush *f)
{
    struct traced_snapshots *to = &f->session->snapshots;

    traced_snapshots_add_event(to, ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED, 1, NULL);
    to->events[to->events_num - 1].unanswered = (uint32_t)f->pending.len;
    traced_snapshots_add_clocks(to);
}

/* It has ended without some. */
static void note_missing(const struct session_flush *f)
{
    unsigned reason = f->flags & TRACED_FLUSH_REASON_MASK;

    if (reason == (TRACED_FLUSH_STOP & TRACED_FLUSH_REASON_MASK) ||
        reason == (TRACED_FLUSH_CLONE & TRACED_FLUSH_REASON_MASK))
        note_slow(f);
}

static void on_gathered(struct traced_gather_wait *wait)
{
    struct session_flush *f = ORMA_CONTAINER_OF(wait, struct session_flush, end);
    bool ok = !f->pending.len;

    note_end(f);
    if (!ok)
        note_missing(f);
    answer_all(f, ok);
}

/* An answer that lay in a socket when the time was over is in time. */
static void on_late_gathered(struct traced_gather_wait *wait)
{
    struct flush_request *r = ORMA_CONTAINER_OF(wait, struct flush_request, end);
    struct session_flush *f = r->flush;
    bool ok = f->id && !f->pending.len, last = f->requests.next == f->requests.prev;

    note_end(f);
    if (!ok)
        note_missing(f);
    if (last) /* nobody waits any more */
        answer_all(f, ok);
    else
        answer(r, ok);
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct flush_request *r = arg;

    (void)fd;
    (void)what;
    if (!traced_gather_waits(&r->end))
        traced_gather_begin(&r->flush->session->gather, &r->end);
}

static bool in_scope(const struct traced_session *s, const struct traced_instance *inst,
                     enum traced_flush_scope scope)
{
    bool transfer = s->config->buffers[inst->target]->transfer_on_clone;

    return scope == TRACED_FLUSH_ALL || (scope == TRACED_FLUSH_TRANSFER) == transfer;
}

/* The end of a session counts for more than a snapshot of it, and that for more than the rest. */
static unsigned weight(uint64_t flags)
{
    unsigned reason = flags & TRACED_FLUSH_REASON_MASK;

    if (reason == (TRACED_FLUSH_STOP & TRACED_FLUSH_REASON_MASK))
        return 2;
    return reason == (TRACED_FLUSH_CLONE & TRACED_FLUSH_REASON_MASK);
}

static void put_ids(struct orma_buf *body, const struct session_flush *f,
                    const struct traced_producer *p)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &p->instances, producer_link) {
        if (inst->session != f->session || inst->no_flush ||
            inst->state == TRACED_INSTANCE_STOPPED || !in_scope(f->session, inst, f->scope))
            continue;
        orma_pb_put_u64(body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_DATA_SOURCE_IDS, inst->id);
        inst->asked_flush = f->id;
        if (weight(f->flags) == 2)
            inst->owes_flush = f->id;
    }
}

/* A producer without shared memory scrapes itself when it is flushed. */
static bool scrapes_itself(const struct traced_producer *p)
{
    return p->emulated && p->scraping && p->conn->machine_id != 0;
}

static void check_end(struct session_flush *f)
{
    if (f->id && f->asked == f->ask_num && f->pending.len == f->given_up &&
        !traced_gather_waits(&f->end))
        traced_gather_begin(&f->session->gather, &f->end);
}

static size_t ask_producer(struct session_flush *f, struct traced_producer *p)
{
    struct orma_buf body = {0};
    size_t len;

    put_ids(&body, f, p);
    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_REQUEST_ID, f->id);
    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_FLAGS, f->flags);
    f->session->registry->flushes_sent++;
    p->heard_when_asked = p->conn->received;
    if (!p->still.halted) /* it may have been idle since somebody looked */
        p->still.since_ns = 0;
    if (traced_producer_command_field(p, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH, &body) < 0)
        orma_map_take(&f->pending, p->id);
    else
        (void)orma_map_put(&f->pending, p->id, ASKED); /* replaces: needs no memory */
    len = body.len;
    orma_buf_fini(&body);
    return len;
}

/* Who is to be asked. Without memory they are not, and the flush ends without them. */
static void list_producers(struct session_flush *f)
{
    const struct traced_session *s = f->session;

    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
        if (inst->state != TRACED_INSTANCE_STOPPED && in_scope(s, inst, f->scope) &&
            (!inst->no_flush || scrapes_itself(inst->producer)))
            (void)orma_map_put(&f->pending, inst->producer->id, TO_BE_ASKED);
    f->ask = calloc(f->pending.len + 1, sizeof(*f->ask));
    if (!f->ask)
        orma_map_clear(&f->pending);
    ORMA_MAP_EACH (slot, &f->pending)
        f->ask[f->ask_num++] = (uint16_t)slot->key;
}

static void begin(struct session_flush *f)
{
    struct traced_session *s = f->session;

    f->id = ++s->registry->last_flush_id;
    traced_snapshots_add_event(&s->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_FLUSH_STARTED, 1, NULL);
    list_producers(f);
}

/* Producers that go away meanwhile leave `pending`: traced_flush_producer_gone(). */
static bool ask_some(struct traced_work *work)
{
    struct session_flush *f = ORMA_CONTAINER_OF(work, struct session_flush, work);
    struct traced_budget budget = traced_budget();

    if (!f->id)
        begin(f);
    for (; f->asked < f->ask_num && !traced_budget_over(&budget); f->asked++) {
        struct traced_producer *p =
            orma_map_get_ptr(&f->session->registry->producers->by_id, f->ask[f->asked]);

        if (p && orma_map_get(&f->pending, p->id) == TO_BE_ASKED)
            traced_budget_spend(&budget, COST_ASK + ask_producer(f, p));
    }
    if (f->asked < f->ask_num)
        return true;
    if (f->pending.len)
        traced_session_arm_look(f->session);
    check_end(f);
    return false;
}

/* The one that has not begun to ask; made if there is none. NULL: no memory. */
static struct session_flush *next_flush(struct traced_session *s, enum traced_flush_scope scope)
{
    ORMA_LIST_EACH (struct session_flush, f, &s->flushes.list, link)
        if (!f->id && f->scope == scope)
            return f;
    struct session_flush *f = calloc(1, sizeof(*f));
    if (!f)
        return NULL;
    f->session = s;
    f->scope = scope;
    f->end.fn = on_gathered;
    f->work = (struct traced_work){.slice = ask_some, .urgent = true};
    orma_list_init(&f->requests);
    orma_list_insert(s->flushes.list.next, &f->link); /* the first: found at once */
    traced_turns_add(&s->registry->loop->turns, &f->work);
    return f;
}

static struct flush_request *request_new(struct traced_session *s, enum traced_flush_scope scope,
                                         uint64_t flags)
{
    struct flush_request *r = s->flushes.num < FLUSHES_MAX ? calloc(1, sizeof(*r)) : NULL;

    if (!r)
        return NULL;
    r->end.fn = on_late_gathered;
    r->timer = evtimer_new(s->registry->loop->base, on_timeout, r);
    r->flush = r->timer ? next_flush(s, scope) : NULL;
    if (!r->flush) {
        request_free(r);
        return NULL;
    }
    if (orma_list_empty(&r->flush->requests) || weight(flags) > weight(r->flush->flags))
        r->flush->flags = flags;
    orma_list_insert(&r->flush->requests, &r->link);
    s->flushes.num++;
    return r;
}

void traced_flush(struct traced_session *s, enum traced_flush_scope scope, uint32_t timeout_ms,
                  uint64_t flags, traced_flush_fn fn, void *ctx)
{
    struct flush_request *r = request_new(s, scope, flags);

    s->flushes.requested++;
    if (weight(flags) == 2)
        traced_incidents_note_end_asked(s);
    if (!r) {
        s->flushes.failed++;
        fn(s, false, ctx);
        return;
    }
    r->fn = fn;
    r->ctx = ctx;
    if (!timeout_ms)
        timeout_ms = s->config->flush_timeout_ms ? s->config->flush_timeout_ms : DEFAULT_TIMEOUT_MS;
    struct timeval wait = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    event_add(r->timer, &wait);
}

/* It need not be waited for any more. False: it was not asked, or not yet. */
static bool take_pending(struct session_flush *f, const struct traced_producer *p)
{
    uint64_t state = orma_map_get(&f->pending, p->id);

    if (state != ASKED && state != GIVEN_UP)
        return false;
    orma_map_take(&f->pending, p->id);
    f->given_up -= state == GIVEN_UP;
    return true;
}

void traced_flush_ack(struct traced_sessions *sessions, struct traced_producer *p, uint64_t id)
{
    id = ORMA_MIN(id, sessions->last_flush_id);
    if (id <= p->flush_acked) /* nothing is left that this could end */
        return;
    p->flush_acked = id;
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        ORMA_LIST_EACH (struct session_flush, f, &s->flushes.list, link)
            if (f->id && f->id <= id && take_pending(f, p))
                check_end(f);
}

void traced_flush_give_up(struct traced_session *s, struct traced_producer *p)
{
    ORMA_LIST_EACH (struct session_flush, f, &s->flushes.list, link)
        if (f->id && orma_map_get(&f->pending, p->id) == ASKED) {
            (void)orma_map_put(&f->pending, p->id, GIVEN_UP); /* replaces: needs no memory */
            f->given_up++;
            check_end(f);
        }
}

void traced_flush_producer_gone(struct traced_sessions *sessions, struct traced_producer *p)
{
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        ORMA_LIST_EACH (struct session_flush, f, &s->flushes.list, link)
            if (f->id && (take_pending(f, p) || orma_map_take(&f->pending, p->id) != ORMA_MAP_NONE))
                check_end(f);
}

void traced_flushes_cancel(struct traced_session *self)
{
    while (!orma_list_empty(&self->flushes.list))
        answer_all(ORMA_CONTAINER_OF(self->flushes.list.next, struct session_flush, link), false);
}

void traced_flushes_init(struct traced_flushes *self)
{
    *self = (struct traced_flushes){0};
    orma_list_init(&self->list);
}

void traced_flushes_copy_counts(struct traced_flushes *to, const struct traced_flushes *from)
{
    to->requested = from->requested;
    to->succeeded = from->succeeded;
    to->failed = from->failed;
    to->final = from->final;
}
