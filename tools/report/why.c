/*
 * Three tables come first: intervals (of slices, or of whole threads), the pieces of their critical
 * paths, and the reason of each piece. The sections sum them up. Of slices inside each other that
 * match, the outer one is an interval: no time counts twice.
 *
 * A cause is named only if it takes 3 % of the time, and more than what is unknown.
 */
#include "tools/report/why.h"

const char *const orma_report_why_of_slices[] = {"why-of-slices", "why-pieces", NULL};
const char *const orma_report_why_of_threads[] = {"why-of-threads", "why-pieces", NULL};

#define HAS "SELECT 1 FROM orma_why_piece LIMIT 1"
#define BASIS                                                                                      \
    .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED, .lacks = "thread switches",             \
    .words = "sched syscalls irq timer faults"

const struct orma_report_section orma_report_why_sections[] = {
    {
        .name = "causes",
        .question = "What held it up, the worst first?",
        .has = HAS,
        .file = "why-causes",
        .nothing = "nothing: no cause takes 3 % of the time and more than the unknown part",
        BASIS,
    },
    {
        .name = "time",
        .question = "Where did its time go?",
        .has = HAS,
        .file = "why-time",
        BASIS,
    },
    {
        .name = "blockers",
        .question = "What did the threads do that blocked it?",
        .has = HAS,
        .file = "why-blockers",
        .nothing = "nobody: no other thread woke it when it slept",
        BASIS,
    },
    {
        .name = "behind",
        .question = "In which calls and slices were those threads, and who had their CPU?",
        .has = HAS,
        .file = "why-behind",
        .nothing = "nobody: no other thread woke it when it slept",
        BASIS,
    },
    {
        .name = "chain",
        .question = "Who did what, step by step, during its longest wait?",
        .has = HAS,
        .file = "why-chain",
        .nothing = "nobody: no other thread woke it when it slept",
        BASIS,
    },
    {
        .name = "calls",
        .question = "In which system calls was it?",
        .has = ORMA_REPORT_HAS_CALLS,
        .file = "why-calls",
        .lacks = "system calls",
        .words = "sched syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "cpus",
        .question = "On which CPUs did it run?",
        .has = HAS,
        .file = "why-cpus",
        BASIS,
    },
    {
        .name = "faults",
        .question = "How many page faults did it have?",
        .has = "SELECT 1 FROM ftrace_event WHERE name GLOB 'page_fault_*' LIMIT 1",
        .file = "why-faults",
        .lacks = "page faults",
        .words = "sched faults",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "slow",
        .question = "What sets the slowest tenth apart from the others?",
        .has = "SELECT 1 WHERE (SELECT count(*) FROM orma_why_interval) >= 10 AND EXISTS (" HAS ")",
        .file = "why-slow",
        .nothing = "nothing: what the slowest tenth has, the others have as well",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
        .lacks = "ten slices of this name to compare, or thread switches",
        .words = "sched apps",
    },
    {0},
};
