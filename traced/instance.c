/* Data sources at work for a session: matching, configs, start and stop. */
#include <stdlib.h>
#include <string.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config.h"
#include "traced/consumer.h"
#include "traced/internal.h"
#include "traced/producer.h"
#include "traced/regex.h"
#include "traced/session.h"

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

static bool producer_matches(const entry_t *entry, const struct traced_producer *p)
{
    if (!entry->n_producer_name_filter && !entry->n_producer_name_regex_filter)
        return true;
    for (size_t i = 0; i < entry->n_producer_name_filter; i++)
        if (!strcmp(entry->producer_name_filter[i], p->name))
            return true;
    for (size_t i = 0; i < entry->n_producer_name_regex_filter; i++)
        if (traced_regex_match(entry->producer_name_regex_filter[i], p->name))
            return true;
    return false;
}

static bool entry_matches(const struct traced_session *s, const entry_t *entry,
                          const struct traced_data_source *ds)
{
    const char *name = entry->config && entry->config->name ? entry->config->name : "";

    return !strcmp(name, ds->name) && machine_matches(s, entry, ds->producer) &&
           producer_matches(entry, ds->producer);
}

/* ---- the config that the producer gets ---- */

/* The bytes of data_sources[idx].config in the consumer's config: unknown fields stay. */
static struct orma_str entry_config_bytes(const struct traced_session *s, size_t idx)
{
    struct orma_pb_reader r = orma_pb_reader(s->config_bytes.data, s->config_bytes.len);
    struct orma_pb_field f, sub;
    struct orma_str bytes = {"", 0};
    size_t at = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCES || at++ != idx)
            continue;
        struct orma_pb_reader entry = orma_pb_sub(&f);
        while (orma_pb_next(&entry, &sub))
            if (sub.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG && sub.data)
                bytes = orma_pb_str(&sub);
    }
    return bytes;
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
static void encode_config(struct orma_buf *out, const struct traced_session *s, size_t idx,
                          uint16_t buffer_id)
{
    struct orma_str bytes = entry_config_bytes(s, idx);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
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

/* ---- commands ---- */

static int send_with_config(struct traced_instance *inst, uint32_t cmd)
{
    struct orma_buf body = {0};

    orma_pb_put_u64(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_NEW_INSTANCE_ID,
                    inst->id);
    orma_pb_put_bytes(&body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_CONFIG,
                      inst->config.data, inst->config.len);
    int r = traced_producer_command_field(inst->producer, cmd, &body);
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

void traced_instance_free(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    if (inst->state != TRACED_INSTANCE_STOPPED && inst->name)
        set_state(inst, TRACED_INSTANCE_STOPPED);
    orma_list_remove(&inst->session_link);
    orma_list_remove(&inst->producer_link);
    inst->producer->instances_num--;
    orma_buf_fini(&inst->config);
    free(inst->name);
    free(inst);
    traced_session_check_stopped(s);
}

static struct traced_instance *instance_new(struct traced_session *s, struct traced_data_source *ds,
                                            size_t entry)
{
    struct traced_instance *inst = calloc(1, sizeof(*inst));

    if (!inst)
        return NULL;
    *inst = (struct traced_instance){
        .session = s,
        .producer = ds->producer,
        .id = ++s->service->last_instance_id,
        .will_notify_on_start = ds->will_notify_on_start,
        .will_notify_on_stop = ds->will_notify_on_stop,
        .handles_incremental_state_clear = ds->handles_incremental_state_clear,
        .no_flush = ds->no_flush,
    };
    inst->entry = (uint32_t)entry;
    orma_list_insert(&s->instances, &inst->session_link);
    orma_list_insert(&ds->producer->instances, &inst->producer_link);
    ds->producer->instances_num++;
    return inst;
}

/* Shared memory sizes that the config wants for producers of this name. */
static void setup_memory(struct traced_session *s, struct traced_producer *p)
{
    uint64_t size = 0, page = 0;

    for (size_t i = 0; i < s->config->n_producers; i++) {
        const Perfetto__Protos__TraceConfig__ProducerConfig *c = s->config->producers[i];

        if (!c->producer_name || strcmp(c->producer_name, p->name))
            continue;
        size = (uint64_t)c->shm_size_kb * 1024;
        page = (uint64_t)c->page_size_kb * 1024;
        break;
    }
    traced_producer_setup_shm(p, (uint32_t)ORMA_MIN(size, UINT32_MAX),
                              (uint32_t)ORMA_MIN(page, UINT32_MAX));
}

static void setup_instance(struct traced_session *s, struct traced_data_source *ds, size_t entry)
{
    struct traced_producer *p = ds->producer;
    uint32_t target = traced_config_target_buffer(s->config, entry);

    if (target >= s->buffers_num || p->instances_num >= INSTANCES_PER_PRODUCER_MAX)
        return; /* a session without buffers, or a producer that floods us */
    struct traced_instance *inst = instance_new(s, ds, entry);
    if (!inst)
        return;
    uint16_t buffer_id = s->buffers[target].id;
    inst->name = strdup(ds->name);
    encode_config(&inst->config, s, entry, buffer_id);
    if (!inst->name || inst->config.failed || orma_map_put(&p->targets, buffer_id, 1) < 0) {
        traced_instance_free(inst);
        return;
    }
    setup_memory(s, p);
    if (send_with_config(inst, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE) < 0) {
        orma_log_warn("the config for data source \"%.64s\" is too large to be sent", ds->name);
        traced_instance_free(inst);
        return;
    }
    traced_consumer_instance_changed(inst);
    if (s->state == TRACED_STARTED)
        traced_instance_start(inst);
}

static bool is_at_work(const struct traced_session *s, const struct traced_data_source *ds,
                       size_t entry)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &ds->producer->instances, producer_link)
        if (inst->session == s && inst->entry == entry && !strcmp(inst->name, ds->name))
            return true;
    return false;
}

static void match(struct traced_session *s, struct traced_data_source *ds, bool again)
{
    if (s->state != TRACED_CONFIGURED && s->state != TRACED_STARTED)
        return;
    if (ds->producer->conn->ending)
        return;
    if (s->service->lockdown && (uid_t)ds->producer->uid != s->service->uid)
        return;
    for (size_t i = 0; i < s->config->n_data_sources; i++)
        if (entry_matches(s, s->config->data_sources[i], ds) && !(again && is_at_work(s, ds, i)))
            setup_instance(s, ds, i);
}

void traced_session_match(struct traced_session *s, struct traced_data_source *ds)
{
    match(s, ds, false);
}

void traced_session_match_again(struct traced_session *s, struct traced_data_source *ds)
{
    match(s, ds, true);
}
