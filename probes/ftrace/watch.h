/*
 * Watch: does the kernel still record what a session set up, and does the session
 * get all of it? Others may write to tracefs, and read the rings, too. At each
 * flush and at the end
 *
 *   check   compares the files with what they held when the session started, and
 *           asks inotify whether somebody wrote to them in between
 *   count   compares, for each cpu, the events that the kernel says were read with
 *           those that the session has seen
 *
 * What differs is an incident, told once with the time between which it happened.
 *
 *   start -> [check, count]* -> check before the session leaves, count after the last drain
 *
 * Nothing is read between flushes. Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_WATCH_H
#define ORMA_PROBES_FTRACE_WATCH_H
#include <stdbool.h>
#include <stdint.h>

#include "probes/ftrace/events.h"
#include "probes/ftrace/instance.h"
#include "probes/ftrace/stats.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/buf.h"

#define ORMA_FTRACE_WATCH_FILES 8

/* Writes to the files of one event, or to those for its whole group. */
struct orma_ftrace_watch_event {
    int wd, group_wd;
    int folder_fd; /* -1: not held */
    bool written, told;
    bool filter_written; /* of raw_syscalls, which sessions of ours write, too */
};

struct orma_ftrace_watch {
    struct orma_buf was[ORMA_FTRACE_WATCH_FILES]; /* at the start */
    bool told[ORMA_FTRACE_WATCH_FILES];
    bool written[ORMA_FTRACE_WATCH_FILES]; /* since the last check */
    int wds[ORMA_FTRACE_WATCH_FILES];      /* of inotify; -1: it does not watch this one */
    int inotify_fd;                        /* -1: there is none */
    int inotify_error;                     /* the first; 0: it watches what is there */
    uint64_t *read_base; /* by cpu: what the kernel counts as read, less what we have seen */
    bool counts;         /* read_base holds */
    bool told_taken, told_emptied;
    bool *event_told; /* by index of the session's events; NULL: events are not watched */
    struct orma_ftrace_watch_event *event_writes; /* the same; NULL: inotify does not watch them */
    size_t event_writes_num;
    int events_wd, set_event_wd; /* for all of them */
    int options_wd, trace_options_wd;
    bool options_written, options_told;
    uint32_t own_filters;      /* the instance's syscall_filters at the last look */
    uint64_t ok_ns;            /* boot clock: all was as it should be */
    uint64_t events_ok_ns;     /* and all events were on, when that was known last */
    uint64_t counted_ns;       /* and all that was read came to us */
    struct orma_buf incidents; /* fields of FtraceStats, all so far */
};

/* What the files hold now is how it should be. No memory: what cannot be kept is not watched.
 * own_filters: how often sessions of ours have written the filters of raw_syscalls. */
void orma_ftrace_watch_start(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events, uint32_t own_filters);

/*
 * Compares. `last_event_ns`: of the newest event that was read; 0: none. `filters`: those of the
 * events as well, a file each. What another session of ours changes there, `own_syscalls` says:
 * then the filters of raw_syscalls are nobody else's.
 */
void orma_ftrace_watch_check(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events, uint64_t last_event_ns,
                             bool filters, bool own_syscalls, uint32_t own_filters);

/*
 * Compares what the kernel counts as read with what was `seen`, of cpus[i] by seen[i]; the first
 * time it is taken for what is right. To be called with nothing read in between.
 */
void orma_ftrace_watch_count(struct orma_ftrace_watch *self,
                             const struct orma_ftrace_snapshot *snapshot,
                             const struct orma_ftrace_instance_cpu *cpus, unsigned cpus_num,
                             struct orma_ftrace_translate_cpu *seen);

void orma_ftrace_watch_fini(struct orma_ftrace_watch *self);
#endif
