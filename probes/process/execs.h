/*
 * Who executes a program, at once: the kernel's event sched_process_exec, by perf. So a process that
 * lives for a few milliseconds can be looked up while it is there; the events of linux.ftrace come
 * up to a period later.
 *
 * Threads: that of the loop.
 */
#ifndef ORMA_PROBES_PROCESS_EXECS_H
#define ORMA_PROBES_PROCESS_EXECS_H
#include "probes/core/source.h"

struct orma_process_execs;

typedef void orma_process_exec_fn(void *ctx, int32_t pid);

/* NULL: this machine or these rights do not allow it; nothing depends on it. */
struct orma_process_execs *orma_process_execs_new(struct orma_source_env *env,
                                                  orma_process_exec_fn *on_exec, void *ctx);
/* Those that the loop has not come to yet. */
void orma_process_execs_take(struct orma_process_execs *self);
void orma_process_execs_free(struct orma_process_execs *self);
#endif
