#include "probes/ftrace/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/core/proc_parse.h"
#include "probes/core/source.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

/* "  NAME   HITS   MISSES" per probe. */
static void add_profile(struct orma_ftrace_snapshot *self, const struct orma_tracefs *fs)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, name;
    uint64_t hits, misses;

    if (orma_tracefs_read_top(fs, "kprobe_profile", &text) < 0)
        return;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_proc_word(&line, &name) || !orma_proc_number(&line, &hits) ||
            !orma_proc_number(&line, &misses))
            continue;
        self->has_kprobes = true;
        self->kprobe_hits += hits;
        self->kprobe_misses += misses;
    }
}

int orma_ftrace_snapshot_take(struct orma_ftrace_snapshot *self, const struct orma_tracefs *fs,
                              const uint32_t *cpus, unsigned cpus_num)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), kb;

    *self = (struct orma_ftrace_snapshot){.cpus = calloc(cpus_num + 1, sizeof(*self->cpus))};
    if (!self->cpus)
        return -ENOMEM;
    for (unsigned i = 0; i < cpus_num; i++) {
        struct orma_ftrace_cpu_snapshot *cpu = &self->cpus[self->cpus_num];

        cpu->cpu = cpus[i];
        if (orma_tracefs_cpu_stats(fs, cpus[i], &cpu->stats) == 0)
            self->cpus_num++;
    }
    if (orma_tracefs_number(fs, "buffer_size_kb", &kb))
        self->buffer_pages = (uint32_t)(kb * 1024 / page);
    add_profile(self, fs);
    return 0;
}

void orma_ftrace_snapshot_fini(struct orma_ftrace_snapshot *self)
{
    free(self->cpus);
    *self = (struct orma_ftrace_snapshot){0};
}

static void put_cpu(struct orma_buf *out, const struct orma_ftrace_cpu_snapshot *cpu)
{
    const struct orma_tracefs_cpu_stats *s = &cpu->stats;
    size_t begun = orma_pb_begin(out, ORMA_PB_FTRACE_STATS_CPU_STATS);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_CPU, cpu->cpu);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_ENTRIES, s->entries);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_OVERRUN, s->overrun);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN, s->commit_overrun);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_BYTES_READ, s->bytes);
    orma_pb_put_double(out, ORMA_PB_FTRACE_CPU_STATS_OLDEST_EVENT_TS, s->oldest_ts);
    orma_pb_put_double(out, ORMA_PB_FTRACE_CPU_STATS_NOW_TS, s->now_ts);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS, s->dropped);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS, s->read_events);
    orma_pb_end(out, begun);
}

static void put_names(struct orma_buf *out, uint32_t field,
                      const struct orma_ftrace_name_list *list)
{
    for (size_t i = 0; i < list->num; i++)
        orma_pb_put_cstr(out, field, list->names[i]);
}

static void put_report(struct orma_buf *out, const struct orma_ftrace_report *report)
{
    if (report->events && report->phase == ORMA_PB_FTRACE_STATS_START_OF_TRACE) {
        put_names(out, ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, &report->events->unknown);
        put_names(out, ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS, &report->events->failed);
    }
    if (report->preserved)
        orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_PRESERVE_FTRACE_BUFFER, 1);
    if (report->exclusive_error)
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_STATS_EXCLUSIVE_FEATURE_ERROR,
                         report->exclusive_error);
    orma_buf_put(out, report->incidents.data, report->incidents.len);
    if (report->setup_error)
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, report->setup_error);
    for (unsigned i = 0; report->counts && i < ORMA_FTRACE_PARSE_STATUS_NUM; i++) {
        if (report->counts->errors[i])
            orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_FTRACE_PARSE_ERRORS, i);
    }
}

void orma_ftrace_stats_put(struct orma_buf *out, const struct orma_ftrace_snapshot *snapshot,
                           const struct orma_ftrace_report *report)
{
    size_t begun;

    orma_source_put_time(out, orma_clock_boottime());
    begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_STATS);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_PHASE, report->phase);
    for (unsigned i = 0; i < snapshot->cpus_num; i++)
        put_cpu(out, &snapshot->cpus[i]);
    if (snapshot->symbols) {
        orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_KERNEL_SYMBOLS_PARSED, snapshot->symbols);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_KERNEL_SYMBOLS_MEM_KB, snapshot->symbols_kb);
    }
    if (snapshot->has_kprobes) {
        size_t kprobes = orma_pb_begin(out, ORMA_PB_FTRACE_STATS_KPROBE_STATS);

        orma_pb_put_u64(out, ORMA_PB_FTRACE_KPROBE_STATS_HITS, snapshot->kprobe_hits);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_KPROBE_STATS_MISSES, snapshot->kprobe_misses);
        orma_pb_end(out, kprobes);
    }
    if (snapshot->buffer_pages)
        orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_CPU_BUFFER_SIZE_PAGES, snapshot->buffer_pages);
    put_report(out, report);
    orma_pb_end(out, begun);
}
