/*
 * Order of making: the config is checked, then what it wants is made, and what
 * fails is undone by traced_session_free(), which accepts a session with any of
 * its parts missing. Nothing of it is visible to producers before
 * traced_session_begin().
 */
#include "traced/sessions/session_make.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "protos/pbc.h"
#include "sdk/base/assert.h"
#include "sdk/base/fd.h"
#include "traced/config/wanted.h"
#include "traced/sessions/session.h"

typedef Perfetto__Protos__TraceConfig config_t;

static int make_buffers(struct traced_session *self, struct orma_buf *error)
{
    const config_t *config = self->config;
    char names[2][TRACED_RESCUE_NAME_MAX];
    int r = 0;

    self->buffers = calloc(config->n_buffers ? config->n_buffers : 1, sizeof(*self->buffers));
    if (!self->buffers)
        r = -ENOMEM;
    for (size_t i = 0; i < config->n_buffers && r == 0; i++) {
        struct traced_target *target = &self->buffers[i];
        bool discard = config->buffers[i]->fill_policy ==
                       PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD;

        (void)snprintf(names[0], sizeof(names[0]), "s%" PRIu64 ".b%zu", self->id, i);
        (void)snprintf(names[1], sizeof(names[1]), "s%" PRIu64 ".q%zu", self->id, i);
        r = traced_buffer_new_in((size_t)config->buffers[i]->size_kb * 1024,
                                 discard ? TRACED_DISCARD : TRACED_RING, self->registry->rescue,
                                 names[0], names[1], &target->buf);
        if (r < 0)
            break;
        self->buffers_num = i + 1;
        target->group = &self->targets;
        target->buf->owner = target;
        r = traced_target_add(self->registry->producers, target);
        traced_buffer_note_target(target->buf, target->id);
    }
    if (r < 0)
        orma_buf_printf(error, "Failed to allocate tracing buffers: OOM or too many buffers");
    return r;
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

/* A session that wants to be alone ends all others. */
static void abort_others(struct traced_sessions *sessions, const config_t *config)
{
    struct orma_buf text = {0};

    if (!config->exclusive_prio)
        return;
    orma_buf_printf(&text, "Aborted due to user requested higher-priority (%u) exclusive session.",
                    config->exclusive_prio);
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link) {
        sessions->events->ended(s, orma_buf_cstr(&text));
        traced_session_free(s);
    }
    orma_buf_fini(&text);
}

static void apply_lockdown(struct traced_sessions *sessions, const config_t *config)
{
    if (config->lockdown_mode ==
        PERFETTO__PROTOS__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_SET)
        sessions->lockdown = true;
    else if (config->lockdown_mode ==
             PERFETTO__PROTOS__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_CLEAR)
        sessions->lockdown = false;
}

/* Takes the config. -ENOMEM. */
static int session_alloc(struct traced_sessions *sessions, config_t *config, struct orma_str bytes,
                         int32_t uid, struct traced_session **ret)
{
    struct traced_session *self = calloc(1, sizeof(*self));

    if (!self) {
        protobuf_c_message_free_unpacked(&config->base, NULL);
        return -ENOMEM;
    }
    self->registry = sessions;
    self->config = config;
    self->uid = uid;
    self->id = ++sessions->last_id;
    self->duration_ms = config->duration_ms;
    self->mode = traced_config_trigger_mode(config);
    self->snapshots.no_clocks =
        config->builtin_data_sources && config->builtin_data_sources->disable_clock_snapshotting;
    orma_list_insert(&sessions->list, &self->link);
    sessions->num++;
    orma_buf_put(&self->config_bytes, bytes.data, bytes.len);
    make_uuid(self);
    int r = traced_session_init_parts(self);
    if (r == 0 && self->config_bytes.failed)
        r = -ENOMEM;
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    *ret = self;
    return 0;
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

/* All that can be wrong with a config. */
static int check(const struct traced_sessions *sessions, const config_t *config, int32_t uid,
                 bool has_fd, struct traced_wanted **ret_wanted, struct orma_buf *error)
{
    int r = traced_config_check(config, error);

    if (r == 0)
        r = traced_admission_check(sessions, config, uid, error);
    if (r == 0)
        r = traced_config_check_output(config, has_fd, error);
    return r == 0 ? traced_wanted_new(config, ret_wanted, error) : r;
}

/* Of a session that has its config: what is needed to record. Takes fd in any case. */
static int equip(struct traced_session *self, int fd, struct orma_buf *error)
{
    int r = traced_session_output_open(self, fd, error);

    if (r == 0)
        r = make_buffers(self, error);
    if (r < 0)
        return r;
    traced_session_rescue_begin(self);
    r = traced_boost_update(self->registry);
    if (r < 0)
        orma_buf_printf(error, "Failed to set the priority boost: %s", strerror(-r));
    return r;
}

int traced_session_new(struct traced_sessions *sessions, struct orma_str bytes, int32_t uid,
                       int file_fd, struct traced_session **ret, struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = file_fd;
    struct traced_wanted *wanted = NULL;
    struct traced_session *self;
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r == -EILSEQ)
        orma_buf_put_str(error, "a string in the config (a path or a name) contains a zero byte");
    if (r < 0)
        return r;
    config_t *config = (config_t *)msg;
    apply_lockdown(sessions, config);
    r = check(sessions, config, uid, fd >= 0, &wanted, error);
    if (r < 0) {
        protobuf_c_message_free_unpacked(msg, NULL);
        return r;
    }
    abort_others(sessions, config);
    r = session_alloc(sessions, config, bytes, uid, &self);
    if (r < 0) {
        traced_wanted_free(wanted);
        return r;
    }
    self->wanted = wanted;
    r = equip(self, fd, error);
    fd = -1; /* taken */
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    traced_admission_note(&sessions->recent, config);
    *ret = self;
    return 0;
}

void traced_session_begin(struct traced_session *self, struct traced_consumer *consumer)
{
    ORMA_ASSERT(self->state == TRACED_CONFIGURED && !self->consumer); /* once */
    prepare_triggers(self);
    traced_session_note_state(self);
    self->consumer = consumer;
    if (self->config->deferred_start || self->mode == TRACED_TRIGGER_START)
        traced_instances_sweep(self);
    else
        traced_session_start(self);
    traced_session_rescue_note(self);
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
        self->buffers[i] = (struct traced_target){.buf = buffers[i], .group = &self->targets};
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
    to->uuid_lsb = from->uuid_lsb; /* the half that identifies the source */
    traced_flushes_copy_counts(&to->flushes, &from->flushes);
    traced_snapshots_copy(&to->snapshots, &from->snapshots);
    traced_incidents_copy(to, from);
    traced_triggers_move(from, to);
    to->reader.stats_due = true;
    traced_session_note_state(to);
}

int traced_session_clone(struct traced_session *source, int32_t uid, struct traced_buffer **buffers,
                         int file_fd, struct traced_session **ret)
{
    struct orma_str bytes = orma_buf_str(&source->config_bytes);
    size_t buffers_num = source->buffers_num;
    ORMA_AUTO(orma_fd_close) int fd = file_fd;
    struct traced_session *self;
    ProtobufCMessage *msg;

    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);
    if (r == 0)
        r = session_alloc(source->registry, (config_t *)msg, bytes, uid, &self);
    if (r < 0) {
        for (size_t i = 0; i < buffers_num; i++)
            traced_buffer_free(buffers[i]);
        return -ENOMEM;
    }
    random_uuid(self);
    copy_state(self, source);
    r = adopt_buffers(self, buffers_num, buffers);
    if (r == 0) {
        r = traced_session_output_open_clone(self, source, fd);
        fd = -1; /* taken */
    }
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    *ret = self;
    return 0;
}

/* ---- what a dead service has left ---- */

/* Sequences keep their ids; further ones get others. */
static void take_sequence_ids(struct traced_session *self, const struct traced_buffer *buf)
{
    ORMA_LIST_EACH (struct traced_seq, seq, (struct orma_list *)&buf->seqs, link) {
        if (!seq->sequence_id)
            continue;
        (void)orma_map_put(&self->targets.sequence_ids,
                           (uint64_t)seq->producer_id << 16 | seq->writer_id, seq->sequence_id);
        self->targets.last_sequence_id = ORMA_MAX(self->targets.last_sequence_id, seq->sequence_id);
    }
}

int traced_session_recover(struct traced_sessions *sessions, struct orma_str config, int32_t uid,
                           struct traced_buffer **buffers, size_t buffers_num,
                           struct orma_str incidents, struct traced_session **ret)
{
    struct traced_session *self;
    ProtobufCMessage *msg;

    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, config, &msg);
    if (r == 0)
        r = session_alloc(sessions, (config_t *)msg, config, uid, &self);
    if (r < 0) {
        for (size_t i = 0; i < buffers_num; i++)
            traced_buffer_free(buffers[i]);
        return r == -ENOMEM ? r : -EBADMSG;
    }
    self->state = TRACED_CLONED;
    self->reader.head_emitted = self->reader.initial_emitted = true;
    self->reader.sync_marker_due = self->reader.stats_due = true;
    memset(self->incidents.offered, 0xff, sizeof(self->incidents.offered)); /* it is not known */
    orma_buf_put(&self->incidents.list, incidents.data, incidents.len);
    r = adopt_buffers(self, buffers_num, buffers);
    for (size_t i = 0; i < self->buffers_num && r == 0; i++)
        take_sequence_ids(self, self->buffers[i].buf);
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    *ret = self;
    return 0;
}
