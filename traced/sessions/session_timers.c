/* See session_timers.h. Periodic timers are armed again by their own callbacks. */
#include "traced/sessions/session_timers.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "traced/producers/producer.h"
#include "traced/sessions/clear.h"
#include "traced/sessions/session.h"

#define SNAPSHOT_PERIOD_MS 10000
#define SLOW_START_MS 20000
#define FLUSH_PERIOD_MS 5000
/* Shorter periods are made this long: each costs every producer a message, or a read some rows. */
#define PERIOD_MIN_MS 50

/* ---- periodic work ---- */

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

    if (!s->output.into_file ||
        mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED)
        return at_least(s->config->flush_period_ms);
    return traced_session_output_flushes_before_write(s) ? 0 : FLUSH_PERIOD_MS;
}

static void on_snapshot_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    self->reader.sync_marker_due = true;
    self->reader.stats_due = true;
    traced_snapshots_add_clocks(&self->snapshots);
    traced_session_rescue_note(self);
    traced_loop_arm_periodic(self->timers.snapshot, snapshot_period_ms(self));
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
    traced_loop_arm_periodic(self->timers.flush, flush_period_ms(self));
    traced_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_PERIODIC, on_flushed, NULL);
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
    traced_loop_arm_periodic(self->timers.clear, clear_period_ms(self));
    traced_session_clear_all(self);
}

/* Of a ring: names are to be repeated each time that it has gone on by this share of its size. A
 * tree of processes may be larger than a small ring, and would call for the next repetition; where
 * the config has a period, it is repeated by that, and by the share of large rings only. */
#define REPEAT_SHARE 8
#define REPEAT_MIN ((uint64_t)1 << 20)

static bool is_due(const struct traced_buffer *buf, uint64_t last, uint64_t step, uint64_t first)
{
    uint64_t written = buf->stats.bytes_written;

    return written - buf->read_at > first && written - last > step;
}

void traced_session_note_rings(struct traced_session *self)
{
    if (self->state != TRACED_STARTED || self->output.file)
        return;
    for (uint32_t i = 0; i < self->buffers_num; i++) {
        struct traced_buffer *buf = self->buffers[i].buf;
        uint64_t step = buf->size / REPEAT_SHARE, long_step = ORMA_MAX(step, REPEAT_MIN);
        uint64_t first = ORMA_MIN(long_step, buf->size / 2);
        bool has_period = clear_period_ms(self) > 0;

        if (buf->policy != TRACED_RING)
            continue;
        if (is_due(buf, buf->repeat_at, step, first)) {
            buf->repeat_at = buf->stats.bytes_written;
            traced_session_clear_writers(self, i, false);
        }
        if (is_due(buf, buf->trees_at, has_period ? long_step : step,
                   has_period ? long_step : first)) {
            buf->trees_at = buf->stats.bytes_written;
            traced_session_clear_writers(self, i, true);
        }
    }
}

static void on_slow_start(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;
    struct orma_buf msg = {0};

    (void)fd;
    (void)what;
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances.list, session_link) {
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

/* ---- one-shot timers ---- */

static void on_duration(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;
    uint64_t count;

    (void)what;
    if (self->timers.duration_fd >= 0)
        (void)!read(fd, &count, sizeof(count)); /* only its being readable matters */
    self->timers.events->duration_over(self);
}

static void on_stop_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    self->timers.events->stop_over(self);
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    self->timers.events->look_due(self);
}

void traced_session_arm_duration(struct traced_session *self, uint32_t ms)
{
    struct itimerspec at = {.it_value = {ms / 1000, (long)(ms % 1000) * 1000000}};

    if (self->timers.duration_fd < 0) {
        traced_loop_arm(self->timers.duration, ms);
        return;
    }
    if (!ms)
        at.it_value.tv_nsec = 1;                                   /* 0 would stop it */
    (void)timerfd_settime(self->timers.duration_fd, 0, &at, NULL); /* valid by construction */
    event_add(self->timers.duration, NULL);
}

void traced_session_cancel_duration(struct traced_session *self)
{
    event_del(self->timers.duration);
}

void traced_session_arm_stop(struct traced_session *self, uint32_t ms)
{
    traced_loop_arm(self->timers.stop, ms);
}

/* ---- all of them ---- */

void traced_session_timers_start(struct traced_session *self)
{
    on_snapshot_timer(-1, 0, self);
    if (flush_period_ms(self))
        traced_loop_arm_periodic(self->timers.flush, flush_period_ms(self));
    if (clear_period_ms(self))
        traced_loop_arm_periodic(self->timers.clear, clear_period_ms(self));
    traced_loop_arm(self->timers.slow_start, SLOW_START_MS);
}

void traced_session_timers_stop(struct traced_session *self)
{
    struct traced_session_timers *t = &self->timers;
    struct event *all[] = {t->duration, t->stop,       t->snapshot, t->flush,
                           t->clear,    t->slow_start, t->look};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(all); i++)
        event_del(all[i]);
}

int traced_session_timers_init(struct traced_session *self,
                               const struct traced_timer_events *events)
{
    struct traced_session_timers *t = &self->timers;
    struct event_base *base = self->registry->loop->base;

    *t = (struct traced_session_timers){.events = events, .duration_fd = -1};
    if (self->config->prefer_suspend_clock_for_duration)
        t->duration_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    t->duration = event_new(base, t->duration_fd, t->duration_fd >= 0 ? EV_READ | EV_PERSIST : 0,
                            on_duration, self);
    t->stop = evtimer_new(base, on_stop_timeout, self);
    t->snapshot = evtimer_new(base, on_snapshot_timer, self);
    t->flush = evtimer_new(base, on_flush_timer, self);
    t->clear = evtimer_new(base, on_clear_timer, self);
    t->slow_start = evtimer_new(base, on_slow_start, self);
    t->look = evtimer_new(base, on_look, self);
    return t->duration && t->stop && t->snapshot && t->flush && t->clear && t->slow_start && t->look
               ? 0
               : -ENOMEM;
}

void traced_session_timers_fini(struct traced_session *self)
{
    struct traced_session_timers *t = &self->timers;
    struct event *all[] = {t->duration, t->stop,       t->snapshot, t->flush,
                           t->clear,    t->slow_start, t->look};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(all); i++)
        if (all[i])
            event_free(all[i]);
    if (t->events) /* otherwise 0 is no descriptor of ours */
        orma_fd_close(&t->duration_fd);
}
