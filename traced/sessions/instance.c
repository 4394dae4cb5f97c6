/*
 * The config of an entry is encoded once, when the first data source is set up
 * for it, and shared by all instances of that entry; it is found in the session's
 * bytes by one walk over them (entry_configs()). `at_work` holds the
 * pairs of a data source and an entry that have an instance, so that a sweep may
 * reach a data source that was matched before.
 */
#include "traced/sessions/instance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/patterns.h"
#include "traced/config/wanted.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

typedef Perfetto__Protos__TraceConfig__DataSource entry_t;

#define STOP_TIMEOUT_MS 5000
/* One producer gets at most so many instances, whatever the configs say. */
#define INSTANCES_PER_PRODUCER_MAX 4096

/* ---- which data sources a config means ---- */

static bool machine_matches(const struct traced_session *s, const entry_t *entry,
                            const struct traced_producer *p)
{
    bool local = traced_producer_is_local(p);
    const char *name = p->conn->machine_name;

    if (!entry->n_machine_name_filter)
        return local || s->config->trace_all_machines;
    for (size_t i = 0; i < entry->n_machine_name_filter; i++) {
        const char *want = entry->machine_name_filter[i];

        if ((local && !strcmp(want, "host")) || (name && !strcmp(want, name)))
            return true;
    }
    return false;
}

static bool entry_matches(const struct traced_session *s, uint32_t entry,
                          const struct traced_data_source *ds)
{
    return machine_matches(s, s->config->data_sources[entry], ds->producer) &&
           traced_wanted_lets_in(s->wanted, entry, ds->producer->id, ds->producer->name);
}

/* ---- the config that the producer gets ---- */

uint32_t traced_instances_stop_timeout_ms(const struct traced_session *s)
{
    return s->config->data_source_stop_timeout_ms ? s->config->data_source_stop_timeout_ms
                                                  : STOP_TIMEOUT_MS;
}

/* The config of one entry as it is sent: the same bytes for all instances of it. */
struct traced_instance_config {
    unsigned refs;
    struct orma_buf bytes;
};

/* What is known of data_sources[i].config. */
struct traced_entry_config {
    size_t at, len;                         /* in the session's config_bytes: unknown fields stay */
    struct traced_instance_config *encoded; /* a reference; NULL: not yet */
};

static void config_unref(struct traced_instance_config *c)
{
    if (!c || --c->refs)
        return;
    orma_buf_fini(&c->bytes);
    free(c);
}

void traced_instances_forget_configs(struct traced_session *s)
{
    for (size_t i = 0; s->instances.entry_configs && i < s->config->n_data_sources; i++)
        config_unref(s->instances.entry_configs[i].encoded);
    free(s->instances.entry_configs);
    s->instances.entry_configs = NULL;
}

static void locate_config(const struct traced_session *s, const struct orma_pb_field *f,
                          struct traced_entry_config *ret)
{
    struct orma_pb_reader entry = orma_pb_sub(f);
    struct orma_pb_field sub;

    while (orma_pb_next(&entry, &sub)) {
        if (sub.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG || !sub.data)
            continue;
        ret->at = (size_t)((const uint8_t *)sub.data - s->config_bytes.data);
        ret->len = sub.len;
    }
}

/* Where the entries are, found in one walk. NULL: no memory. */
static struct traced_entry_config *entry_configs(struct traced_session *s)
{
    struct orma_pb_reader r = orma_pb_reader(s->config_bytes.data, s->config_bytes.len);
    struct orma_pb_field f;
    size_t i = 0;

    if (s->instances.entry_configs)
        return s->instances.entry_configs;
    s->instances.entry_configs =
        calloc(s->config->n_data_sources + 1, sizeof(*s->instances.entry_configs));
    while (s->instances.entry_configs && i < s->config->n_data_sources && orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCES)
            locate_config(s, &f, &s->instances.entry_configs[i++]);
    return s->instances.entry_configs;
}

static bool is_service_field(uint32_t id)
{
    return id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_TRACE_DURATION_MS ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_TRACING_SESSION_ID ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_ENABLE_EXTRA_GUARDRAILS ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_STOP_TIMEOUT_MS ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_SESSION_INITIATOR ||
           id == ORMA_PB_DATA_SOURCE_CONFIG_PREFER_SUSPEND_CLOCK_FOR_DURATION;
}

static void put_service_fields(struct orma_buf *out, const struct traced_session *s,
                               uint16_t buffer_id)
{
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER, buffer_id);
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_TRACE_DURATION_MS, s->duration_ms);
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_TRACING_SESSION_ID, s->id);
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_ENABLE_EXTRA_GUARDRAILS,
                    s->config->enable_extra_guardrails);
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_STOP_TIMEOUT_MS,
                    traced_instances_stop_timeout_ms(s));
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_SESSION_INITIATOR, 0);
}

/*
 * The consumer's bytes with the service's fields in their place: configs come in
 * the order of their field numbers, and older producers hash these bytes.
 */
static void encode_config(struct orma_buf *out, const struct traced_session *s,
                          const struct traced_entry_config *entry, uint16_t buffer_id)
{
    struct orma_pb_reader r = orma_pb_reader(s->config_bytes.data + entry->at, entry->len);
    struct orma_pb_field f;
    const uint8_t *from = r.pos;
    bool done = false;

    while (orma_pb_next(&r, &f)) {
        if (!done && f.id > ORMA_PB_DATA_SOURCE_CONFIG_NAME) {
            put_service_fields(out, s, buffer_id);
            done = true;
        }
        if (!is_service_field(f.id))
            orma_buf_put(out, from, (size_t)(r.pos - from));
        from = r.pos;
    }
    if (!done)
        put_service_fields(out, s, buffer_id);
    if (s->config->prefer_suspend_clock_for_duration)
        orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_PREFER_SUSPEND_CLOCK_FOR_DURATION, 1);
}

/* A reference; NULL: no memory. */
static struct traced_instance_config *config_of(struct traced_session *s, uint32_t entry,
                                                uint16_t buffer_id)
{
    struct traced_entry_config *all = entry_configs(s);
    struct traced_instance_config *c = all ? all[entry].encoded : NULL;

    if (!all)
        return NULL;
    if (!c) {
        c = calloc(1, sizeof(*c));
        if (!c)
            return NULL;
        c->refs = 1;
        encode_config(&c->bytes, s, &all[entry], buffer_id);
        if (c->bytes.failed) {
            config_unref(c);
            return NULL;
        }
        all[entry].encoded = c;
    }
    c->refs++;
    return c;
}

/* ---- commands ---- */

static int send_with_config(struct traced_instance *inst, uint32_t cmd)
{
    struct orma_buf body = {0};

    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_NEW_INSTANCE_ID,
                    inst->id);
    orma_pb_put_bytes(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_CONFIG,
                      inst->config->bytes.data, inst->config->bytes.len);
    int r = traced_producer_command_field(inst->producer, cmd, &body);
    inst->session->registry->config_bytes_sent += body.len;
    orma_buf_fini(&body);
    return r;
}

static void send_stop(struct traced_instance *inst)
{
    struct orma_buf body = {0};

    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE_INSTANCE_ID,
                    inst->id);
    (void)traced_producer_command_field(inst->producer,
                                        ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE,
                                        &body); /* 12 bytes: never too large */
    orma_buf_fini(&body);
}

/* ---- states ---- */

static void set_state(struct traced_instance *inst, enum traced_instance_state state)
{
    ORMA_ASSERT(inst->state != TRACED_INSTANCE_STOPPED); /* the end: see instance.h */
    inst->state = state;
    inst->session->registry->events->instance_changed(inst);
}

static void check_started(struct traced_session *s)
{
    if (s->instances.all_started || s->state != TRACED_STARTED || s->instances.sweep_at)
        return;
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
        if (inst->state != TRACED_INSTANCE_STARTED)
            return;
    s->instances.all_started = true;
    s->instances.events->all_started(s);
}

void traced_instances_check_stopped(struct traced_session *s)
{
    if (s->state != TRACED_STOPPING)
        return;
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
        if (inst->state != TRACED_INSTANCE_STOPPED && !inst->given_up)
            return;
    s->instances.events->all_stopped(s);
}

static void start(struct traced_instance *inst)
{
    if (inst->state != TRACED_INSTANCE_CONFIGURED)
        return;
    /* It fitted when it was set up, and these are the same bytes. */
    (void)send_with_config(inst, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE);
    set_state(inst,
              inst->will_notify_on_start ? TRACED_INSTANCE_STARTING : TRACED_INSTANCE_STARTED);
}

static void stop(struct traced_instance *inst)
{
    if (inst->state == TRACED_INSTANCE_STOPPED || inst->state == TRACED_INSTANCE_STOPPING)
        return;
    inst->never_started = inst->state == TRACED_INSTANCE_STARTING;
    bool wait = inst->will_notify_on_stop && inst->state != TRACED_INSTANCE_CONFIGURED;
    send_stop(inst);
    set_state(inst, wait ? TRACED_INSTANCE_STOPPING : TRACED_INSTANCE_STOPPED);
}

void traced_instance_started(struct traced_instance *inst)
{
    if (inst->state != TRACED_INSTANCE_STARTING)
        return;
    set_state(inst, TRACED_INSTANCE_STARTED);
    check_started(inst->session);
}

void traced_instance_stopped(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    if (inst->state == TRACED_INSTANCE_STOPPED)
        return;
    set_state(inst, TRACED_INSTANCE_STOPPED);
    traced_instances_check_stopped(s);
}

/* What stands for an instance in traced_session.at_work. */
static uint64_t work_key(uint64_t ds_serial, uint32_t entry)
{
    return ds_serial << 10 | entry; /* of at most 512 entries */
}

void traced_instance_free(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    traced_incidents_note_gone(inst);
    if (inst->state != TRACED_INSTANCE_STOPPED)
        set_state(inst, TRACED_INSTANCE_STOPPED);
    ORMA_ASSERT(inst->producer->instances_num > 0);
    orma_list_remove(&inst->session_link);
    orma_list_remove(&inst->producer_link);
    inst->producer->instances_num--;
    orma_map_take(&s->instances.at_work, work_key(inst->ds_serial, inst->entry));
    config_unref(inst->config);
    free(inst);
    traced_instances_check_stopped(s);
}

static struct traced_instance *instance_new(struct traced_session *s, struct traced_data_source *ds,
                                            uint32_t entry)
{
    const Perfetto__Protos__DataSourceConfig *config = s->config->data_sources[entry]->config;
    struct traced_instance *inst = calloc(1, sizeof(*inst));

    if (!inst)
        return NULL;
    *inst = (struct traced_instance){
        .session = s,
        .producer = ds->producer,
        .id = ++s->registry->last_instance_id,
        .ds_serial = ds->serial,
        .entry = entry,
        .target = traced_wanted_target(s->wanted, entry),
        .name = config && config->name ? config->name : "",
        .will_notify_on_start = ds->will_notify_on_start,
        .will_notify_on_stop = ds->will_notify_on_stop,
        .handles_incremental_state_clear = ds->handles_incremental_state_clear,
        .no_flush = ds->no_flush,
    };
    orma_list_insert(&s->instances.list, &inst->session_link);
    orma_list_insert(&ds->producer->instances, &inst->producer_link);
    ds->producer->instances_num++;
    return inst;
}

/* Shared memory sizes that the config wants for producers of this name. */
static void setup_memory(struct traced_session *s, struct traced_producer *p)
{
    uint32_t idx = p->shm_ready ? TRACED_WANTED_NONE : traced_wanted_memory(s->wanted, p->name);
    uint64_t size = 0, page = 0;

    if (idx != TRACED_WANTED_NONE) {
        size = (uint64_t)s->config->producers[idx]->shm_size_kb * 1024;
        page = (uint64_t)s->config->producers[idx]->page_size_kb * 1024;
    }
    traced_producer_setup_shm(p, (uint32_t)ORMA_MIN(size, UINT32_MAX),
                              (uint32_t)ORMA_MIN(page, UINT32_MAX));
}

static void setup_instance(struct traced_session *s, struct traced_data_source *ds, uint32_t entry)
{
    struct traced_producer *p = ds->producer;
    uint32_t target = traced_wanted_target(s->wanted, entry);
    uint64_t key = work_key(ds->serial, entry);

    if (target >= s->buffers_num || p->instances_num >= INSTANCES_PER_PRODUCER_MAX ||
        p->conn->ending)
        return; /* a session without buffers, or a producer that floods us */
    struct traced_instance *inst = instance_new(s, ds, entry);
    if (!inst)
        return;
    uint16_t buffer_id = s->buffers[target].id;
    inst->config = config_of(s, entry, buffer_id);
    if (!inst->config || orma_map_put(&p->targets, buffer_id, 1) < 0 ||
        orma_map_put_ptr(&s->instances.at_work, key, inst) < 0) {
        traced_instance_free(inst);
        return;
    }
    setup_memory(s, p);
    if (send_with_config(inst, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE) < 0) {
        if (!s->instances.warned_config && traced_loop_may_log(s->registry->loop))
            orma_log_warn("cannot send the config for data source \"%.64s\": it is too large",
                          ds->name);
        s->instances.warned_config = true; /* once: the names are not to be trusted */
        traced_instance_free(inst);
        return;
    }
    traced_incidents_note_offered(s, entry);
    s->registry->events->instance_changed(inst);
    if (s->state == TRACED_STARTED)
        start(inst);
}

static void match_entry(struct traced_session *s, struct traced_data_source *ds, uint32_t entry)
{
    struct traced_instance *inst =
        orma_map_get_ptr(&s->instances.at_work, work_key(ds->serial, entry));

    if (inst && s->state == TRACED_STARTED)
        start(inst);
    else if (!inst && entry_matches(s, entry, ds))
        setup_instance(s, ds, entry);
}

static void warn_of_patterns(struct traced_session *s)
{
    if (s->instances.warned_patterns || !traced_wanted_work(s->wanted).exhausted)
        return;
    s->instances.warned_patterns = true;
    if (traced_loop_may_log(s->registry->loop))
        orma_log_warn("session %" PRIu64 ": its regular expressions took more than %d steps; from "
                      "now on, any that takes more than %d matches no producer",
                      s->id, TRACED_PATTERNS_BUDGET, TRACED_PATTERN_STEPS);
}

void traced_instances_match(struct traced_session *s, struct traced_data_source *ds)
{
    if (s->state != TRACED_CONFIGURED && s->state != TRACED_STARTED)
        return;
    if (ds->producer->conn->ending)
        return;
    if (s->registry->lockdown && (uid_t)ds->producer->uid != s->registry->uid)
        return;
    for (uint32_t i = traced_wanted_first(s->wanted, ds->name); i != TRACED_WANTED_NONE;
         i = traced_wanted_next(s->wanted, i))
        match_entry(s, ds, i);
    warn_of_patterns(s);
}

/* ---- all data sources that there are ---- */

/* Roughly the bytes that are handled; a slice of so many does not delay others much. */
#define SWEEP_COST ((uint64_t)512 << 10)
#define SWEEP_COST_SOURCE 64
#define SWEEP_COST_INSTANCE 2048
#define SWEEP_COST_STEP 16

static uint64_t work_so_far(const struct traced_session *s)
{
    return s->registry->last_instance_id * SWEEP_COST_INSTANCE + s->registry->config_bytes_sent +
           traced_wanted_work(s->wanted).steps * SWEEP_COST_STEP;
}

static struct traced_data_source *next_source(const struct traced_producers *producers,
                                              const struct traced_data_source *ds)
{
    const struct orma_list *next = ds ? ds->registry_link.next : producers->data_sources.next;

    return next == &producers->data_sources
               ? NULL
               : ORMA_CONTAINER_OF(next, struct traced_data_source, registry_link);
}

static bool sweep(struct traced_work *work)
{
    struct traced_session *s = ORMA_CONTAINER_OF(work, struct traced_session, instances.sweep);
    uint64_t end = work_so_far(s) + SWEEP_COST, looked = 0;

    while (s->instances.sweep_at && work_so_far(s) + looked < end) {
        struct traced_data_source *ds = s->instances.sweep_at;

        s->instances.sweep_at = next_source(s->registry->producers, ds);
        traced_instances_match(s, ds);
        looked += SWEEP_COST_SOURCE;
    }
    if (!s->instances.sweep_at)
        check_started(s);
    return s->instances.sweep_at;
}

void traced_instances_sweep(struct traced_session *s)
{
    s->instances.sweep_at = next_source(s->registry->producers, NULL);
    s->instances.sweep.slice = sweep;
    traced_turns_do(&s->registry->loop->turns, &s->instances.sweep);
}

void traced_instances_source_gone(struct traced_session *s, const struct traced_data_source *ds)
{
    if (s->instances.sweep_at == ds)
        s->instances.sweep_at = next_source(s->registry->producers, ds);
}

void traced_instances_match_new(struct traced_sessions *sessions, struct traced_data_source *ds)
{
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        if (!s->instances.sweep_at)
            traced_instances_match(s, ds);
}

/* ---- all of them ---- */

void traced_instances_stop_all(struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link)
        stop(inst);
}

void traced_instances_init(struct traced_instances *self,
                           const struct traced_instance_events *events)
{
    *self = (struct traced_instances){.events = events};
    orma_list_init(&self->list);
}

void traced_instances_fini(struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link) {
        stop(inst);
        traced_instance_free(inst);
    }
    traced_work_cancel(&s->instances.sweep);
    traced_instances_forget_configs(s);
    orma_map_fini(&s->instances.at_work);
}
