/*
 * Records of processes keep the table up to date; samples and losses become packets (stacks.c), of
 * waits when they end (switches.c).
 */
#include "probes/perf/encode.h"

#include "probes/perf/context.h"
#include "probes/perf/encode_parts.h"
#include "probes/perf/interp.h"
#include "probes/perf/runtime.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/log.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/wire/pb_writer.h"

#define INTERNED_MAX (1u << 20)

void orma_perf_encoder_init(struct orma_perf_encoder *self, const struct orma_perf_plan *plan,
                            struct orma_perf_processes *processes, struct orma_source_sink *sink)
{
    *self = (struct orma_perf_encoder){.plan = plan,
                                       .processes = processes,
                                       .sink = sink,
                                       .next_iid = 1,
                                       .first_iid = 1,
                                       .age = 1,
                                       .fresh = true};
}

void orma_perf_encoder_fini(struct orma_perf_encoder *self)
{
    orma_map_fini(&self->iids);
    orma_map_fini(&self->counted);
    orma_map_fini(&self->used.mute);
    orma_perf_waits_fini(&self->waits);
    orma_perf_kepts_fini(&self->kepts);
    orma_perf_interp_free(self->interp);
    orma_perf_contexts_free(self->contexts);
    orma_kallsyms_free(self->kernel);
    orma_buf_fini(&self->interned);
    orma_buf_fini(&self->packet);
}

/* What would have helped against stacks that are cut. */
static void tell_cut(const struct orma_perf_encoder *self)
{
    uint32_t bytes = self->plan->stack_bytes;

    if (self->too_long && bytes < ORMA_PERF_STACK_BYTES_MAX)
        orma_log_warn(
            "linux.perf: %llu stacks are deeper than the %u KiB that are copied of each: %s",
            (unsigned long long)self->too_long, bytes / 1024,
            self->plan->stack_fixed ? "a larger --stack-size shows their outer callers"
                                    : "63 KiB are copied at up to 5,000 samples a second, as root "
                                      "or with enough lockable memory (ulimit -l)");
}

static void tell_process(struct orma_perf_encoder *self, struct orma_perf_process *process,
                         uint64_t time)
{
    orma_perf_tell_late_names(self, process, time);
    orma_perf_runtime_tell(process, &self->runtimes_told);
}

static void end_session(struct orma_perf_encoder *self, uint64_t time)
{
    ORMA_MAP_EACH (slot, &self->processes->by_pid)
        tell_process(self, (struct orma_perf_process *)(uintptr_t)slot->val, time);
    tell_cut(self);
    if (self->interp)
        orma_perf_interp_tell(self->interp);
}

/* A process whose main thread ends has written all that it will. */
static void end_process(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->processes->by_pid, record->pid);

    if (process && record->tid == record->pid)
        tell_process(self, process, record->time);
}

static void tell_used(struct orma_perf_encoder *self)
{
    struct orma_perf_used *u = &self->used;

    if (u->ns)
        orma_perf_tell_cpu_time(self, u->pid, u->tid, u->ns, u->time);
    u->ns = 0;
}

/* Of the event that we opened ourselves the kernel says nothing when its thread ends (the first
 * one; or another, for at switches threads may change their events): that one has used what all
 * have, but for the others, if none of them lives. */
static void end_used(struct orma_perf_encoder *self, const struct orma_perf_record *end)
{
    const struct orma_perf_plan *plan = self->plan;
    struct orma_perf_used *u = &self->used;
    bool all = plan->on_exec && plan->pids_num == 1 && !u->unsure && u->died == u->born + 1;

    tell_used(self);
    if (!end->counts_num)
        return;
    ORMA_MAP_EACH (slot, &u->mute) {
        if (all && u->mute.len == 1 && end->counts[0] > u->ended_ns)
            orma_perf_tell_cpu_time(self, (uint32_t)slot->val, (uint32_t)slot->key,
                                    end->counts[0] - u->ended_ns, end->time);
    }
    orma_perf_tell_cpu_time(self, 0, 0, end->counts[0], end->time);
}

/* A thread ends with a record of each cpu, one behind the other if nobody else ends meanwhile. */
static void take_used(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_used *u = &self->used;

    if (record->kind != ORMA_PERF_CPU_TIME || u->tid != record->tid || u->pid != record->pid)
        tell_used(self);
    if (record->kind == ORMA_PERF_CPU_TIME) {
        u->pid = record->pid;
        u->tid = record->tid;
        u->time = record->time;
        u->ns += record->counts[0];
        u->ended_ns += record->counts[0];
        (void)orma_map_take(&u->mute, record->tid);
    }
    if (record->kind == ORMA_PERF_EXIT && orma_map_put(&u->mute, record->tid, record->pid) < 0)
        u->unsure = true;
    u->born += record->kind == ORMA_PERF_FORK;
    u->died += record->kind == ORMA_PERF_EXIT;
    u->unsure |= record->kind == ORMA_PERF_LOST;
    if (record->kind == ORMA_PERF_END)
        end_used(self, record);
}

/* What the kernel has counted, or the sum of the periods of the samples that are wanted. */
static uint64_t count_of(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    uint64_t key = (uint64_t)record->cpu + 1, before = orma_map_get(&self->counted, key);

    if (self->plan->events[0].attr.sample_type & PERF_SAMPLE_READ)
        return record->counts[0];
    uint64_t ret = record->counts[0] + (before == ORMA_MAP_NONE ? 0 : before);
    (void)orma_map_put(&self->counted, key, ret); /* else one weighs nothing */
    return ret;
}

/* Readers have to keep all that was interned. */
static bool is_full(const struct orma_perf_encoder *self)
{
    return self->next_iid - self->first_iid > INTERNED_MAX;
}

/* What the process publishes, if that is news, and what the thread worked on. */
static void take_context(struct orma_perf_encoder *self, struct orma_perf_process *process,
                         const struct orma_perf_record *record, struct orma_perf_sampled *what)
{
    if (!self->contexts && self->rings)
        self->contexts = orma_perf_contexts_new(self->processes, self->rings);
    if (!self->contexts)
        return;
    const struct orma_buf *news = orma_perf_context_look(self->contexts, process);
    if (news)
        orma_perf_tell_context(self, process, record, news);
    what->has_ids = orma_perf_context_ids(self->contexts, process, record, &what->ids);
}

void orma_perf_encode(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_sampled what = {0};

    if (self->plan->names && !self->plan->on_exec && !self->scanned) {
        self->scanned = true;
        /* Of wakers, anyone's name is asked for. */
        orma_perf_processes_scan(self->processes, self->plan->pids,
                                 self->plan->off_cpu ? 0 : self->plan->pids_num);
    }
    if (is_full(self))
        orma_perf_encoder_clear(self);
    orma_buf_clear(&self->interned);
    if (self->plan->off_cpu)
        orma_perf_encode_switch(self, record);
    if (self->plan->cpu_time)
        take_used(self, record);
    if (record->kind == ORMA_PERF_END)
        end_session(self, record->time);
    if (record->kind == ORMA_PERF_EXIT)
        end_process(self, record);
    if (record->kind != ORMA_PERF_LOST &&
        (record->kind != ORMA_PERF_SAMPLE || self->plan->off_cpu)) {
        orma_perf_processes_take(self->processes, record);
        return;
    }
    if (record->kind == ORMA_PERF_SAMPLE && self->plan->stacks) {
        struct orma_perf_process *process =
            orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

        if (!process || !process->wanted)
            return;
        if (self->plan->names)
            orma_perf_tell_names(self, process, record);
        what.stack = orma_perf_encode_stack_of(self, process, record, NULL, &what.error);
        take_context(self, process, record, &what);
    }
    if (record->kind == ORMA_PERF_SAMPLE)
        what.count = count_of(self, record);
    orma_perf_encode_record(self, record, &what);
}

void orma_perf_encode_names(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    if (process)
        orma_perf_tell_names(self, process, record);
}

uint64_t orma_perf_encode_stack(struct orma_perf_encoder *self,
                                const struct orma_perf_record *record)
{
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());
    uint64_t error, stack, flags = ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;
    struct orma_buf *out = &self->packet;

    if (!process || is_full(self)) /* numbers hold until the end */
        return 0;
    orma_buf_clear(&self->interned);
    orma_perf_tell_names(self, process, record);
    stack = orma_perf_encode_stack_of(self, process, record, NULL, &error);
    if (!self->interned.len)
        return stack;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, record->time);
    if (self->fresh)
        flags |= ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA, self->interned.data,
                      self->interned.len);
    self->fresh = false;
    (void)orma_source_sink_put_buf(self->sink, out); /* the owner of the sink notes it */
    return stack;
}
