/*
 * Data sources of the kernel's tracepoints: linux.ftrace (session.c) and
 * linux.frozen_ftrace (frozen.c).
 */
#ifndef ORMA_PROBES_FTRACE_SOURCE_H
#define ORMA_PROBES_FTRACE_SOURCE_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_ftrace_source;
extern const struct orma_source_type orma_ftrace_frozen_source;
#endif
