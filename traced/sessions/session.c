#include "traced/sessions/session_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "protos/pbc.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/config.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/sessions/read.h"

#define STOP_TIMEOUT_MS 5000
#define SNAPSHOT_PERIOD_MS 10000
#define SLOW_START_MS 20000
#define FLUSH_PERIOD_MS 5000
/* Shorter periods are made this long: each costs every producer a message, or a read some rows. */
#define PERIOD_MIN_MS 50

typedef Perfetto__Protos__TraceConfig config_t;

/* ---- timers ---- */

void traced_arm(struct event *timer, uint32_t ms)
{
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    event_add(timer, &wait);
}

void traced_arm_periodic(struct event *timer, uint32_t period_ms)
{
    uint64_t now_ms = orma_clock_now(ORMA_CLOCK_REALTIME) / 1000000;

    traced_arm(timer, period_ms - (uint32_t)(now_ms % period_ms));
}

static uint32_t at_least(uint32_t ms)
{
    return ms ? ORMA_MAX(ms, (uint32_t)PERIOD_MIN_MS) : 0;
}

static uint32_t snapshot_period_ms(const struct traced_session *s)
{
    uint32_t ms =
        s->config->builtin_data_sources ? s->config->builtin_data_sources->snapshot_interval_ms : 0;

    return ms ? at_least(ms) : SNAPSHOT_PERIOD_MS;
}

/* 0: none. */
static uint32_t flush_period_ms(const struct traced_session *s)
{
    int mode = (int)s->config->write_flush_mode;

    if (!s->into_file ||
        mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED)
        return at_least(s->config->flush_period_ms);
    return traced_session_flushes_before_write(s) ? 0 : FLUSH_PERIOD_MS;
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
    traced_arm_periodic(self->snapshot_timer, snapshot_period_ms(self));
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
    traced_arm_periodic(self->flush_timer, flush_period_ms(self));
    traced_session_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_PERIODIC, on_flushed, NULL);
}

/* Tells producers to forget their incremental state, so that a ring stays readable. */
static void send_clear(struct traced_session *self, struct traced_producer *p)
{
    struct orma_buf body = {0};

    ORMA_LIST_EACH (struct traced_instance, inst, &p->instances, producer_link)
        if (inst->session == self && inst->handles_incremental_state_clear)
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
               ? at_least(self->config->incremental_state_config->clear_period_ms)
               : 0;
}

static void on_clear_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    traced_arm_periodic(self->clear_timer, clear_period_ms(self));
    ORMA_LIST_EACH (struct traced_producer, p, &self->service->producers, link)
        send_clear(self, p);
}

/* ---- start and stop ---- */

void traced_session_check_started(struct traced_session *self)
{
    if (self->all_started_told || self->state != TRACED_STARTED || self->sweep_at)
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
    if (self->freeing)
        return;
    self->final_flush = ok ? TRACED_FLUSH_OK : TRACED_FLUSH_FAILED;
    if (self->detach_key)
        traced_session_release(self); /* nobody will come for it */
    else
        traced_session_disable(self);
}

static void on_duration(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;
    uint64_t count;

    (void)what;
    if (self->duration_fd >= 0)
        (void)!read(fd, &count, sizeof(count)); /* only its being readable matters */
    if (self->state == TRACED_CONFIGURED)       /* the trigger that was to start it has not come */
        traced_session_disable(self);
    else
        traced_session_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_STOP, on_final_flush, NULL);
}

void traced_session_set_duration(struct traced_session *self, uint32_t ms)
{
    traced_session_forget_configs(self);
    self->config->duration_ms = ms;
    self->config->has_duration_ms = true;
    orma_pb_put_u64(&self->config_bytes, ORMA_PB_TRACE_CONFIG_DURATION_MS,
                    ms); /* the last counts */
}

void traced_session_arm_duration(struct traced_session *self, uint32_t ms)
{
    struct itimerspec at = {.it_value = {ms / 1000, (long)(ms % 1000) * 1000000}};

    if (self->duration_fd < 0) {
        traced_arm(self->duration_timer, ms);
        return;
    }
    if (!ms)
        at.it_value.tv_nsec = 1;                            /* 0 would stop it */
    (void)timerfd_settime(self->duration_fd, 0, &at, NULL); /* valid by construction */
    event_add(self->duration_timer, NULL);
}

void traced_session_cancel_duration(struct traced_session *self)
{
    event_del(self->duration_timer);
}

void traced_session_start(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED)
        return;
    self->state = TRACED_STARTED;
    traced_note_state(self);
    self->start_realtime_ns = orma_clock_now(ORMA_CLOCK_REALTIME);
    self->snapshots.initial = traced_clocks_now();
    self->snapshots.has_initial = true;
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED, 1,
                               NULL);
    on_snapshot_timer(-1, 0, self);
    if (self->config->duration_ms)
        traced_session_arm_duration(self, self->config->duration_ms);
    if (self->file)
        traced_arm_periodic(self->write_timer, traced_session_write_period_ms(self));
    if (flush_period_ms(self))
        traced_arm_periodic(self->flush_timer, flush_period_ms(self));
    if (clear_period_ms(self))
        traced_arm_periodic(self->clear_timer, clear_period_ms(self));
    traced_arm(self->slow_start_timer, SLOW_START_MS);
    traced_session_begin_sweep(self); /* starts those that are set up already */
}

static void stop_timers(struct traced_session *self)
{
    traced_session_cancel_duration(self);
    event_del(self->stop_timer);
    event_del(self->snapshot_timer);
    event_del(self->flush_timer);
    event_del(self->clear_timer);
    event_del(self->write_timer);
    event_del(self->slow_start_timer);
}

/* Who has not said that it has stopped would have reported before. */
static void lose_reports(struct traced_session *self)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link) {
        if (inst->state == TRACED_INSTANCE_STOPPED || inst->state == TRACED_INSTANCE_CONFIGURED)
            continue;
        ORMA_LIST_EACH (struct traced_seq, seq, &inst->producer->seqs, producer_link) {
            const struct traced_session_buffer *sb = seq->buf->owner;

            if (sb->session == self)
                traced_seq_lose_report(seq);
        }
    }
}

/* What producers have handed over is in the buffers. */
void traced_session_disabled(struct traced_session *self)
{
    traced_gather_cancel(&self->end);
    self->state = TRACED_DISABLED;
    traced_note_state(self);
    stop_timers(self);
    lose_reports(self);
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_buffer_settle(self->buffers[i].buf);
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED, 1,
                               NULL);
    traced_session_snapshot_clocks(self);
    self->stats_due = true;
    if (self->file)
        traced_session_start_writing(self); /* the end is told when the file is complete */
    else
        traced_session_tell_end(self);
    if (self->consumer)
        traced_consumer_pump(self->consumer); /* it may have been asked to read meanwhile */
}

static void on_gathered(struct traced_gather_wait *wait)
{
    traced_session_disabled(ORMA_CONTAINER_OF(wait, struct traced_session, end));
}

/* All data sources have stopped, or have had their time. */
void traced_session_stopped(struct traced_session *self)
{
    if (traced_gather_waits(&self->end))
        return;
    event_del(self->stop_timer);
    self->end.fn = on_gathered;
    traced_gather_begin(&self->gather, &self->end);
}

bool traced_session_is_ending(const struct traced_session *self)
{
    return traced_gather_waits(&self->end);
}

void traced_session_check_stopped(struct traced_session *self)
{
    if (self->state != TRACED_STOPPING)
        return;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        if (inst->state != TRACED_INSTANCE_STOPPED)
            return;
    traced_session_stopped(self);
}

static void on_stop_timeout(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    traced_session_stopped(arg);
}

void traced_session_disable(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED && self->state != TRACED_STARTED)
        return;
    bool was_started = self->state == TRACED_STARTED;
    self->state = TRACED_STOPPING;
    traced_note_state(self);
    traced_session_cancel_duration(self);
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, session_link)
        traced_instance_stop(inst);
    if (!was_started) {
        traced_session_disabled(self);
        return;
    }
    traced_arm(self->stop_timer, traced_session_stop_timeout_ms(self));
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

/* ---- events ---- */

bool traced_session_make_events(struct traced_session *self)
{
    struct event_base *base = self->service->base;

    if (self->config->prefer_suspend_clock_for_duration)
        self->duration_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    self->duration_timer =
        event_new(base, self->duration_fd, self->duration_fd >= 0 ? EV_READ | EV_PERSIST : 0,
                  on_duration, self);
    self->stop_timer = evtimer_new(base, on_stop_timeout, self);
    self->snapshot_timer = evtimer_new(base, on_snapshot_timer, self);
    self->flush_timer = evtimer_new(base, on_flush_timer, self);
    self->clear_timer = evtimer_new(base, on_clear_timer, self);
    self->slow_start_timer = evtimer_new(base, on_slow_start, self);
    return traced_session_make_file_events(self) && self->duration_timer && self->stop_timer &&
           self->snapshot_timer && self->flush_timer && self->clear_timer && self->slow_start_timer;
}

void traced_session_free_events(struct traced_session *self)
{
    struct event *all[] = {self->duration_timer,  self->stop_timer,  self->snapshot_timer,
                           self->flush_timer,     self->clear_timer, self->write_timer,
                           self->slow_start_timer};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(all); i++)
        if (all[i])
            event_free(all[i]);
    traced_work_cancel(&self->read_work);
    orma_fd_close(&self->duration_fd);
}
