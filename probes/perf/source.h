/*
 * Data source linux.perf: samples of what the cpus execute.
 */
#ifndef ORMA_PROBES_PERF_SOURCE_H
#define ORMA_PROBES_PERF_SOURCE_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_perf_source;
#endif
