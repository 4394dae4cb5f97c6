/*
 * What a session's config asks for besides plain event names: atrace
 * categories, system calls, the function graph.
 */
#ifndef ORMA_PROBES_FTRACE_SELECT_H
#define ORMA_PROBES_FTRACE_SELECT_H
#include "probes/ftrace/events.h"

/* Appends the events, and fills `self->syscalls`. -ENOMEM. */
int orma_ftrace_select_more(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                            const Perfetto__Protos__FtraceConfig *config);

/* Calls that return a file descriptor, on this machine's architecture. */
void orma_ftrace_select_fd_syscalls(struct orma_ftrace_syscall_set *ret);

/*
 * The kernel's filter for a set of system calls, "id == 1 || id == 5"; "0" for
 * all. In `ret`, cleared before.
 */
void orma_ftrace_select_syscall_filter(const struct orma_ftrace_syscall_set *set,
                                       struct orma_buf *ret);
#endif
