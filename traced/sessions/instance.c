/* Data sources at work for a session: matching, configs, start and stop. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/config.h"
#include "traced/config/patterns.h"
#include "traced/config/wanted.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session_internal.h"

typedef Perfetto__Protos__TraceConfig__DataSource entry_t;

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
           traced_wanted_lets_in(s->wanted, entry, ds->producer);
}

/* ---- the config that the producer gets ---- */

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

void traced_session_forget_configs(struct traced_session *s)
{
    for (size_t i = 0; s->entry_configs && i < s->config->n_data_sources; i++)
        config_unref(s->entry_configs[i].encoded);
    free(s->entry_configs);
    s->entry_configs = NULL;
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

    if (s->entry_configs)
        return s->entry_configs;
    s->entry_configs = calloc(s->config->n_data_sources + 1, sizeof(*s->entry_configs));
    while (s->entry_configs && i < s->config->n_data_sources && orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCES)
            locate_config(s, &f, &s->entry_configs[i++]);
    return s->entry_configs;
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
                    traced_session_stop_timeout_ms(s));
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
    inst->session->service->config_bytes_sent += body.len;
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
    inst->state = state;
    traced_consumer_instance_changed(inst);
}

void traced_instance_start(struct traced_instance *inst)
{
    if (inst->state != TRACED_INSTANCE_CONFIGURED)
        return;
    /* It had room when it was set up, and these are the same bytes. */
    (void)send_with_config(inst, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE);
    set_state(inst,
              inst->will_notify_on_start ? TRACED_INSTANCE_STARTING : TRACED_INSTANCE_STARTED);
}

void traced_instance_stop(struct traced_instance *inst)
{
    if (inst->state == TRACED_INSTANCE_STOPPED || inst->state == TRACED_INSTANCE_STOPPING)
        return;
    bool wait = inst->will_notify_on_stop && inst->state != TRACED_INSTANCE_CONFIGURED;
    send_stop(inst);
    set_state(inst, wait ? TRACED_INSTANCE_STOPPING : TRACED_INSTANCE_STOPPED);
}

void traced_session_instance_started(struct traced_instance *inst)
{
    if (inst->state != TRACED_INSTANCE_STARTING)
        return;
    set_state(inst, TRACED_INSTANCE_STARTED);
    traced_session_check_started(inst->session);
}

void traced_session_instance_stopped(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    if (inst->state == TRACED_INSTANCE_STOPPED)
        return;
    set_state(inst, TRACED_INSTANCE_STOPPED);
    traced_session_check_stopped(s);
}

/* What stands for an instance in traced_session.at_work. */
static uint64_t work_key(uint64_t ds_serial, uint32_t entry)
{
    return ds_serial << 10 | entry; /* of at most 512 entries */
}

void traced_instance_free(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    if (inst->state != TRACED_INSTANCE_STOPPED)
        set_state(inst, TRACED_INSTANCE_STOPPED);
    orma_list_remove(&inst->session_link);
    orma_list_remove(&inst->producer_link);
    inst->producer->instances_num--;
    orma_map_take(&s->at_work, work_key(inst->ds_serial, inst->entry));
    config_unref(inst->config);
    free(inst);
    traced_session_check_stopped(s);
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
        .id = ++s->service->last_instance_id,
        .ds_serial = ds->serial,
        .entry = entry,
        .target = traced_wanted_target(s->wanted, entry),
        .name = config && config->name ? config->name : "",
        .will_notify_on_start = ds->will_notify_on_start,
        .will_notify_on_stop = ds->will_notify_on_stop,
        .handles_incremental_state_clear = ds->handles_incremental_state_clear,
        .no_flush = ds->no_flush,
    };
    orma_list_insert(&s->instances, &inst->session_link);
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
        orma_map_put_ptr(&s->at_work, key, inst) < 0) {
        traced_instance_free(inst);
        return;
    }
    setup_memory(s, p);
    if (send_with_config(inst, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE) < 0) {
        if (!s->warned_config && traced_may_log(s->service))
            orma_log_warn("the config for data source \"%.64s\" is too large to be sent", ds->name);
        s->warned_config = true; /* once: the names are not to be trusted */
        traced_instance_free(inst);
        return;
    }
    traced_consumer_instance_changed(inst);
    if (s->state == TRACED_STARTED)
        traced_instance_start(inst);
}

static void match_entry(struct traced_session *s, struct traced_data_source *ds, uint32_t entry)
{
    struct traced_instance *inst = orma_map_get_ptr(&s->at_work, work_key(ds->serial, entry));

    if (inst && s->state == TRACED_STARTED)
        traced_instance_start(inst);
    else if (!inst && entry_matches(s, entry, ds))
        setup_instance(s, ds, entry);
}

static void warn_of_patterns(struct traced_session *s)
{
    if (s->warned_patterns || !traced_wanted_work(s->wanted).exhausted)
        return;
    s->warned_patterns = true;
    if (traced_may_log(s->service))
        orma_log_warn("session %" PRIu64 ": its regular expressions took more than %d steps; from "
                      "now on those that take more than %d match no producer",
                      s->id, TRACED_PATTERNS_BUDGET, TRACED_PATTERN_STEPS);
}

void traced_session_match(struct traced_session *s, struct traced_data_source *ds)
{
    if (s->state != TRACED_CONFIGURED && s->state != TRACED_STARTED)
        return;
    if (ds->producer->conn->ending)
        return;
    if (s->service->lockdown && (uid_t)ds->producer->uid != s->service->uid)
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
    return s->service->last_instance_id * SWEEP_COST_INSTANCE + s->service->config_bytes_sent +
           traced_wanted_work(s->wanted).steps * SWEEP_COST_STEP;
}

static struct traced_data_source *next_source(const struct traced_service *svc,
                                              const struct traced_data_source *ds)
{
    const struct orma_list *next = ds ? ds->service_link.next : svc->data_sources.next;

    return next == &svc->data_sources
               ? NULL
               : ORMA_CONTAINER_OF(next, struct traced_data_source, service_link);
}

static bool sweep(struct traced_work *work)
{
    struct traced_session *s = ORMA_CONTAINER_OF(work, struct traced_session, sweep);
    uint64_t end = work_so_far(s) + SWEEP_COST, looked = 0;

    while (s->sweep_at && work_so_far(s) + looked < end) {
        struct traced_data_source *ds = s->sweep_at;

        s->sweep_at = next_source(s->service, ds);
        traced_session_match(s, ds);
        looked += SWEEP_COST_SOURCE;
    }
    if (!s->sweep_at)
        traced_session_check_started(s);
    return s->sweep_at;
}

void traced_session_begin_sweep(struct traced_session *s)
{
    s->sweep_at = next_source(s->service, NULL);
    s->sweep.slice = sweep;
    traced_turns_do(&s->service->turns, &s->sweep);
}

void traced_session_source_gone(struct traced_session *s, const struct traced_data_source *ds)
{
    if (s->sweep_at == ds)
        s->sweep_at = next_source(s->service, ds);
}
