/*
 * FtraceConfig.print_filter: which texts of trace_marker a session records.
 *
 * Rules in order, the first that matches decides; no match: wanted.
 * Threads: none; constant after making.
 */
#ifndef ORMA_PROBES_FTRACE_PRINT_FILTER_H
#define ORMA_PROBES_FTRACE_PRINT_FILTER_H
#include <stdbool.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/str.h"

struct orma_ftrace_print_filter;

/* A config without rules gives NULL: everything passes. -EINVAL: a rule is empty. -ENOMEM.
 */
int orma_ftrace_print_filter_new(const Perfetto__Protos__FtraceConfig__PrintFilter *config,
                                 struct orma_ftrace_print_filter **ret);
void orma_ftrace_print_filter_free(struct orma_ftrace_print_filter *self);
/* `filter`: a struct orma_ftrace_print_filter, as orma_ftrace_translate.print_allows wants it. */
bool orma_ftrace_print_filter_allows(const void *filter, struct orma_str text);
#endif
