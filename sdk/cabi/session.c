/*
 * Sessions of the program, whatever their service. Calls become tasks of the loop;
 * those that wait have a request in a list of the session, answered when the service
 * does, or when the session ends.
 *
 *   NEW --start--> STARTING --all sources started--> RUNNING --> ENDED
 *                                 stop, error, disconnect -------^
 *
 * A Blocking call on the loop itself, where its answer could never come, fails at once.
 */
#include <stdlib.h>

#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/mem.h"
#include "sdk/cabi/cabi.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* A callback of a read gets about so much. */
#define PIECE 32768u

/* One call; in a list of the session until it is answered. */
struct request {
    struct orma_list link;
    struct orma_cabi_session *session;
    bool waits; /* else nobody does, and it is freed by whoever answers */
    bool done, ok;
    uint32_t timeout_ms;
    orma_cabi_flush_fn flush_fn;
    orma_cabi_read_fn read_fn;
    orma_cabi_stop_fn stop_fn;
    void *user;
    struct orma_buf config;
};

static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_cond = PTHREAD_COND_INITIALIZER;

static struct request *request_new(struct orma_cabi_session *s)
{
    /* That of a parent is left alone. */
    struct request *r = s->life == orma_fork_generation() ? calloc(1, sizeof(*r)) : NULL;

    if (r)
        r->session = s;
    return r;
}

static void request_free(struct request *r)
{
    orma_buf_fini(&r->config);
    free(r);
}

/* On the loop. */
static void answer(struct request *r, bool ok)
{
    orma_list_remove(&r->link);
    if (r->flush_fn)
        r->flush_fn(r->session, ok, r->user);
    if (!r->waits) {
        request_free(r);
        return;
    }
    pthread_mutex_lock(&done_lock);
    r->ok = ok;
    r->done = true;
    pthread_cond_broadcast(&done_cond);
    pthread_mutex_unlock(&done_lock);
}

static void answer_all(struct orma_list *list, bool ok)
{
    while (!orma_list_empty(list))
        answer(ORMA_CONTAINER_OF(list->next, struct request, link), ok);
}

/* Posts it and forgets it. */
static void post(struct request *r, void (*fn)(void *arg))
{
    if (!r)
        return;
    if (!orma_cabi_post(fn, r)) {
        if (r->flush_fn)
            r->flush_fn(r->session, false, r->user);
        request_free(r);
    }
}

/* Posts it and waits for the answer. */
static bool ask(struct request *r, void (*fn)(void *arg))
{
    if (!r)
        return false;
    r->waits = true;
    if (orma_cabi_on_loop() || !orma_cabi_post(fn, r)) {
        request_free(r);
        return false;
    }
    pthread_mutex_lock(&done_lock);
    while (!r->done)
        pthread_cond_wait(&done_cond, &done_lock);
    pthread_mutex_unlock(&done_lock);
    bool ok = r->ok;
    request_free(r);
    return ok;
}

/* ---- what the kinds report ---- */

void orma_cabi_session_started(struct orma_cabi_session *s)
{
    if (s->phase != ORMA_CABI_STARTING)
        return;
    s->phase = ORMA_CABI_RUNNING;
    answer_all(&s->starts, true);
    if (s->stop_wanted)
        s->ops->stop(s);
}

static void tell_stop(struct orma_cabi_session *s)
{
    if (!s->told && s->on_stop) {
        s->told = true;
        s->on_stop(s, s->on_stop_user);
    }
}

void orma_cabi_session_ended(struct orma_cabi_session *s)
{
    if (s->phase == ORMA_CABI_ENDED)
        return;
    s->phase = ORMA_CABI_ENDED;
    answer_all(&s->starts, false);
    answer_all(&s->flushes, false);
    tell_stop(s);
    answer_all(&s->stops, true);
}

void orma_cabi_session_flushed(struct orma_cabi_session *s, void *request, bool ok)
{
    (void)s;
    answer(request, ok);
}

static void hand_over(struct orma_cabi_session *s, bool more)
{
    struct request *r =
        orma_list_empty(&s->reads) ? NULL : ORMA_CONTAINER_OF(s->reads.next, struct request, link);

    if (r && r->read_fn)
        r->read_fn(s, s->pieces.len ? s->pieces.data : NULL, s->pieces.len, more, r->user);
    orma_buf_clear(&s->pieces);
}

void orma_cabi_session_packet(struct orma_cabi_session *s, const void *packet, size_t len)
{
    if (s->pieces.len + len > PIECE && s->pieces.len)
        hand_over(s, true);
    orma_pb_put_bytes(&s->pieces, ORMA_PB_TRACE_PACKET, packet, len);
    if (s->pieces.failed)
        orma_buf_clear(&s->pieces); /* without memory for one packet, that is lost */
}

void orma_cabi_session_read_done(struct orma_cabi_session *s)
{
    if (orma_list_empty(&s->reads))
        return;
    hand_over(s, false);
    answer(ORMA_CONTAINER_OF(s->reads.next, struct request, link), true);
    if (!orma_list_empty(&s->reads))
        s->ops->read(s);
}

/* ---- calls ---- */

void *orma_cabi_session_new(const struct orma_cabi_session_ops *ops)
{
    ORMA_HUSHED;
    struct orma_cabi_session *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    (void)orma_fork_check();
    orma_cabi_revive();
    s->ops = ops;
    s->life = orma_fork_generation();
    orma_list_init(&s->starts);
    orma_list_init(&s->stops);
    orma_list_init(&s->flushes);
    orma_list_init(&s->reads);
    return s;
}

static bool is_deferred(struct orma_str config)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_pb_field f;
    bool deferred = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_DEFERRED_START)
            deferred = f.num != 0;
    }
    return deferred;
}

static void do_setup(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;

    if (s->phase == ORMA_CABI_NEW && !s->impl) { /* else the service has a config already */
        orma_buf_fini(&s->config);
        s->config = r->config;
        r->config = (struct orma_buf){0};
        s->has_config = true;
        s->deferred = is_deferred(orma_buf_str(&s->config));
        if (s->deferred && s->ops->setup(s) < 0)
            orma_cabi_session_ended(s);
    }
    request_free(r);
}

void PerfettoTracingSessionSetup(void *session, void *config, size_t len)
{
    ORMA_HUSHED;
    struct request *r = session ? request_new(session) : NULL;

    if (!r)
        return;
    orma_buf_put(&r->config, config, len);
    post(r, do_setup);
}

static void do_set_stop(void *arg)
{
    struct request *r = arg;

    r->session->on_stop = r->stop_fn;
    r->session->on_stop_user = r->user;
    r->session->told = false; /* of an end that was before, when it is stopped again */
    request_free(r);
}

void PerfettoTracingSessionSetStopCb(void *session, orma_cabi_stop_fn fn, void *user)
{
    ORMA_HUSHED;
    struct request *r = session ? request_new(session) : NULL;

    if (!r)
        return;
    r->stop_fn = fn;
    r->user = user;
    post(r, do_set_stop);
}

static void do_start(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;

    orma_list_insert(&s->starts, &r->link);
    if (!s->has_config || s->phase > ORMA_CABI_STARTING) {
        answer(r, s->phase == ORMA_CABI_RUNNING);
        return;
    }
    if (s->phase == ORMA_CABI_NEW) {
        s->phase = ORMA_CABI_STARTING;
        if (!s->deferred && s->ops->setup(s) < 0)
            orma_cabi_session_ended(s);
        else
            s->ops->start(s);
    }
}

void PerfettoTracingSessionStartAsync(void *session)
{
    ORMA_HUSHED;

    if (session)
        post(request_new(session), do_start);
}

void PerfettoTracingSessionStartBlocking(void *session)
{
    ORMA_HUSHED;

    if (session)
        (void)ask(request_new(session), do_start);
}

static void do_flush(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;

    orma_list_insert(&s->flushes, &r->link);
    if (s->phase == ORMA_CABI_RUNNING || s->phase == ORMA_CABI_STARTING)
        s->ops->flush(s, r->timeout_ms, r);
    else
        answer(r, false);
}

void PerfettoTracingSessionFlushAsync(void *session, uint32_t timeout_ms, orma_cabi_flush_fn fn,
                                      void *user)
{
    ORMA_HUSHED;
    struct request *r = session ? request_new(session) : NULL;

    if (!r)
        return;
    r->timeout_ms = timeout_ms;
    r->flush_fn = fn;
    r->user = user;
    post(r, do_flush);
}

bool PerfettoTracingSessionFlushBlocking(void *session, uint32_t timeout_ms)
{
    ORMA_HUSHED;
    struct request *r = session ? request_new(session) : NULL;

    if (r)
        r->timeout_ms = timeout_ms;
    return ask(r, do_flush);
}

static void do_stop(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;

    orma_list_insert(&s->stops, &r->link);
    switch (s->phase) {
    case ORMA_CABI_NEW:
    case ORMA_CABI_ENDED:
        s->phase = s->phase == ORMA_CABI_NEW && s->deferred ? s->phase : ORMA_CABI_ENDED;
        tell_stop(s);
        answer(r, true);
        break;
    case ORMA_CABI_STARTING:
        s->stop_wanted = true;
        break;
    case ORMA_CABI_RUNNING:
        if (!s->stop_wanted)
            s->ops->stop(s);
        s->stop_wanted = true;
    }
}

void PerfettoTracingSessionStopAsync(void *session)
{
    ORMA_HUSHED;

    if (session)
        post(request_new(session), do_stop);
}

void PerfettoTracingSessionStopBlocking(void *session)
{
    ORMA_HUSHED;

    if (session)
        (void)ask(request_new(session), do_stop);
}

static void do_read(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;
    bool first = orma_list_empty(&s->reads);

    orma_list_insert(&s->reads, &r->link);
    if (first)
        s->ops->read(s);
}

void PerfettoTracingSessionReadTraceBlocking(void *session, orma_cabi_read_fn fn, void *user)
{
    ORMA_HUSHED;
    struct request *r = session ? request_new(session) : NULL;

    if (r) {
        r->read_fn = fn;
        r->user = user;
    }
    if (!ask(r, do_read) && fn)
        fn(session, NULL, 0, false, user); /* no loop, no memory: the caller must not wait for it */
}

static void do_destroy(void *arg)
{
    struct request *r = arg;
    struct orma_cabi_session *s = r->session;

    answer_all(&s->starts, false);
    answer_all(&s->flushes, false);
    answer_all(&s->stops, true);
    s->on_stop = NULL;
    s->phase = ORMA_CABI_ENDED;
    while (!orma_list_empty(&s->reads)) { /* the first may have got a part */
        hand_over(s, false);
        answer(ORMA_CONTAINER_OF(s->reads.next, struct request, link), true);
    }
    s->ops->free(s);
    orma_buf_fini(&s->config);
    orma_buf_fini(&s->pieces);
    free(s);
    request_free(r);
}

void PerfettoTracingSessionDestroy(void *session)
{
    ORMA_HUSHED;

    struct orma_cabi_session *s = session;

    if (!s || s->life != orma_fork_generation())
        return; /* a parent's is left alone */
    if (orma_cabi_has_begun())
        post(request_new(s), do_destroy);
    else
        free(s); /* nothing was ever done with it */
}

/* In a child: who waited were other threads. */
void orma_cabi_sessions_after_fork(void)
{
    done_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    done_cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
