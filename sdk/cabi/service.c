/*
 * The tracing service in this process: sessions, their instances, and time. It knows
 * of no other process. All on the loop.
 *
 *   setup: config read, buffers
 *   start: instances of all data sources that match; of later ones when they come
 *   stop:  instances stopped, their answers awaited, what threads hold taken
 *
 * An instance that answers after its session is gone is not found by its number.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/cabi/service.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define MS UINT64_C(1000000)
#define STOP_TIMEOUT_MS 5000u
#define FLUSH_TIMEOUT_MS 5000u

static struct {
    bool begun;
    uint64_t life, last_id;
    struct orma_list sessions;
} g = {.sessions = {&g.sessions, &g.sessions}};

static uint64_t now_ns(void)
{
    return orma_clock_monotonic();
}

static void finish_if_stopped(struct orma_cabi_service_session *s);

/* ---- instances ---- */

static struct orma_cabi_service_instance *
find_instance(uint64_t id, struct orma_cabi_service_session **ret_session)
{
    ORMA_LIST_EACH (struct orma_cabi_service_session, s, &g.sessions, link) {
        ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link) {
            if (i->id == id) {
                *ret_session = s;
                return i;
            }
        }
    }
    return NULL;
}

static void stopped(void *ctx, uint64_t id)
{
    struct orma_cabi_service_session *s;
    struct orma_cabi_service_instance *i = find_instance(id, &s);

    (void)ctx;
    if (!i)
        return;
    orma_list_remove(&i->link);
    free(i);
    finish_if_stopped(s);
}

static void flush_step(struct orma_cabi_service_session *s, uint64_t flush_id);

static void flushed(void *ctx, uint64_t id, uint64_t flush_id)
{
    struct orma_cabi_service_session *s;

    (void)ctx;
    if (find_instance(id, &s))
        flush_step(s, flush_id);
}

static void sync_all(void (*fn)(void *user), void *user)
{
    orma_cabi_store_drain(false);
    if (fn)
        fn(user);
}

static const struct orma_cabi_home_ops home_ops = {stopped, flushed, sync_all};

static bool passes_filter(struct orma_pb_reader r)
{
    struct orma_pb_field f;
    bool any = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCE_PRODUCER_NAME_FILTER)
            continue;
        if (orma_str_eq_c(orma_pb_str(&f), program_invocation_name))
            return true;
        any = true;
    }
    return !any;
}

static struct orma_cabi_buffer *buffer_of(struct orma_cabi_service_session *s,
                                          struct orma_str config)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_pb_field f;
    size_t idx = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER)
            idx = f.num;
        for (size_t i = 0;
             f.id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER_NAME && i < s->buffers_num; i++) {
            if (orma_str_eq_c(orma_pb_str(&f), s->buffers[i].name))
                idx = i;
        }
    }
    return idx < s->buffers_num ? &s->buffers[idx].buffer : NULL;
}

static void put_fields(struct orma_buf *b, struct orma_str config, bool name)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    const uint8_t *at = r.pos;
    struct orma_pb_field f;

    for (; orma_pb_next(&r, &f); at = r.pos) {
        bool is_ours = f.id >= ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER &&
                       f.id <= ORMA_PB_DATA_SOURCE_CONFIG_SESSION_INITIATOR;

        if (!is_ours && (f.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME) == name)
            orma_buf_put(b, at, (size_t)(r.pos - at));
    }
}

/* With what the service adds, in the order in which the reference's does. */
static void put_config(struct orma_buf *b, const struct orma_cabi_service_session *s,
                       struct orma_str config, uint32_t target)
{
    put_fields(b, config, true);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER, target);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_TRACE_DURATION_MS, s->duration_ms);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_STOP_TIMEOUT_MS, s->stop_timeout_ms);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_ENABLE_EXTRA_GUARDRAILS, 0);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_SESSION_INITIATOR, 0);
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_TRACING_SESSION_ID, s->id);
    put_fields(b, config, false);
}

static void add_instance(struct orma_cabi_service_session *s, struct orma_cabi_type *type,
                         struct orma_str config)
{
    const struct orma_cabi_home home = {&home_ops, (void *)(uintptr_t)s->id, &g.life, g.life};
    struct orma_cabi_buffer *buffer = buffer_of(s, config);
    struct orma_cabi_service_instance *i = buffer ? calloc(1, sizeof(*i)) : NULL;
    struct orma_buf b = {0};

    if (!i)
        return;
    i->id = ++g.last_id;
    i->type = type;
    put_config(&b, s, config, buffer->target);
    if (!b.failed)
        i->instance = orma_cabi_instance_new(type, &home, i->id, orma_buf_str(&b),
                                             orma_cabi_store_pool(), buffer->target);
    orma_buf_fini(&b);
    if (!i->instance) { /* no slot: the session goes on without it */
        free(i);
        return;
    }
    orma_list_insert(&s->instances, &i->link);
    orma_cabi_instance_start(i->instance);
}

/* `only` NULL: all types. */
static void add_instances(struct orma_cabi_service_session *s, struct orma_cabi_type *only)
{
    struct orma_pb_reader r = orma_pb_reader(s->session->config.data, s->session->config.len);
    struct orma_pb_field f, g1;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);

        if (f.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCES || !passes_filter(sub))
            continue;
        while (orma_pb_next(&sub, &g1)) {
            struct orma_pb_reader own = orma_pb_sub(&g1);
            struct orma_str name = {0};
            struct orma_pb_field h;

            if (g1.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG)
                continue;
            while (orma_pb_next(&own, &h)) {
                if (h.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME)
                    name = orma_pb_str(&h);
            }
            struct orma_cabi_type *type = orma_cabi_type_named(name, 0);
            for (; type; type = orma_cabi_type_named(name, type->idx + 1)) {
                if (!only || type == only)
                    add_instance(s, type, orma_pb_str(&g1));
            }
        }
    }
}

void orma_cabi_service_add(struct orma_cabi_type *type)
{
    if (!g.begun)
        return;
    ORMA_LIST_EACH (struct orma_cabi_service_session, s, &g.sessions, link) {
        if (s->started && !s->stopping)
            add_instances(s, type);
    }
}

/* ---- flush ---- */

/* The flush of that number is answered by one more, or by all; 0: those whose time is over. */
static void end_flush(struct orma_cabi_service_session *s, struct orma_cabi_service_flush *f,
                      bool ok)
{
    orma_list_remove(&f->link);
    if (ok) {
        orma_cabi_store_drain(true);
        s->flushes_ok++;
    } else {
        s->flushes_failed++;
    }
    if (f->request)
        orma_cabi_session_flushed(s->session, f->request, ok);
    free(f);
}

static void flush_step(struct orma_cabi_service_session *s, uint64_t flush_id)
{
    ORMA_LIST_EACH (struct orma_cabi_service_flush, f, &s->flushes, link) {
        if (f->id == flush_id && --f->waits == 0)
            end_flush(s, f, true);
    }
}

static void begin_flush(struct orma_cabi_service_session *s, uint32_t timeout_ms, void *request)
{
    struct orma_cabi_service_flush *f = calloc(1, sizeof(*f));
    uint64_t id = ++g.last_id;

    if (!f) {
        if (request)
            orma_cabi_session_flushed(s->session, request, false);
        return;
    }
    s->flushes_num++;
    if (!timeout_ms)
        timeout_ms = s->flush_timeout_ms;
    *f = (struct orma_cabi_service_flush){
        .id = id, .request = request, .waits = 1, .end_ns = now_ns() + timeout_ms * MS};
    orma_list_insert(&s->flushes, &f->link);
    ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link)
        f->waits += i->type->on_flush != NULL;
    /* Answers may come at once: the flush is kept by our own count. */
    ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link) {
        if (i->type->on_flush)
            orma_cabi_instance_flush(i->instance, id);
    }
    flush_step(s, id);
}

/* ---- sessions ---- */

static void note_snapshot(struct orma_cabi_service_session *s)
{
    static const enum orma_clock clocks[] = {
        ORMA_CLOCK_BOOTTIME, ORMA_CLOCK_REALTIME_COARSE, ORMA_CLOCK_MONOTONIC_COARSE,
        ORMA_CLOCK_REALTIME, ORMA_CLOCK_MONOTONIC,       ORMA_CLOCK_MONOTONIC_RAW,
    };

    if (s->no_snapshots)
        return;
    size_t packet = orma_pb_begin(&s->notes, ORMA_PB_TRACE_PACKET);
    size_t at = orma_pb_begin(&s->notes, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    orma_pb_put_u64(&s->notes, ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, ORMA_CLOCK_BOOTTIME);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(clocks); i++) {
        size_t clock = orma_pb_begin(&s->notes, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(&s->notes, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clocks[i]);
        orma_pb_put_u64(&s->notes, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP,
                        orma_clock_now(clocks[i]));
        orma_pb_end(&s->notes, clock);
    }
    orma_pb_end(&s->notes, at);
    orma_cabi_service_put_trusted(&s->notes);
    orma_pb_end(&s->notes, packet);
}

static void start_instances(struct orma_cabi_service_session *s)
{
    if (s->started || s->stopping)
        return;
    s->started = true;
    note_snapshot(s);
    orma_cabi_service_note(s, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED);
    if (s->duration_ms)
        s->end_ns = now_ns() + s->duration_ms * MS;
    if (s->clear_ms)
        s->clear_ns = now_ns() + s->clear_ms * MS;
    if (s->flush_period_ms)
        s->flush_ns = now_ns() + s->flush_period_ms * MS;
    add_instances(s, NULL);
    orma_cabi_service_note(s, ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_STARTED);
    orma_cabi_session_started(s->session);
}

static int setup(struct orma_cabi_session *session)
{
    struct orma_cabi_service_session *s = g.begun ? calloc(1, sizeof(*s)) : NULL;

    if (!s)
        return -ENOTCONN;
    s->id = ++g.last_id;
    s->session = session;
    s->flush_timeout_ms = FLUSH_TIMEOUT_MS;
    s->stop_timeout_ms = STOP_TIMEOUT_MS;
    orma_list_init(&s->instances);
    orma_list_init(&s->flushes);
    orma_list_insert(&g.sessions, &s->link);
    session->impl = s;
    return orma_cabi_service_read_config(s, orma_buf_str(&session->config));
}

static void start(struct orma_cabi_session *session)
{
    struct orma_cabi_service_session *s = session->impl;

    if (s->trigger_mode && s->trigger_timeout_ms)
        s->end_ns = now_ns() + s->trigger_timeout_ms * MS;
    if (s->trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_START_TRACING)
        return;
    uint64_t end_ns = s->end_ns;
    start_instances(s);
    if (end_ns)
        s->end_ns = end_ns;
}

static void finish(struct orma_cabi_service_session *s)
{
    if (s->ended)
        return;
    s->ended = true;
    ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link) {
        orma_list_remove(&i->link); /* whoever answers now comes too late */
        free(i);
    }
    orma_cabi_store_drain(true);
    for (size_t i = 0; i < s->buffers_num; i++)
        s->buffers[i].buffer.closed = true;
    note_snapshot(s);
    ORMA_LIST_EACH (struct orma_cabi_service_flush, f, &s->flushes, link) {
        orma_list_remove(&f->link); /* the session answers them */
        free(f);
    }
    orma_cabi_session_ended(s->session);
}

static void finish_if_stopped(struct orma_cabi_service_session *s)
{
    if (s->stopping && !s->in_stop && orma_list_empty(&s->instances))
        finish(s);
}

static void stop_session(struct orma_cabi_service_session *s)
{
    struct orma_cabi_service_instance *next;

    if (s->stopping)
        return;
    s->stopping = s->in_stop = true;
    s->end_ns = s->clear_ns = s->flush_ns = 0;
    s->stop_ns = now_ns() + s->stop_timeout_ms * MS;
    orma_cabi_service_note(s, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED);
    do { /* each stop may end any of them */
        next = NULL;
        ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link) {
            if (!i->stopping) {
                next = i;
                break;
            }
        }
        if (next) {
            next->stopping = true;
            orma_cabi_instance_stop(next->instance);
        }
    } while (next);
    s->in_stop = false;
    finish_if_stopped(s);
}

static void stop(struct orma_cabi_session *session)
{
    stop_session(session->impl);
}

static void flush(struct orma_cabi_session *session, uint32_t timeout_ms, void *request)
{
    begin_flush(session->impl, timeout_ms, request);
}

static void read_session(struct orma_cabi_session *session)
{
    struct orma_cabi_service_session *s = session->impl;

    if (s && !s->refused) {
        if (!s->ended)
            orma_cabi_store_drain(false);
        orma_cabi_service_read(s);
    }
    orma_cabi_session_read_done(session);
}

static void free_session(struct orma_cabi_session *session)
{
    struct orma_cabi_service_session *s = session->impl;

    if (!s)
        return;
    stop_session(s);
    if (!s->ended)
        finish(s);
    for (size_t i = 0; i < s->buffers_num; i++) {
        orma_cabi_store_close(&s->buffers[i].buffer);
        free(s->buffers[i].name);
    }
    free(s->buffers);
    orma_list_remove(&s->link);
    orma_buf_fini(&s->notes);
    orma_buf_fini(&s->triggers);
    free(s);
}

const struct orma_cabi_session_ops orma_cabi_service_session = {setup, start,        stop,
                                                                flush, read_session, free_session};

/* ---- triggers ---- */

static void note_trigger(struct orma_cabi_service_session *s, const char *name)
{
    size_t packet = orma_pb_begin(&s->notes, ORMA_PB_TRACE_PACKET);
    size_t at = orma_pb_begin(&s->notes, ORMA_PB_TRACE_PACKET_TRIGGER);

    orma_pb_put_cstr(&s->notes, ORMA_PB_TRIGGER_TRIGGER_NAME, name);
    orma_pb_put_cstr(&s->notes, ORMA_PB_TRIGGER_PRODUCER_NAME, program_invocation_name);
    orma_pb_put_u64(&s->notes, ORMA_PB_TRIGGER_TRUSTED_PRODUCER_UID, getuid());
    orma_pb_end(&s->notes, at);
    orma_pb_put_u64(&s->notes, ORMA_PB_TRACE_PACKET_TIMESTAMP, orma_clock_boottime());
    orma_cabi_service_put_trusted(&s->notes);
    orma_pb_end(&s->notes, packet);
}

static void hit(struct orma_cabi_service_session *s, const char *name)
{
    for (size_t at = 0; at + sizeof(uint32_t) < s->triggers.len;) {
        const char *own = (char *)s->triggers.data + at + sizeof(uint32_t);
        uint32_t delay_ms;

        memcpy(&delay_ms, s->triggers.data + at, sizeof(delay_ms));
        at += sizeof(delay_ms) + strlen(own) + 1;
        if (strcmp(own, name) != 0)
            continue;
        note_trigger(s, name);
        if (s->trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_START_TRACING)
            start_instances(s);
        s->end_ns = now_ns() + delay_ms * MS;
    }
}

void orma_cabi_service_trigger(const char *names, size_t len, uint64_t until_ns)
{
    (void)until_ns; /* this service is always there */
    for (size_t at = 0; at < len; at += strlen(names + at) + 1) {
        ORMA_LIST_EACH (struct orma_cabi_service_session, s, &g.sessions, link) {
            if (s->trigger_mode && !s->stopping && s->session->phase != ORMA_CABI_NEW)
                hit(s, names + at);
        }
    }
}

/* ---- the loop ---- */

void orma_cabi_service_begin(const struct orma_cabi_args *args)
{
    g.begun = orma_cabi_store_begin(args->shm_kb) == 0;
}

static bool is_due(uint64_t at, uint64_t now, uint64_t *first)
{
    if (!at)
        return false;
    if (at <= now)
        return true;
    *first = ORMA_MIN(*first, at);
    return false;
}

static void look(struct orma_cabi_service_session *s, uint64_t now, uint64_t *first)
{
    if (is_due(s->clear_ns, now, first)) {
        s->clear_ns = now + s->clear_ms * MS;
        *first = ORMA_MIN(*first, s->clear_ns);
        ORMA_LIST_EACH (struct orma_cabi_service_instance, i, &s->instances, link)
            orma_cabi_instance_clear(i->instance);
    }
    if (is_due(s->flush_ns, now, first)) {
        s->flush_ns = now + s->flush_period_ms * MS;
        *first = ORMA_MIN(*first, s->flush_ns);
        begin_flush(s, 0, NULL);
    }
    ORMA_LIST_EACH (struct orma_cabi_service_flush, f, &s->flushes, link) {
        if (is_due(f->end_ns, now, first))
            end_flush(s, f, false);
    }
    if (is_due(s->end_ns, now, first))
        stop_session(s);
    if (!s->ended && is_due(s->stop_ns, now, first))
        finish(s);
}

int orma_cabi_service_turn(void)
{
    uint64_t first = UINT64_MAX, now = now_ns();

    if (!g.begun)
        return -1;
    if (orma_cabi_store_has_more())
        orma_cabi_store_drain(false);
    ORMA_LIST_EACH (struct orma_cabi_service_session, s, &g.sessions, link)
        look(s, now, &first);
    return first == UINT64_MAX ? -1 : (int)((first - now) / MS + 1);
}

void orma_cabi_service_after_fork(void)
{
    g.begun = false;
    g.life++;
    orma_list_init(&g.sessions);
    orma_cabi_store_after_fork();
}
