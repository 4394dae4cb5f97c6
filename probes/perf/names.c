/* Who was sampled: a process and a thread are named before their first sample. */
#include "probes/perf/encode_parts.h"

#include <string.h>
#include <time.h>

#include "probes/perf/late.h"
#include "probes/perf/plan.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

uint64_t orma_perf_record_clock(const void *ctx)
{
    const struct orma_perf_plan *plan = ctx;
    struct timespec now = {0};

    (void)clock_gettime(plan->events[0].attr.clockid, &now); /* the kernel took it, too */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Converted once: the same process always has the same start, however often it is told. */
static uint64_t boot_start(const struct orma_perf_encoder *self, struct orma_perf_process *process)
{
    if (!process->boot_start)
        process->boot_start =
            process->start + orma_clock_boottime() - orma_perf_record_clock(self->plan);
    return process->boot_start;
}

static void put_process(struct orma_perf_encoder *self, struct orma_perf_process *process)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    bool is_comm = orma_perf_process_cmdline(self->processes, process, &words);
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_TREE_PROCESSES);

    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PID, process->pid);
    if (process->parent)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PPID, process->parent);
    for (size_t at = 0; at < words.len;) {
        const char *word = (const char *)words.data + at;
        size_t len = strnlen(word, words.len - at);

        orma_pb_put_bytes(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, word, len);
        at += len + 1;
    }
    if (process->start)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PROCESS_START_FROM_BOOT,
                        boot_start(self, process));
    if (is_comm)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE_IS_COMM, 1);
    orma_pb_end(&self->packet, begun);
    process->told = true;
}

static void put_thread(struct orma_perf_encoder *self, struct orma_perf_thread *thread)
{
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_TREE_THREADS);

    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_TID, thread->tid);
    orma_pb_put_str(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_NAME, orma_str_from(thread->name));
    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_TGID, thread->pid);
    orma_pb_end(&self->packet, begun);
    thread->told = true;
}

/* Who it is that was sampled, unless the trace knows. */
void orma_perf_tell_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                          const struct orma_perf_record *record)
{
    struct orma_perf_thread *thread =
        orma_perf_thread_get(self->processes, record->pid, record->tid);
    struct orma_buf *out = &self->packet;

    if (process->told && (!thread || thread->told))
        return;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, record->time);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
    if (!process->told)
        put_process(self, process);
    if (thread && !thread->told && *thread->name)
        put_thread(self, thread);
    orma_pb_end(out, begun);
    if (orma_source_sink_put_buf(self->sink, out) < 0) {
        process->told = false; /* said again with the next sample */
        if (thread)
            thread->told = false;
    }
}

static void put_attribute(void *ctx, struct orma_str key, struct orma_str value)
{
    struct orma_buf *out = ctx;
    size_t begun = orma_pb_begin(out, ORMA_PB_ORMA_PROCESS_CONTEXT_ATTRIBUTES);

    orma_pb_put_str(out, ORMA_PB_ORMA_ATTRIBUTE_KEY, key);
    orma_pb_put_str(out, ORMA_PB_ORMA_ATTRIBUTE_VALUE, value);
    orma_pb_end(out, begun);
}

void orma_perf_tell_context(struct orma_perf_encoder *self, const struct orma_perf_process *process,
                            const struct orma_perf_record *record, const struct orma_buf *payload)
{
    struct orma_buf *out = &self->packet;

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, record->time);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
    size_t tree = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
    size_t begun = orma_pb_begin(out, ORMA_PB_PROCESS_TREE_ORMA_CONTEXTS);
    orma_pb_put_u64(out, ORMA_PB_ORMA_PROCESS_CONTEXT_PID, process->pid);
    orma_otel_process_attributes(orma_buf_str(payload), put_attribute, out);
    orma_pb_end(out, begun);
    orma_pb_end(out, tree);
    (void)orma_source_sink_put_buf(self->sink, out); /* lost: the writer counts it */
}

void orma_perf_tell_cpu_time(struct orma_perf_encoder *self, uint32_t pid, uint32_t tid,
                             uint64_t ns, uint64_t time)
{
    const struct orma_perf_record ended = {.time = time, .pid = pid, .tid = tid};
    struct orma_buf *out = &self->packet;

    struct orma_perf_process *process =
        tid ? orma_perf_process_get(self->processes, pid, orma_clock_boottime()) : NULL;

    if (process)
        orma_perf_tell_names(self, process, &ended);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, time);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
    if (tid) {
        size_t in = orma_pb_begin(out, ORMA_PB_PROCESS_TREE_THREADS);

        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_THREAD_TID, tid);
        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_THREAD_TGID, pid);
        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_THREAD_ORMA_ENDED_CPU_NS, ns);
        orma_pb_end(out, in);
    } else {
        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_ORMA_CPU_NS, ns);
    }
    orma_pb_end(out, begun);
    (void)orma_source_sink_put_buf(self->sink, out); /* lost: the writer counts it */
}

/* Names that came after the samples. */
void orma_perf_tell_late_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                               uint64_t time)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf symbols = {0};
    struct orma_buf *out = &self->packet;

    while (orma_perf_late_take(self->processes, process, &symbols)) {
        if (!symbols.len)
            continue;
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, time);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS, symbols.data, symbols.len);
        (void)orma_source_sink_put_buf(self->sink, out); /* lost: they have none; it is counted */
    }
}
