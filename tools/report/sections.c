/*
 * The table of sections; their SQL is in sections/. The views they read are modules of the SQL
 * library, orma.*, which anybody may include; --sql prints what is there with the choices filled
 * in.
 *
 * Rule of ranges: time on a cpu is cut to the range; waits, calls, slices and the like count where
 * they begin in it, with their whole length.
 */
#include "tools/report/sections.h"

#include <string.h>

const struct orma_report_section orma_report_sections[] = {
    {
        .name = "overview",
        .question = "What was recorded, when, and on which machine?",
        .has = "SELECT 1",
        .basis = 0,
    },
    {
        .name = "threads",
        .question = "Which threads used the CPUs, and which waited for them?",
        .has = "SELECT 1 FROM sched LIMIT 1",
        .lacks = "thread switches",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "cpus",
        .question = "How busy was each CPU?",
        .has = "SELECT 1 FROM sched LIMIT 1",
        .lacks = "thread switches",
        .words = "sched power",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "times",
        .question = "What did the CPUs do, as the kernel accounts for it?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'cpustat' LIMIT 1",
        .lacks = "CPU times",
        .words = "cpu",
    },
    {
        .name = "latency",
        .question = "Which threads waited longest for a CPU, and who ran instead?",
        .has = "SELECT 1 FROM thread_state WHERE state IN ('R', 'R+') LIMIT 1",
        .lacks = "waits for a CPU",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "switches",
        .question = "Which threads lost the CPU, or moved to another one?",
        .has = "SELECT 1 FROM thread_state WHERE state IN ('R', 'R+') LIMIT 1",
        .lacks = "waits for a CPU",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "wakeups",
        .question = "Who woke whom?",
        .has = "SELECT 1 FROM thread_state WHERE waker_utid IS NOT NULL LIMIT 1",
        .lacks = "wake-ups",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "syscalls",
        .question = "Which system calls took the time, and which failed?",
        .has = ORMA_REPORT_HAS_CALLS,
        .lacks = "system calls",
        .words = "syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "callers",
        .question = "Which threads spent time in system calls?",
        .has = ORMA_REPORT_HAS_CALLS,
        .lacks = "system calls",
        .words = "syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "futexes",
        .question = "Which locks and conditions did threads wait for, and who woke them?",
        .has = "SELECT 1 FROM slice WHERE name = 'sys_futex' LIMIT 1",
        .lacks = "waits for futexes",
        .words = "sched syscalls",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "io",
        .question = "How long did block devices take?",
        .has = "SELECT 1 FROM ftrace_event WHERE name = 'block_rq_issue' LIMIT 1",
        .lacks = "block requests",
        .words = "disk",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "io-threads",
        .question = "Which threads made which block requests?",
        .has = "SELECT 1 FROM ftrace_event WHERE name = 'block_rq_issue' LIMIT 1",
        .lacks = "block requests",
        .words = "disk",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "irqs",
        .question = "How much time did interrupts take?",
        .has = "SELECT 1 FROM track WHERE type IN ('cpu_irq', 'cpu_softirq') LIMIT 1",
        .lacks = "interrupts",
        .words = "irq",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "faults",
        .question = "Which threads had page faults?",
        .has = "SELECT 1 FROM ftrace_event WHERE name GLOB 'page_fault_*' LIMIT 1",
        .lacks = "page faults",
        .words = "faults",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "memory",
        .question = "How did the machine's memory change?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'meminfo' LIMIT 1",
        .lacks = "memory sizes",
        .words = "mem",
    },
    {
        .name = "pressure",
        .question = "How much of the time was work stalled for lack of CPU, memory or I/O?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'psi' LIMIT 1",
        .lacks = "stalls (PSI)",
        .words = "cpu",
    },
    {
        .name = "processes",
        .question = "Which processes used memory?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'process_memory' LIMIT 1",
        .lacks = "memory of processes",
        .words = "mem",
    },
    {
        .name = "slices",
        .question = "Which slices took the time, without their children (self) and with them?",
        .has = "INCLUDE PERFETTO MODULE orma.slices; SELECT 1 FROM orma_slice LIMIT 1",
        .lacks = "slices of programs",
        .words = "apps",
    },
    {
        .name = "slowest",
        .question = "Which single slices took longest?",
        .has = "INCLUDE PERFETTO MODULE orma.slices; SELECT 1 FROM orma_slice LIMIT 1",
        .lacks = "slices of programs",
        .words = "apps",
    },
    {
        .name = "functions",
        .question = "In which functions were samples taken, or memory allocated?",
        .has = "SELECT 1 FROM stack_profile_callsite LIMIT 1",
        .lacks = "stack samples",
        .words = NULL,
    },
    {
        .name = "counters",
        .question = "Which counters changed?",
        .has = "SELECT 1 FROM counter LIMIT 1",
        .lacks = "counters",
        .words = "cpu mem power",
    },
    {
        .name = "logs",
        .question = "What was logged, the most serious first?",
        .has = "SELECT 1 FROM android_logs LIMIT 1",
        .lacks = "log lines",
        .words = "log",
    },
    {0},
};

const struct orma_report_section *orma_report_section_find(const struct orma_report_section *table,
                                                           const char *name)
{
    for (const struct orma_report_section *s = table; s->name; s++) {
        if (!strcmp(s->name, name))
            return s;
    }
    return NULL;
}
