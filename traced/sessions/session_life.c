/* Making, copying and freeing sessions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "protos/pbc.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "traced/config/wanted.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/sessions/boost.h"
#include "traced/sessions/read.h"
#include "traced/sessions/session_internal.h"

typedef Perfetto__Protos__TraceConfig config_t;

/* ---- life ---- */

static uint16_t new_buffer_id(struct traced_service *svc)
{
    for (int tries = 0; tries < UINT16_MAX; tries++) {
        uint16_t id = ++svc->last_buffer_id;

        if (id && orma_map_get(&svc->buffers_by_id, id) == ORMA_MAP_NONE)
            return id;
    }
    return 0;
}

static int make_buffers(struct traced_session *self, struct orma_buf *error)
{
    const config_t *config = self->config;
    int r = 0;

    self->buffers = calloc(config->n_buffers ? config->n_buffers : 1, sizeof(*self->buffers));
    if (!self->buffers)
        r = -ENOMEM;
    for (size_t i = 0; i < config->n_buffers && r == 0; i++) {
        struct traced_session_buffer *sb = &self->buffers[i];
        bool discard = config->buffers[i]->fill_policy ==
                       PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD;

        r = traced_buffer_new((size_t)config->buffers[i]->size_kb * 1024,
                              discard ? TRACED_DISCARD : TRACED_RING, &sb->buf);
        if (r < 0)
            break;
        self->buffers_num = i + 1;
        sb->session = self;
        sb->buf->owner = sb;
        sb->index = (uint32_t)i;
        sb->id = new_buffer_id(self->service);
        r = sb->id ? orma_map_put_ptr(&self->service->buffers_by_id, sb->id, sb) : -ENOSPC;
    }
    if (r < 0)
        orma_buf_printf(error, "Failed to allocate tracing buffers: OOM or too many buffers");
    return r;
}

/* The producer may not write into them any more. */
static void take_targets(const struct traced_session *self, struct traced_producer *p)
{
    for (size_t i = 0; i < self->buffers_num && p->targets.len; i++)
        orma_map_take(&p->targets, self->buffers[i].id);
    if (p->known_seqs.len) /* they may be of these buffers, also if it was not told to write */
        traced_producer_forget_seqs(p);
}

static void free_buffers(struct traced_session *self)
{
    ORMA_LIST_EACH (struct traced_producer, p, &self->service->producers, link)
        take_targets(self, p);
    for (size_t i = 0; i < self->buffers_num; i++) {
        struct traced_session_buffer *sb = &self->buffers[i];

        if (orma_map_get_ptr(&self->service->buffers_by_id, sb->id) == sb)
            orma_map_take(&self->service->buffers_by_id, sb->id);
        traced_reap(&self->service->reaper, &self->service->turns,
                    traced_buffer_take_memory(sb->buf), sb->buf->size);
        traced_buffer_free(sb->buf);
    }
    free(self->buffers);
}

void traced_session_free(struct traced_session *self)
{
    if (!self)
        return;
    self->freeing = true;
    if (self->consumer)
        self->consumer->session = NULL;
    self->consumer = NULL;
    self->state = TRACED_CLONED; /* nothing below may start something again */
    traced_flush_cancel_all(self);
    traced_triggers_fini(self);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link) {
        traced_instance_stop(inst);
        traced_instance_free(inst);
    }
    orma_list_remove(&self->link);
    self->service->sessions_num--;
    (void)traced_boost_update(
        self->service); /* less is always allowed, but for a change of limits */
    traced_session_free_events(self);
    traced_work_cancel(&self->sweep);
    traced_gather_cancel(&self->end);
    traced_gather_fini(&self->gather);
    traced_file_free(self->file);
    traced_file_free(self->squeezer);
    free_buffers(self);
    orma_buf_fini(&self->concurrent);
    orma_map_fini(&self->machines_told);
    orma_map_fini(&self->sequence_ids);
    traced_snapshots_fini(&self->snapshots);
    orma_buf_fini(&self->config_bytes);
    free(self->detach_key);
    free(self->trigger.name);
    free(self->trigger.producer_name);
    traced_session_forget_configs(self);
    orma_map_fini(&self->at_work);
    traced_wanted_free(self->wanted);
    protobuf_c_message_free_unpacked(&self->config->base, NULL);
    free(self);
}

void traced_session_release(struct traced_session *self)
{
    self->freeing = true;
    traced_flush_cancel_all(self);
    traced_triggers_fini(self);
    if (self->consumer)
        self->consumer->session = NULL;
    self->consumer = NULL;
    if (!self->file) {
        traced_session_free(self);
        return;
    }
    /* The file gets what there is; nobody is waited for, nor is a file that takes nothing. */
    self->orphan = true;
    traced_file_hurry(self->file, self->service->file_patience_ms);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        traced_instance_stop(inst);
    if (self->state == TRACED_DISABLED || self->state == TRACED_CLONED)
        return;
    self->state = TRACED_STOPPING;
    traced_session_cancel_duration(self);
    traced_session_stopped(self);
}

/* Version 4. */
static void random_uuid(struct traced_session *self)
{
    uint8_t bytes[16] = {0};

    (void)!getrandom(bytes, sizeof(bytes), 0); /* 16 bytes are never cut short */
    memcpy(&self->uuid_msb, bytes, 8);
    memcpy(&self->uuid_lsb, bytes + 8, 8);
    self->uuid_msb = (int64_t)(((uint64_t)self->uuid_msb & ~UINT64_C(0xf000)) | 0x4000);
    self->uuid_lsb =
        (int64_t)(((uint64_t)self->uuid_lsb & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62);
}

/* The config's, or a random one. */
static void make_uuid(struct traced_session *self)
{
    self->uuid_msb = self->config->trace_uuid_msb;
    self->uuid_lsb = self->config->trace_uuid_lsb;
    if (!self->uuid_msb && !self->uuid_lsb)
        random_uuid(self);
}

static void note_recent(struct traced_service *svc, const config_t *config)
{
    if (!config->enable_extra_guardrails)
        return;
    struct traced_recent *slot = &svc->recent[svc->recent_at++ % TRACED_RECENT_MAX];
    svc->recent_num = ORMA_MIN(svc->recent_num + 1, TRACED_RECENT_MAX);
    *slot = (struct traced_recent){.ts = orma_clock_boottime()};
    if (config->unique_session_name)
        strncpy(slot->name, config->unique_session_name, sizeof(slot->name) - 1);
}

/* A session that wants to be alone ends all others. */
static void abort_others(struct traced_service *svc, const config_t *config)
{
    struct orma_buf text = {0};

    if (!config->exclusive_prio)
        return;
    orma_buf_printf(&text, "Aborted due to user requested higher-priority (%u) exclusive session.",
                    config->exclusive_prio);
    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link) {
        if (s->consumer)
            traced_consumer_session_ended(s->consumer, orma_buf_cstr(&text));
        traced_session_free(s);
    }
    orma_buf_fini(&text);
}

static void apply_lockdown(struct traced_service *svc, const config_t *config)
{
    if (config->lockdown_mode ==
        PERFETTO__PROTOS__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_SET)
        svc->lockdown = true;
    else if (config->lockdown_mode ==
             PERFETTO__PROTOS__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_CLEAR)
        svc->lockdown = false;
}

static struct traced_session *session_alloc(struct traced_service *svc, config_t *config,
                                            struct orma_str bytes, int32_t uid)
{
    struct traced_session *self = calloc(1, sizeof(*self));

    if (!self) {
        protobuf_c_message_free_unpacked(&config->base, NULL);
        return NULL;
    }
    self->service = svc;
    self->config = config;
    self->uid = uid;
    self->id = ++svc->last_session_id;
    self->last_sequence_id = 1;
    self->duration_fd = -1;
    self->duration_ms = config->duration_ms;
    self->mode = traced_config_trigger_mode(config);
    orma_list_init(&self->triggers);
    orma_list_init(&self->instances);
    orma_list_init(&self->flushes);
    traced_gather_init(&self->gather, self);
    orma_list_insert(&svc->sessions, &self->link);
    svc->sessions_num++;
    orma_buf_put(&self->config_bytes, bytes.data, bytes.len);
    make_uuid(self);
    return self;
}

/* Until a trigger comes the session has as long as the config gives it. */
static void prepare_triggers(struct traced_session *self)
{
    uint32_t timeout_ms =
        self->config->trigger_config ? self->config->trigger_config->trigger_timeout_ms : 0;

    if (self->mode == TRACED_TRIGGER_STOP || self->mode == TRACED_TRIGGER_CLONE) {
        traced_session_set_duration(self, timeout_ms);
        self->duration_ms = timeout_ms;
    } else if (self->mode == TRACED_TRIGGER_START) {
        traced_session_arm_duration(self, timeout_ms);
    }
}

int traced_session_new(struct traced_service *service, struct traced_consumer *consumer,
                       struct orma_str bytes, int file_fd, struct traced_session **ret,
                       struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = file_fd;
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r < 0)
        return r;
    config_t *config = (config_t *)msg;
    apply_lockdown(service, config);
    struct traced_wanted *wanted = NULL;
    r = traced_config_check(service, config, consumer->uid, fd >= 0, error);
    if (r == 0)
        r = traced_wanted_new(config, &wanted, error);
    if (r < 0) {
        protobuf_c_message_free_unpacked(msg, NULL);
        return r;
    }
    abort_others(service, config);

    struct traced_session *self = session_alloc(service, config, bytes, consumer->uid);
    if (!self) {
        traced_wanted_free(wanted);
        return -ENOMEM;
    }
    self->wanted = wanted;
    r = traced_session_make_events(self) && !self->config_bytes.failed ? 0 : -ENOMEM;
    if (r == 0) {
        r = traced_session_open_output(self, fd, error);
        fd = -1; /* taken */
    }
    if (r == 0)
        r = make_buffers(self, error);
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    r = traced_boost_update(service);
    if (r < 0) {
        orma_buf_printf(error, "Failed to set the priority boost: %s", strerror(-r));
        traced_session_free(self);
        return r;
    }
    note_recent(service, config);
    prepare_triggers(self);
    traced_note_state(self);
    self->consumer = consumer;
    consumer->session = self;
    if (config->deferred_start || self->mode == TRACED_TRIGGER_START)
        traced_session_begin_sweep(self);
    else
        traced_session_start(self);
    *ret = self;
    return 0;
}

/* ---- a copy ---- */

/* Takes the buffers. */
static int adopt_buffers(struct traced_session *self, size_t num, struct traced_buffer **buffers)
{
    self->buffers = calloc(num ? num : 1, sizeof(*self->buffers));
    for (size_t i = 0; i < num; i++) {
        if (!self->buffers) {
            traced_buffer_free(buffers[i]);
            continue;
        }
        self->buffers[i] = (struct traced_session_buffer){
            .session = self, .buf = buffers[i], .index = (uint32_t)i};
        buffers[i]->owner = &self->buffers[i];
        self->buffers_num = i + 1;
    }
    return self->buffers ? 0 : -ENOMEM;
}

static void copy_state(struct traced_session *to, struct traced_session *from)
{
    to->state = TRACED_CLONED;
    to->mode = from->mode;
    to->duration_ms = from->duration_ms;
    to->start_realtime_ns = from->start_realtime_ns;
    to->uuid_lsb = from->uuid_lsb; /* the half that tells where a trace came from */
    to->flushes_requested = from->flushes_requested;
    to->flushes_succeeded = from->flushes_succeeded;
    to->flushes_failed = from->flushes_failed;
    to->final_flush = from->final_flush;
    traced_snapshots_copy(&to->snapshots, &from->snapshots);
    traced_triggers_move(from, to);
    to->stats_due = true;
    traced_note_state(to);
}

int traced_session_clone(struct traced_session *source, struct traced_consumer *consumer,
                         struct traced_buffer **buffers, int file_fd, struct traced_session **ret)
{
    struct orma_str bytes = orma_buf_str(&source->config_bytes);
    size_t buffers_num = source->buffers_num;
    ORMA_AUTO(orma_fd_close) int fd = file_fd;
    struct traced_session *self = NULL;
    ProtobufCMessage *msg;

    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);
    if (r == 0)
        self = session_alloc(source->service, (config_t *)msg, bytes, consumer->uid);
    if (!self) {
        for (size_t i = 0; i < buffers_num; i++)
            traced_buffer_free(buffers[i]);
        return -ENOMEM;
    }
    random_uuid(self);
    copy_state(self, source);
    r = adopt_buffers(self, buffers_num, buffers);
    if (r == 0 && (!traced_session_make_events(self) || self->config_bytes.failed))
        r = -ENOMEM;
    if (r == 0 && fd >= 0) {
        r = traced_session_open_clone(self, source, fd);
        fd = -1; /* taken */
    } else if (r == 0) {
        r = traced_session_open_squeezer(self);
    }
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    self->consumer = consumer;
    consumer->session = self;
    *ret = self;
    return 0;
}
