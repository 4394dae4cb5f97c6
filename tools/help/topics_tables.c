/*
 * orma help tables: the tables that one starts with, and the columns of any.
 * Names of columns come from the engine itself.
 */
#include <string.h>

#include "processor/processor.h"
#include "sdk/base/defs.h"
#include "tools/base/cli.h"
#include "tools/help/topics.h"

static const struct {
    const char *name, *text; /* name NULL: `text` is a heading */
} tables[] = {
    {NULL, "What programs and the kernel did"},
    {"slice", "Named spans of time, on tracks: track events, system calls, interrupts."},
    {"counter", "Values over time, on counter tracks."},
    {"sched", "Which thread ran on which CPU, from when, for how long."},
    {"thread_state", "What every thread did at any time: running, runnable, sleeping, blocked."},
    {"flow", "Flows: arrows between slices."},
    {"instant", "Slices without duration: instant events."},
    {"ftrace_event", "Every kernel event, with its fields as args."},
    {"android_logs", "Lines of logs: the journal, the kernel's."},
    {NULL, "Who did it"},
    {"thread", "Threads: utid is our number, unique in the trace; tid is the kernel's, reused."},
    {"process", "Processes: upid and pid likewise."},
    {"cpu", "The CPUs."},
    {"machine", "The machines that the trace comes from."},
    {NULL, "Where it is shown"},
    {"track", "All tracks. The tables below have one kind each, with its owner."},
    {"thread_track", "Tracks of threads."},
    {"process_track", "Tracks of processes."},
    {"counter_track", "Tracks of counters, with their units."},
    {"cpu_counter_track", "Counters of a CPU."},
    {"process_counter_track", "Counters of a process."},
    {"thread_counter_track", "Counters of a thread."},
    {NULL, "More about it"},
    {"args",
     "Details of slices, tracks and events, by arg_set_id; see also extract_arg(set, 'key')."},
    {"perf_sample", "Samples of call stacks; stack_profile_callsite and _frame hold the stacks."},
    {"heap_profile_allocation", "Allocations that a heap profiler sampled."},
    {NULL, "The trace itself"},
    {"stats", "Statistics of recording and import, including data losses and errors."},
    {"loss",
     "For every writer: what it emitted, what was delivered, and what was lost for which reason."},
    {"metadata", "Metadata of the trace: machine, config, sizes."},
    {"clock_snapshot", "Clocks read at the same moment."},
};

/* What columns of these names hold, wherever they stand. */
static const struct {
    const char *name, *text;
} columns[] = {
    {"id", "number of the row, unique in the table"},
    {"ts", "time in ns, on the trace's clock"},
    {"dur", "length in ns; -1: did not end in the trace"},
    {"track_id", "joins with track.id"},
    {"parent_id", "id of the row that this is a part of"},
    {"arg_set_id", "joins with args.arg_set_id"},
    {"source_arg_set_id", "joins with args.arg_set_id"},
    {"utid", "joins with thread.utid"},
    {"waker_utid", "thread that woke this one"},
    {"upid", "joins with process.upid"},
    {"parent_upid", "joins with process.upid"},
    {"cpu", "number of the CPU"},
    {"ucpu", "joins with cpu.id"},
    {"depth", "how many slices enclose it"},
    {"tid", "the kernel's number of the thread"},
    {"pid", "the kernel's number of the process"},
    {"is_main_thread", "1 for the first thread of a process"},
    {"machine_id", "joins with machine.id"},
    {"thread_ts", "CPU time of the thread, in ns"},
    {"thread_dur", "CPU time used, in ns"},
    {"slice_out", "slice.id where the arrow begins"},
    {"slice_in", "slice.id where it ends"},
    {"end_state", "state that the thread went into: R, S, D ..."},
    {"io_wait", "1: it waited for I/O"},
    {"blocked_function", "kernel function that it waited in"},
    {"unit", "of the values"},
    {"severity", "info, data_loss or error"},
};

static const char *column_text(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns); i++) {
        if (!strcmp(columns[i].name, name))
            return columns[i].text;
    }
    return NULL;
}

static const char *table_text(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        if (tables[i].name && !strcmp(tables[i].name, name))
            return tables[i].text;
    }
    return NULL;
}

static void show_list(void)
{
    printf("The most useful tables and views; 'orma help tables NAME' shows the columns of any "
           "table.\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        if (!tables[i].name) {
            printf("\n%s:\n", tables[i].text);
            continue;
        }
        printf("  %-24s", tables[i].name);
        if (strlen(tables[i].name) > 23)
            printf("\n  %-24s", "");
        orma_cli_wrap(stdout, tables[i].text, 26);
    }
    printf("\n"
           "Threads and processes of a slice:\n"
           "  SELECT s.name, s.dur, thread.name FROM slice s\n"
           "  JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid)\n"
           "\n"
           "Modules define more tables: INCLUDE PERFETTO MODULE slices.with_context;\n");
}

static void show_columns(const char *name, const struct orma_query *q)
{
    const char *text = table_text(name);

    printf("%s%s%s\n", name, text ? ": " : "", text ? text : "");
    for (unsigned i = 0; i < orma_query_columns(q); i++) {
        const char *column = orma_query_column_name(q, i), *what = column_text(column);

        printf("  %-24s%s%s\n", column, what ? " " : "", what ? what : "");
    }
}

static int no_table(const char *name)
{
    const char *names[ORMA_ARRAY_LEN(tables) + 1] = {0};
    size_t num = 0;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        if (tables[i].name)
            names[num++] = tables[i].name;
    }
    const char *near = orma_cli_did_you_mean(name, names);
    fprintf(stderr, "orma help: no table '%s'%s%s%s\n", name, near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : ": 'orma list tables' also shows those of modules");
    return ORMA_EXIT_USAGE;
}

static bool is_name(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                       "0123456789")];
}

int orma_help_topic_tables(const char *name)
{
    struct orma_processor *tp = NULL;
    struct orma_query *q = NULL;
    char sql[160];

    if (!name) {
        show_list();
        return ORMA_EXIT_OK;
    }
    if (!is_name(name) ||
        snprintf(sql, sizeof(sql), "SELECT * FROM %s LIMIT 0", name) >= (int)sizeof(sql))
        return no_table(name);
    if (orma_processor_new(NULL, &tp) < 0)
        return ORMA_EXIT_FAILURE;
    int code = ORMA_EXIT_OK;
    if (orma_processor_finish(tp) == 0 && orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL) == 0)
        show_columns(name, q);
    else
        code = no_table(name);
    orma_query_free(q);
    orma_processor_free(tp);
    return code;
}
