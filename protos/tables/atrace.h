/*
 * What the categories of atrace ("sched", "disk") mean for the kernel: the
 * tracepoints that each stands for.
 * Source: the interface tables of the format, through tools/gen_protos.py.
 */
#ifndef ORMA_PROTOS_TABLES_ATRACE_H
#define ORMA_PROTOS_TABLES_ATRACE_H

struct orma_atrace_event {
    const char *category;
    const char *group;
    const char *name; /* "*": every known event of the group */
};

extern const struct orma_atrace_event orma_atrace_events[]; /* by category */
extern const unsigned orma_atrace_events_num;
#endif
