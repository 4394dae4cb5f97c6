#include "traced/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "protos/pbc.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"
#include "traced/commit.h"
#include "traced/config.h"
#include "traced/consumer.h"
#include "traced/file.h"
#include "traced/internal.h"
#include "traced/producer.h"
#include "traced/read.h"

#define STOP_TIMEOUT_MS 5000
#define SNAPSHOT_PERIOD_MS 10000
#define SLOW_START_MS 20000
#define WRITE_PERIOD_MS 5000
#define WRITE_PERIOD_MIN_MS 100
#define FLUSH_PERIOD_MS 5000
/* What one turn of the loop reads for a file. */
#define FILE_BATCH ((size_t)1 << 20)

typedef Perfetto__Protos__TraceConfig config_t;

/* ---- timers ---- */

static void arm(struct event *timer, uint32_t ms)
{
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    event_add(timer, &wait);
}

/* At the next multiple of the period by the wall clock, so that sessions and machines agree. */
static void arm_periodic(struct event *timer, uint32_t period_ms)
{
    uint64_t now_ms = orma_clock_now(ORMA_CLOCK_REALTIME) / 1000000;

    arm(timer, period_ms - (uint32_t)(now_ms % period_ms));
}

static uint32_t snapshot_period_ms(const struct traced_session *s)
{
    uint32_t ms =
        s->config->builtin_data_sources ? s->config->builtin_data_sources->snapshot_interval_ms : 0;

    return ms ? ms : SNAPSHOT_PERIOD_MS;
}

static uint32_t write_period_ms(const struct traced_session *s)
{
    uint32_t ms = s->config->file_write_period_ms;

    return ms ? ORMA_MAX(ms, WRITE_PERIOD_MIN_MS) : WRITE_PERIOD_MS;
}

static bool flushes_before_write(const struct traced_session *s)
{
    int mode = (int)s->config->write_flush_mode;

    if (mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_ENABLED)
        return true;
    return mode != PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED &&
           write_period_ms(s) > FLUSH_PERIOD_MS;
}

/* 0: none. */
static uint32_t flush_period_ms(const struct traced_session *s)
{
    int mode = (int)s->config->write_flush_mode;

    if (!s->into_file ||
        mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED)
        return s->config->flush_period_ms;
    return flushes_before_write(s) ? 0 : FLUSH_PERIOD_MS;
}

uint32_t traced_session_stop_timeout_ms(const struct traced_session *self)
{
    return self->config->data_source_stop_timeout_ms ? self->config->data_source_stop_timeout_ms
                                                     : STOP_TIMEOUT_MS;
}

void traced_session_snapshot_clocks(struct traced_session *self)
{
    if (!self->config->builtin_data_sources ||
        !self->config->builtin_data_sources->disable_clock_snapshotting)
        traced_snapshots_add_clocks(&self->snapshots);
}

static void on_snapshot_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    self->sync_marker_due = true;
    self->stats_due = true;
    traced_session_snapshot_clocks(self);
    arm_periodic(self->snapshot_timer, snapshot_period_ms(self));
}

/* ---- the file ---- */

static void ended(struct traced_session *self, const char *error)
{
    struct traced_consumer *consumer = self->consumer;

    if (consumer)
        traced_consumer_session_ended(consumer, error);
}

static void on_file_progress(void *ctx, bool done, int error)
{
    struct traced_session *self = ctx;

    if (done || error)
        traced_session_file_done(self, error);
    else
        arm(self->read_event, 0);
}

void traced_session_file_done(struct traced_session *self, int error)
{
    traced_file_free(self->file, false);
    self->file = NULL;
    event_del(self->write_timer);
    if (error && !self->file_error) {
        self->file_error = error;
        orma_log_error("session %llu: the trace file can't be written: %s",
                       (unsigned long long)self->id, strerror(-error));
    }
    if (self->orphan)
        traced_session_free(self);
    else if (self->state == TRACED_DISABLED)
        traced_session_tell_end(self);
    else
        traced_session_disable(self);
}

void traced_session_tell_end(struct traced_session *self)
{
    struct orma_buf text = {0};

    if (self->file_error) {
        orma_buf_printf(&text, "Failed to write into the trace file: %s",
                        strerror(-self->file_error));
        ended(self, orma_buf_cstr(&text));
    } else {
        ended(self, NULL);
    }
    orma_buf_fini(&text);
}

/* How many bytes may still go into the file. */
static uint64_t file_room(const struct traced_session *self)
{
    uint64_t max = self->config->max_file_size_bytes;

    return max ? max - ORMA_MIN(max, self->file_bytes) : UINT64_MAX;
}

/* One batch into the file; again at the next turn of the loop while there is more. */
static void write_some(struct traced_session *self)
{
    if (!self->file || traced_file_is_full(self->file))
        return; /* on_file_progress() comes when there is room */
    struct orma_buf block = traced_file_spare(self->file);
    int r = traced_read(self, &block, FILE_BATCH, file_room(self));
    self->file_bytes += block.len;
    if (block.len)
        traced_file_write(self->file, &block);
    orma_buf_fini(&block);
    if (r == 1) {
        arm(self->read_event, 0);
        return;
    }
    bool last = self->state == TRACED_DISABLED || r == -EFBIG;
    if (last)
        traced_file_finish(self->file);
    self->reading = false;
}

static void on_read(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    write_some(arg);
}

static void start_writing(struct traced_session *self)
{
    if (!self->file || self->reading)
        return;
    self->reading = true;
    arm(self->read_event, 0);
}

static void on_flushed_for_write(struct traced_session *self, bool ok, void *ctx)
{
    (void)ok;
    (void)ctx;
    start_writing(self);
}

static void on_write_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    arm_periodic(self->write_timer, write_period_ms(self));
    if (flushes_before_write(self))
        traced_session_flush(self, 0, TRACED_FLUSH_PERIODIC, on_flushed_for_write, NULL);
    else
        start_writing(self);
}

static void on_flushed(struct traced_session *self, bool ok, void *ctx)
{
    (void)self;
    (void)ok;
    (void)ctx;
}

static void on_flush_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    arm_periodic(self->flush_timer, flush_period_ms(self));
    traced_session_flush(self, 0, TRACED_FLUSH_PERIODIC, on_flushed, NULL);
}

/* Tells producers to forget their incremental state, so that a ring stays readable. */
static void send_clear(struct traced_session *self, struct traced_producer *p)
{
    struct orma_buf body = {0};

    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        if (inst->producer == p && inst->handles_incremental_state_clear)
            orma_pb_put_u64(
                &body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE_DATA_SOURCE_IDS,
                inst->id);
    if (body.len)
        (void)traced_producer_command_field(
            p, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE,
            &body); /* too many for one message: they just go on as they were */
    orma_buf_fini(&body);
}

static uint32_t clear_period_ms(const struct traced_session *self)
{
    return self->config->incremental_state_config
               ? self->config->incremental_state_config->clear_period_ms
               : 0;
}

static void on_clear_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    arm_periodic(self->clear_timer, clear_period_ms(self));
    ORMA_LIST_EACH (struct traced_producer, p, &self->service->producers, link)
        send_clear(self, p);
}

static int open_output(struct traced_session *self, int fd, struct orma_buf *error)
{
    const char *path = self->config->output_path;

    self->into_file = self->config->write_into_file;
    if (!self->into_file) {
        orma_fd_close(&fd);
        return 0;
    }
    if (path && *path) {
        orma_fd_close(&fd);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0) {
            orma_buf_printf(error, "Failed to create the trace file %s", path);
            return -EINVAL;
        }
    }
    bool sync = self->config->fflush_post_write ==
                PERFETTO__PROTOS__TRACE_CONFIG__FFLUSH_MODE__FFLUSH_ENABLED;
    int r = traced_file_new(self->service->base, fd, sync, on_file_progress, self, &self->file);
    if (r < 0)
        orma_buf_printf(error, "Failed to start writing the trace file: %s", strerror(-r));
    return r;
}

/* ---- start and stop ---- */

void traced_session_check_started(struct traced_session *self)
{
    if (self->all_started_told || self->state != TRACED_STARTED)
        return;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        if (inst->state != TRACED_INSTANCE_STARTED)
            return;
    self->all_started_told = true;
    event_del(self->slow_start_timer);
    traced_snapshots_add_event(&self->snapshots,
                               ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_STARTED, 1, NULL);
    traced_consumer_all_started(self);
}

static void on_slow_start(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;
    struct orma_buf msg = {0};

    (void)fd;
    (void)what;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link) {
        if (inst->state == TRACED_INSTANCE_STARTED)
            continue;
        size_t ds = orma_pb_begin(&msg, ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE);
        orma_pb_put_cstr(&msg, ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_PRODUCER_NAME,
                         inst->producer->name);
        orma_pb_put_cstr(&msg,
                         ORMA_PB_TRACING_SERVICE_EVENT_DATA_SOURCES_DATA_SOURCE_DATA_SOURCE_NAME,
                         inst->name);
        orma_pb_end(&msg, ds);
    }
    traced_snapshots_add_event(&self->snapshots,
                               ORMA_PB_TRACING_SERVICE_EVENT_SLOW_STARTING_DATA_SOURCES, 0, &msg);
    orma_buf_fini(&msg);
}

/* The end of a duration: flush, then disable. */
static void on_final_flush(struct traced_session *self, bool ok, void *ctx)
{
    (void)ctx;
    self->final_flush = ok ? TRACED_FLUSH_OK : TRACED_FLUSH_FAILED;
    traced_session_disable(self);
}

static void on_duration(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    traced_session_flush(arg, 0, TRACED_FLUSH_STOP, on_final_flush, NULL);
}

void traced_session_start(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED)
        return;
    self->state = TRACED_STARTED;
    self->start_realtime_ns = orma_clock_now(ORMA_CLOCK_REALTIME);
    self->snapshots.initial = traced_clocks_now();
    self->snapshots.has_initial = true;
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED, 1,
                               NULL);
    on_snapshot_timer(-1, 0, self);
    if (self->config->duration_ms)
        arm(self->duration_timer, self->config->duration_ms);
    if (self->file)
        arm_periodic(self->write_timer, write_period_ms(self));
    if (flush_period_ms(self))
        arm_periodic(self->flush_timer, flush_period_ms(self));
    if (clear_period_ms(self))
        arm_periodic(self->clear_timer, clear_period_ms(self));
    arm(self->slow_start_timer, SLOW_START_MS);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        traced_instance_start(inst);
    traced_session_check_started(self);
}

static void stop_timers(struct traced_session *self)
{
    event_del(self->duration_timer);
    event_del(self->stop_timer);
    event_del(self->snapshot_timer);
    event_del(self->flush_timer);
    event_del(self->clear_timer);
    event_del(self->write_timer);
    event_del(self->slow_start_timer);
}

/* All data sources have stopped, or have had their time. */
static void disabled(struct traced_session *self)
{
    self->state = TRACED_DISABLED;
    stop_timers(self);
    ORMA_LIST_EACH (struct traced_producer, p, &self->service->producers, link)
        if (p->scraping)
            traced_scrape(p, self);
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_buffer_settle(self->buffers[i].buf);
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED, 1,
                               NULL);
    traced_session_snapshot_clocks(self);
    self->stats_due = true;
    if (self->file)
        start_writing(self); /* the end is told when the file is complete */
    else
        traced_session_tell_end(self);
}

void traced_session_check_stopped(struct traced_session *self)
{
    if (self->state != TRACED_STOPPING)
        return;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        if (inst->state != TRACED_INSTANCE_STOPPED)
            return;
    disabled(self);
}

static void on_stop_timeout(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    disabled(arg);
}

void traced_session_disable(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED && self->state != TRACED_STARTED)
        return;
    bool was_started = self->state == TRACED_STARTED;
    self->state = TRACED_STOPPING;
    event_del(self->duration_timer);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        traced_instance_stop(inst);
    if (!was_started) {
        disabled(self);
        return;
    }
    arm(self->stop_timer, traced_session_stop_timeout_ms(self));
    traced_session_check_stopped(self);
}

/* ---- sequences ---- */

void traced_session_name_seq(struct traced_session *self, struct traced_producer *producer,
                             struct traced_seq *seq)
{
    uint64_t key = (uint64_t)producer->id << 16 | seq->writer_id;
    uint64_t id = orma_map_get(&self->sequence_ids, key);
    struct orma_buf trailer = {0};

    if (id == ORMA_MAP_NONE) {
        id = ++self->last_sequence_id;
        (void)orma_map_put(&self->sequence_ids, key, id); /* no memory: it gets another one later */
    }
    seq->sequence_id = (uint32_t)id;
    orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_UID, (uint64_t)(int64_t)producer->uid);
    orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, id);
    if (producer->pid)
        orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_PID,
                        (uint64_t)(int64_t)producer->pid);
    if (!traced_producer_is_local(producer))
        orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_MACHINE_ID, producer->conn->machine_id);
    if (!trailer.failed && trailer.len <= sizeof(seq->trailer)) {
        memcpy(seq->trailer, trailer.data, trailer.len);
        seq->trailer_len = (uint8_t)trailer.len;
    }
    orma_buf_fini(&trailer);
    orma_list_insert(&producer->seqs, &seq->producer_link);
}

/* ---- life ---- */

static void free_event(struct event *ev)
{
    if (ev)
        event_free(ev);
}

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

static void free_buffers(struct traced_session *self)
{
    for (size_t i = 0; i < self->buffers_num; i++) {
        struct traced_session_buffer *sb = &self->buffers[i];

        if (orma_map_get_ptr(&self->service->buffers_by_id, sb->id) == sb)
            orma_map_take(&self->service->buffers_by_id, sb->id);
        ORMA_LIST_EACH (struct traced_producer, p, &self->service->producers, link)
            orma_map_take(&p->targets, sb->id);
        traced_buffer_free(sb->buf);
    }
    free(self->buffers);
}

void traced_session_free(struct traced_session *self)
{
    if (!self)
        return;
    if (self->consumer)
        self->consumer->session = NULL;
    self->consumer = NULL;
    self->state = TRACED_CLONED; /* nothing below may start something again */
    traced_flush_cancel_all(self);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link) {
        traced_instance_stop(inst);
        traced_instance_free(inst);
    }
    orma_list_remove(&self->link);
    self->service->sessions_num--;
    free_event(self->duration_timer);
    free_event(self->stop_timer);
    free_event(self->snapshot_timer);
    free_event(self->flush_timer);
    free_event(self->clear_timer);
    free_event(self->write_timer);
    free_event(self->slow_start_timer);
    free_event(self->read_event);
    traced_file_free(self->file, false);
    free_buffers(self);
    orma_map_fini(&self->sequence_ids);
    traced_snapshots_fini(&self->snapshots);
    orma_buf_fini(&self->config_bytes);
    if (self->config)
        protobuf_c_message_free_unpacked(&self->config->base, NULL);
    free(self);
}

void traced_session_release(struct traced_session *self)
{
    traced_flush_cancel_all(self);
    if (self->consumer)
        self->consumer->session = NULL;
    self->consumer = NULL;
    if (!self->file) {
        traced_session_free(self);
        return;
    }
    /* The file gets what there is; nobody is waited for. */
    self->orphan = true;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        traced_instance_stop(inst);
    if (self->state != TRACED_DISABLED)
        disabled(self);
}

void traced_session_finish_now(struct traced_session *self)
{
    if (self->file && !self->file_error) {
        struct orma_buf block = {0};

        traced_flush_cancel_all(self);
        if (self->state != TRACED_DISABLED)
            disabled(self);
        while (self->file && traced_read(self, &block, FILE_BATCH, file_room(self)) == 1) {
            self->file_bytes += block.len;
            traced_file_write(self->file, &block);
        }
        if (self->file && block.len)
            traced_file_write(self->file, &block);
        orma_buf_fini(&block);
        traced_file_free(self->file, true);
        self->file = NULL;
    }
    traced_session_free(self);
}

static bool make_events(struct traced_session *self)
{
    struct event_base *base = self->service->base;

    self->duration_timer = evtimer_new(base, on_duration, self);
    self->stop_timer = evtimer_new(base, on_stop_timeout, self);
    self->snapshot_timer = evtimer_new(base, on_snapshot_timer, self);
    self->flush_timer = evtimer_new(base, on_flush_timer, self);
    self->clear_timer = evtimer_new(base, on_clear_timer, self);
    self->write_timer = evtimer_new(base, on_write_timer, self);
    self->slow_start_timer = evtimer_new(base, on_slow_start, self);
    self->read_event = evtimer_new(base, on_read, self);
    return self->duration_timer && self->stop_timer && self->snapshot_timer && self->flush_timer &&
           self->clear_timer && self->write_timer && self->slow_start_timer && self->read_event;
}

/* The config's uuid, or a random one (version 4). */
static void make_uuid(struct traced_session *self)
{
    uint8_t bytes[16] = {0};

    self->uuid_msb = self->config->trace_uuid_msb;
    self->uuid_lsb = self->config->trace_uuid_lsb;
    if (self->uuid_msb || self->uuid_lsb)
        return;
    (void)!getrandom(bytes, sizeof(bytes), 0); /* 16 bytes are never cut short */
    memcpy(&self->uuid_msb, bytes, 8);
    memcpy(&self->uuid_lsb, bytes + 8, 8);
    self->uuid_msb = (int64_t)(((uint64_t)self->uuid_msb & ~UINT64_C(0xf000)) | 0x4000);
    self->uuid_lsb =
        (int64_t)(((uint64_t)self->uuid_lsb & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62);
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
    self->duration_ms = config->duration_ms;
    orma_list_init(&self->instances);
    orma_list_init(&self->flushes);
    orma_list_insert(&svc->sessions, &self->link);
    svc->sessions_num++;
    orma_buf_put(&self->config_bytes, bytes.data, bytes.len);
    make_uuid(self);
    return self;
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
    r = traced_config_check(service, config, consumer->uid, fd >= 0, error);
    if (r < 0) {
        protobuf_c_message_free_unpacked(msg, NULL);
        return r;
    }
    abort_others(service, config);

    struct traced_session *self = session_alloc(service, config, bytes, consumer->uid);
    if (!self)
        return -ENOMEM;
    r = make_events(self) && !self->config_bytes.failed ? 0 : -ENOMEM;
    if (r == 0) {
        r = open_output(self, fd, error);
        fd = -1; /* taken */
    }
    if (r == 0)
        r = make_buffers(self, error);
    if (r < 0) {
        traced_session_free(self);
        return r;
    }
    note_recent(service, config);
    self->consumer = consumer;
    consumer->session = self;
    ORMA_LIST_EACH (struct traced_producer, p, &service->producers, link)
        ORMA_LIST_EACH (struct traced_data_source, ds, &p->data_sources, link)
            traced_session_match(self, ds);
    if (!config->deferred_start && traced_config_trigger_mode(config) != TRACED_TRIGGER_START)
        traced_session_start(self);
    *ret = self;
    return 0;
}
