/*
 * Arguments of probes, as users write them and as the kernel takes them.
 *
 * "[NAME=]FETCH[:TYPE]", separated by blanks, in the kernel's own language
 * (Documentation/trace/kprobetrace.rst): $arg2, $retval, %di, @symbol,
 * +8(%sp), and names of parameters where the kernel has BTF. What holds the
 * address of a text may be written as it is: "$arg2:string" is
 * "+0($arg2):string". Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_PROBE_ARGS_H
#define ORMA_PROBES_FTRACE_PROBE_ARGS_H
#include "sdk/base/buf.h"

/* Appends " ARG" for each. NULL, or what is wrong with them. */
const char *orma_ftrace_probe_args_put(struct orma_buf *out, struct orma_str args);
#endif
