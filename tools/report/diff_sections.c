/*
 * What `orma diff` compares: the questions, and the SQL that selects what each one is about.
 */
#include "tools/report/diff_parts.h"

#include <string.h>

const char *const orma_diff_metric_names[ORMA_DIFF_METRICS] = {
    [ORMA_DIFF_TOTAL] = "total", [ORMA_DIFF_MEAN] = "mean", [ORMA_DIFF_MEDIAN] = "p50"};

const struct orma_diff_section orma_diff_sections[ORMA_DIFF_SECTIONS] = {
    {.name = "processes",
     .kind = "process",
     .question = "Which programs used more or less CPU, from start to end?",
     .module = "processes",
     .items = "name, ts, cpu_dur AS dur, unknown_dur FROM orma_whole_process\n"
              "WHERE cpu_dur IS NOT NULL$processes",
     .metrics = 1 << ORMA_DIFF_MEAN,
     .of_runs = true,
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "lifetimes",
     .kind = "lifetime",
     .question = "Which programs took more or less time, from start to end?",
     .module = "processes",
     .items = "name, ts, dur, 0 AS unknown_dur FROM orma_whole_process WHERE 1$processes",
     .metrics = 1 << ORMA_DIFF_MEAN,
     .of_wall = true,
     .of_runs = true,
     .basis = ORMA_REPORT_OF_KERNEL},
    {.name = "slices",
     .kind = "slice",
     .question = "Which slices changed?",
     .module = "slices",
     .items = "name, ts, dur, self_dur FROM orma_slice\n"
              "WHERE ended AND name IS NOT NULL$owners",
     .metrics = 1 << ORMA_DIFF_TOTAL | 1 << ORMA_DIFF_MEAN | 1 << ORMA_DIFF_MEDIAN,
     .common = true},
    {.name = "cpu",
     .kind = "cpu",
     .whole = "process",
     .question = "Which threads used more or less CPU?",
     .module = "sched",
     .items = "t.name, r.ts, r.dur, NULL AS self_dur FROM orma_run AS r JOIN thread AS t USING "
              "(utid)\nWHERE t.name IS NOT NULL$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL,
     .unknown = "*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "waits",
     .kind = "wait",
     .question = "Which threads waited more or less for a CPU?",
     .module = "sched",
     .items = "t.name, w.ts, w.dur, NULL AS self_dur FROM orma_wait AS w JOIN thread AS t USING "
              "(utid)\nWHERE t.name IS NOT NULL$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL,
     .of_wall = true,
     .unknown = "R*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "sleeps",
     .kind = "sleep",
     .question = "Which threads slept or were blocked more or less?",
     .module = "sched",
     .items = "t.name, s.ts, s.dur, NULL AS self_dur\n"
              "FROM thread_state AS s JOIN thread AS t USING (utid)\n"
              "WHERE t.name IS NOT NULL AND s.dur >= 0 AND s.state GLOB '[SDI]*'\n"
              "  AND s.id NOT IN (SELECT id FROM _orma_torn_state) AND NOT t.is_idle$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL,
     .of_wall = true,
     .unknown = "[SDI]*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "calls",
     .kind = "call",
     .question = "Which system calls changed?",
     .module = "syscalls",
     .items = "name, ts, dur, NULL AS self_dur FROM orma_syscall WHERE 1$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL | 1 << ORMA_DIFF_MEDIAN,
     .common = true,
     .basis = ORMA_REPORT_OF_KERNEL},
    {.name = "functions",
     .kind = "function",
     .question = "Which functions had more or fewer samples?",
     .of_run = "Which functions took more or less, from start to end?",
     .of_time = "Which functions took more or less of the time that was sampled?",
     .module = "samples",
     .items = "function AS name, ts, 1 AS dur, NULL AS self_dur, id AS sample_id FROM orma_sample\n"
              "WHERE function IS NOT NULL$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL,
     .counts = true},
    {.name = "stacks",
     .kind = "stack",
     .question = "Which call stacks had more or fewer samples?",
     .of_run = "Which call stacks took more or less, from start to end?",
     .of_time = "Which call stacks took more or less of the time that was sampled?",
     .module = "samples",
     .items = "stack AS name, ts, 1 AS dur, NULL AS self_dur, id AS sample_id FROM orma_sample\n"
              "WHERE stack IS NOT NULL$threads",
     .metrics = 1 << ORMA_DIFF_TOTAL,
     .counts = true},
};

bool orma_diff_is_wanted(const void *ctx, const char *name)
{
    const struct orma_diff *d = ctx;
    const char *const *n = d->request->sections;

    if (!*n)
        return true;
    while (*n && strcmp(*n, name) != 0)
        n++;
    return *n != NULL;
}
