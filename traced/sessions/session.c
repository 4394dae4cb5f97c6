/*
 * The states of a session (picture in session.h), and its end.
 *
 * disable: data sources are told to stop ──► all stopped, or too late ──► a round
 * of gathering ──► end: buffers are settled, the file gets the rest ──► its end is
 * reported. release and free skip the waiting; what was asked for fails.
 *
 * What its parts report (instances, timers, output) arrives at the functions
 * that begin with on_.
 */
#include "traced/sessions/session.h"

#include <stdlib.h>

#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/wanted.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/sessions/awaited.h"
#include "traced/sessions/boost.h"

/* ---- start ---- */

static void on_all_started(struct traced_session *self)
{
    event_del(self->timers.slow_start);
    traced_snapshots_add_event(&self->snapshots,
                               ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_STARTED, 1, NULL);
    self->registry->events->started(self);
}

void traced_session_set_duration(struct traced_session *self, uint32_t ms)
{
    traced_instances_forget_configs(self);
    self->config->duration_ms = ms;
    self->config->has_duration_ms = true;
    orma_pb_put_u64(&self->config_bytes, ORMA_PB_TRACE_CONFIG_DURATION_MS,
                    ms); /* the last counts */
}

void traced_session_start(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED)
        return;
    self->state = TRACED_STARTED;
    traced_session_note_state(self);
    self->start_realtime_ns = orma_clock_now(ORMA_CLOCK_REALTIME);
    self->snapshots.initial = traced_clocks_now();
    self->snapshots.has_initial = true;
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED, 1,
                               NULL);
    traced_session_timers_start(self);
    if (self->config->duration_ms)
        traced_session_arm_duration(self, self->config->duration_ms);
    traced_session_output_start_timer(self);
    traced_session_rescue_note(self);
    traced_instances_sweep(self); /* starts those that are set up already */
}

/* ---- end ---- */

/* Who has not said that it has stopped would have reported before. */
static void lose_reports(struct traced_session *self)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances.list, session_link) {
        if (inst->state == TRACED_INSTANCE_STOPPED || inst->state == TRACED_INSTANCE_CONFIGURED)
            continue;
        ORMA_LIST_EACH (struct traced_seq, seq, &inst->producer->seqs, producer_link) {
            const struct traced_target *target = seq->buf->owner;

            if (target->group == &self->targets)
                traced_seq_lose_report(seq);
        }
    }
}

void traced_session_end(struct traced_session *self)
{
    ORMA_ASSERT(!traced_session_is_over(self));
    traced_gather_cancel(&self->end);
    self->state = TRACED_DISABLED;
    traced_session_note_state(self);
    traced_session_timers_stop(self);
    event_del(self->output.write_timer);
    traced_incidents_note_end(self);
    lose_reports(self);
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_buffer_settle(self->buffers[i].buf);
    traced_snapshots_add_event(&self->snapshots, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED, 1,
                               NULL);
    traced_snapshots_add_clocks(&self->snapshots);
    self->reader.stats_due = true;
    if (self->output.file)
        traced_session_output_start_writing(
            self); /* the end is reported when the file is complete */
    else
        traced_session_output_report_end(self);
    self->registry->events->readable(self); /* it may have been asked to read meanwhile */
}

static void on_gathered(struct traced_gather_wait *wait)
{
    traced_session_end(ORMA_CONTAINER_OF(wait, struct traced_session, end));
}

/* All data sources have stopped, or have had their time. */
static void on_stopped(struct traced_session *self)
{
    ORMA_ASSERT(self->state == TRACED_STOPPING);
    if (traced_session_is_ending(self))
        return;
    event_del(self->timers.stop);
    self->end.fn = on_gathered;
    traced_gather_begin(&self->gather, &self->end);
}

void traced_session_disable(struct traced_session *self)
{
    if (self->state != TRACED_CONFIGURED && self->state != TRACED_STARTED)
        return;
    bool was_started = self->state == TRACED_STARTED;
    self->state = TRACED_STOPPING;
    traced_session_note_state(self);
    traced_session_cancel_duration(self);
    traced_incidents_note_end_asked(self);
    traced_instances_stop_all(self);
    if (!was_started) {
        traced_session_end(self);
        return;
    }
    traced_session_arm_stop(self, traced_instances_stop_timeout_ms(self));
    traced_awaited_stopping(self);
    traced_instances_check_stopped(self);
}

/* The end of a duration: flush, then disable. */
static void on_final_flush(struct traced_session *self, bool ok, void *ctx)
{
    (void)ctx;
    if (self->freeing)
        return;
    self->flushes.final = ok ? TRACED_FLUSH_OK : TRACED_FLUSH_FAILED;
    if (self->detach_key)
        traced_session_release(self); /* nobody will come for it */
    else
        traced_session_disable(self);
}

static void on_duration_over(struct traced_session *self)
{
    if (self->state == TRACED_CONFIGURED) /* the trigger that was to start it has not come */
        traced_session_disable(self);
    else
        traced_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_STOP, on_final_flush, NULL);
}

/* The file is closed. */
static void on_output_done(struct traced_session *self)
{
    if (self->output.orphan)
        traced_session_free(self);
    else if (self->state == TRACED_CLONED)
        self->registry->events->clone_written(self);
    else if (self->state == TRACED_DISABLED)
        traced_session_output_report_end(self);
    else
        traced_session_disable(self);
}

/* ---- life ---- */

int traced_session_init_parts(struct traced_session *self)
{
    static const struct traced_instance_events instances = {
        .all_started = on_all_started,
        .all_stopped = on_stopped,
    };
    static const struct traced_timer_events timers = {
        .duration_over = on_duration_over,
        .stop_over = on_stopped,
        .look_due = traced_awaited_look,
    };

    traced_instances_init(&self->instances, &instances);
    traced_flushes_init(&self->flushes);
    traced_triggers_init(&self->triggers);
    traced_gather_init(&self->gather, self);
    self->targets.last_sequence_id = 1; /* the service's own */
    int r = traced_session_timers_init(self, &timers);
    return r < 0 ? r : traced_session_output_init(self, on_output_done);
}

static void free_buffers(struct traced_session *self)
{
    struct traced_loop *loop = self->registry->loop;

    traced_targets_remove(self->registry->producers, self->buffers, self->buffers_num);
    for (size_t i = 0; i < self->buffers_num; i++) {
        struct traced_buffer *buf = self->buffers[i].buf;

        traced_reap(&loop->reaper, &loop->turns, traced_buffer_take_memory(buf), buf->size);
        traced_buffer_free(buf);
    }
    free(self->buffers);
    orma_map_fini(&self->targets.sequence_ids);
}

/* Nobody uses it any more, and nobody waits for a flush or a trigger of it. */
static void let_go(struct traced_session *self)
{
    self->freeing = true;
    self->registry->events->released(self);
    self->consumer = NULL;
}

void traced_session_free(struct traced_session *self)
{
    if (!self)
        return;
    let_go(self);
    self->state = TRACED_CLONED; /* nothing below may start something again */
    traced_flushes_cancel(self);
    traced_triggers_fini(self);
    traced_instances_fini(self);
    ORMA_ASSERT(orma_list_empty(&self->instances.list) && orma_list_empty(&self->flushes.list));
    ORMA_ASSERT(self->registry->num > 0);
    orma_list_remove(&self->link);
    self->registry->num--;
    (void)traced_boost_update(
        self->registry); /* less is always allowed, but for a change of limits */
    traced_session_timers_fini(self);
    traced_gather_cancel(&self->end);
    traced_gather_fini(&self->gather);
    traced_session_output_fini(self);
    traced_session_rescue_end(self);
    free_buffers(self);
    traced_session_reader_fini(&self->reader);
    traced_snapshots_fini(&self->snapshots);
    traced_incidents_fini(&self->incidents);
    orma_buf_fini(&self->config_bytes);
    free(self->detach_key);
    free(self->clone_trigger.name);
    free(self->clone_trigger.producer_name);
    traced_wanted_free(self->wanted);
    protobuf_c_message_free_unpacked(&self->config->base, NULL);
    free(self);
}

void traced_session_release(struct traced_session *self)
{
    self->freeing = true;
    traced_flushes_cancel(self);
    traced_triggers_fini(self);
    let_go(self);
    if (!self->output.file) {
        traced_session_free(self);
        return;
    }
    /* The file gets what there is; nobody is waited for, nor is a file that accepts nothing. */
    self->output.orphan = true;
    traced_file_hurry(self->output.file, self->registry->file_patience_ms);
    if (self->output.next.old)
        traced_file_hurry(self->output.next.old, self->registry->file_patience_ms);
    traced_instances_stop_all(self);
    if (traced_session_is_over(self))
        return;
    self->state = TRACED_STOPPING;
    traced_session_cancel_duration(self);
    on_stopped(self);
}
