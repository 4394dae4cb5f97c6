/*
 * The kernel's functions by name: is there one that a config means?
 *
 * Asked before a recording; the kernel itself decides when it is told to trace
 * or probe them. What cannot be read counts as "there is". Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_FUNCTIONS_H
#define ORMA_PROBES_FTRACE_FUNCTIONS_H
#include "probes/kernel/tracefs.h"

/* Of those that the function tracers know; a name, or a pattern such as "vfs_*". */
bool orma_ftrace_functions_can_trace(const struct orma_tracefs *fs, const char *pattern);

/* Does `symbols`, the text of /proc/kallsyms, have it? "FUNCTION", "FUNCTION+0x10" or
 * "MODULE:FUNCTION". */
bool orma_ftrace_functions_has_symbol(struct orma_str symbols, const char *place);
#endif
