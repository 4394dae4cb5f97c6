/*
 * Dynamic events: probes that the kernel sets because a session asked for them.
 *
 *   kprobe_events{probe, type}     kprobes and kretprobes, by the config's own field
 *   kprobe:FUNCTION [ARGS]         in ftrace_events: a function of the kernel, FUNCTION+OFFSET
 *   kretprobe:FUNCTION [ARGS]      the return from it
 *   uprobe:PATH:FUNCTION [ARGS]    a function of a program or library,
 *   uprobe:PATH:0xOFFSET [ARGS]    or a place in its file
 *   uretprobe:PATH:FUNCTION [ARGS] the return from it
 *   usdt:PATH:PROVIDER:NAME        a static probe point, with its arguments
 *
 * ARGS: probe_args.h.
 *
 * They belong to the whole kernel, not to an instance. Sessions of one daemon
 * that ask for the same share it; the last one removes it. What a killed daemon
 * left is removed by the next (saved.h).
 */
#ifndef ORMA_PROBES_FTRACE_DYNAMIC_H
#define ORMA_PROBES_FTRACE_DYNAMIC_H
#include "probes/ftrace/events.h"
#include "probes/ftrace/name_kinds.h"
#include "probes/ftrace/saved.h"
#include "sdk/base/list.h"

#define ORMA_FTRACE_DYNAMIC_PER_SESSION_MAX 1000

/*
 * Makes what the config asks for and appends it to `events`. `all` is the
 * daemon's list (dynamic.link). What cannot be made is listed in
 * events->failed, and logged with the reason. -ENOMEM.
 */
int orma_ftrace_dynamic_add(struct orma_ftrace_events *events, struct orma_list *all,
                            const struct orma_tracefs *fs, struct orma_ftrace_saved *saved,
                            const Perfetto__Protos__FtraceConfig *config);

/* Tells of each probe of the config that could not be made, and why. Changes nothing. -ENOMEM. */
int orma_ftrace_dynamic_check(const struct orma_tracefs *fs,
                              const Perfetto__Protos__FtraceConfig *config,
                              orma_ftrace_name_fn *fn, void *ctx);

/* The events are disabled; those without another user are removed. */
void orma_ftrace_dynamic_release(struct orma_ftrace_events *events, const struct orma_tracefs *fs);

/* Forgets without removing: what is left is in the instances' saved state. */
void orma_ftrace_dynamic_free_all(struct orma_list *all);
#endif
