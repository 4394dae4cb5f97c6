/*
 * Names: which of the kernel events, categories and system calls of a config
 * this kernel does not have. Reads tracefs, changes nothing; decides by the
 * code that selects the events of a session.
 */
#ifndef ORMA_PROBES_FTRACE_NAMES_H
#define ORMA_PROBES_FTRACE_NAMES_H
#include "probes/ftrace/name_kinds.h"
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

/* `root` as for orma_tracefs_find(). 0, or -errno: tracefs cannot be read, nothing is known. */
int orma_ftrace_unknown_names(const char *root, const Perfetto__Protos__FtraceConfig *config,
                              orma_ftrace_name_fn *fn, void *ctx);

/* All events, "group/name" a line. */
int orma_ftrace_list_events(const char *root, struct orma_buf *ret);
#endif
