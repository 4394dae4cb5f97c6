/* Samples, waits and their ends as fields of packets, and the defaults that readers need once. */
#include "probes/perf/encode_parts.h"

#include "probes/perf/plan.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"

static uint64_t cpu_mode(uint16_t misc)
{
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
        return ORMA_PB_PROFILING_MODE_KERNEL;
    case PERF_RECORD_MISC_USER:
        return ORMA_PB_PROFILING_MODE_USER;
    case PERF_RECORD_MISC_HYPERVISOR:
        return ORMA_PB_PROFILING_MODE_HYPERVISOR;
    case PERF_RECORD_MISC_GUEST_KERNEL:
        return ORMA_PB_PROFILING_MODE_GUEST_KERNEL;
    case PERF_RECORD_MISC_GUEST_USER:
        return ORMA_PB_PROFILING_MODE_GUEST_USER;
    default:
        return ORMA_PB_PROFILING_MODE_UNKNOWN;
    }
}

void orma_perf_put_sample(struct orma_buf *out, const struct orma_perf_record *record,
                          const struct orma_perf_sampled *what)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PERF_SAMPLE);

    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CPU, record->cpu);
    if (record->kind == ORMA_PERF_LOST) {
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_KERNEL_RECORDS_LOST, record->lost);
        orma_pb_end(out, begun);
        return;
    }
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_PID, record->pid);
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_TID, record->tid);
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CPU_MODE, cpu_mode(record->misc));
    if (record->counts_num)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_TIMEBASE_COUNT, what->count);
    for (unsigned i = 1; i < record->counts_num; i++)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_FOLLOWER_COUNTS, record->counts[i]);
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CALLSTACK_IID, what->stack);
    if (what->error)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_UNWIND_ERROR, what->error);
    if (what->has_ids) {
        orma_pb_put_bytes(out, ORMA_PB_PERF_SAMPLE_ORMA_TRACE_ID, what->ids.trace_id,
                          sizeof(what->ids.trace_id));
        orma_pb_put_bytes(out, ORMA_PB_PERF_SAMPLE_ORMA_SPAN_ID, what->ids.span_id,
                          sizeof(what->ids.span_id));
    }
    if (record->stack_skipped)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON,
                        ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_ENQUEUE);
    orma_pb_end(out, begun);
}

/* A wait, weighed with its time. */
void orma_perf_put_wait(struct orma_buf *out, const struct orma_perf_record *record,
                        const struct orma_perf_sampled *what)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_STACK_SAMPLE);

    size_t in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__PID, record->pid);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__TID, record->tid);
    orma_pb_end(out, in);
    in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT__CPU, record->cpu);
    orma_pb_end(out, in);
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_CALLSTACK_IID, what->stack);
    if (what->error)
        orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_UNWIND_ERROR, ORMA_STR("cut"));
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_PRIMARY_WEIGHT, what->away_ns);
    orma_pb_end(out, begun);
}

static void put_descriptor(struct orma_buf *out, uint32_t field, const char *name, const char *unit)
{
    size_t in = orma_pb_begin(out, field);

    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_NAME, orma_str_from(name));
    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_STR, orma_str_from(unit));
    orma_pb_end(out, in);
}

/* Who ended a wait, at the time it did; of an interrupt, nobody. The thread it woke is counted. */
void orma_perf_put_waker(struct orma_buf *out, const struct orma_perf_record *record,
                         const struct orma_perf_sampled *what)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_STACK_SAMPLE);

    if (!record->interrupt) {
        size_t in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT);

        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__PID, record->pid);
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__TID, record->tid);
        orma_pb_end(out, in);
    }
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_CALLSTACK_IID, what->stack);
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_PRIMARY_DESCRIPTOR, "wakeup", "wakeups");
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_PRIMARY_WEIGHT, 1);
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_FOLLOWER_DESCRIPTORS, "woken_thread", "tid");
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_FOLLOWER_WEIGHTS, record->woken);
    orma_pb_end(out, begun);
}

/* The unit is not that of cpu time, so that nobody adds the two up. */
static void put_wait_defaults(struct orma_buf *out)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_DEFAULTS_STACK_SAMPLE_DEFAULTS);

    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_DEFAULTS_SOURCE, ORMA_STR("off_cpu"));
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_DEFAULTS_PRIMARY_DESCRIPTOR, "off_cpu_time",
                   "ns off cpu");
    orma_pb_end(out, begun);
}

/* The clock of all timestamps that follow, and what the samples count. */
void orma_perf_put_defaults(struct orma_buf *out, const struct orma_perf_plan *plan)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, plan->clock_id);
    if (plan->off_cpu)
        put_wait_defaults(out);
    else
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_DEFAULTS_PERF_SAMPLE_DEFAULTS,
                          plan->defaults.data, plan->defaults.len);
    orma_pb_end(out, begun);
}
