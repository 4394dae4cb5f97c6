/*
 * Data sources of whole-machine facts: linux.sys_stats (stats.c),
 * linux.sysfs_power (power.c) and linux.system_info (info.c).
 */
#ifndef ORMA_PROBES_SYSTEM_SOURCES_H
#define ORMA_PROBES_SYSTEM_SOURCES_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_system_stats_source;
extern const struct orma_source_type orma_system_power_source;
extern const struct orma_source_type orma_system_info_source;
#endif
