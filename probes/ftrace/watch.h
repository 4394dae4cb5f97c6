/*
 * Watch: does the kernel still record what a session set up? Others may write
 * to tracefs, too. At each flush and at the end the files are compared with
 * what they held when the session started; what differs is an incident, told
 * once with the time between which it happened.
 *
 *   start -> [check]* -> check at the end, before the session leaves
 *
 * Nothing is read between flushes. Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_WATCH_H
#define ORMA_PROBES_FTRACE_WATCH_H
#include <stdbool.h>
#include <stdint.h>

#include "probes/ftrace/events.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/buf.h"

#define ORMA_FTRACE_WATCH_FILES 7

struct orma_ftrace_watch {
    struct orma_buf was[ORMA_FTRACE_WATCH_FILES]; /* at the start */
    bool told[ORMA_FTRACE_WATCH_FILES];
    bool *event_told;          /* by index of the session's events; NULL: events are not watched */
    uint64_t ok_ns;            /* boot clock: all was as it should be */
    struct orma_buf incidents; /* fields of FtraceStats, all so far */
};

/* What the files hold now is how it should be. No memory: what cannot be kept is not watched. */
void orma_ftrace_watch_start(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events);

/*
 * Compares. `last_event_ns`: of the newest event that was read; 0: none. `filters`: those of the
 * events as well, a file each. What another session of ours changes there, `own_syscalls` says:
 * then the filters of raw_syscalls are nobody else's.
 */
void orma_ftrace_watch_check(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events, uint64_t last_event_ns,
                             bool filters, bool own_syscalls);

void orma_ftrace_watch_fini(struct orma_ftrace_watch *self);
#endif
