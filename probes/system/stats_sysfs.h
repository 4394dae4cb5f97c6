/*
 * Counters that are spread over many small files below /sys. Each call reads
 * what is there now; 0 if nothing of the kind is.
 */
#ifndef ORMA_PROBES_SYS_STATS_SYSFS_H
#define ORMA_PROBES_SYS_STATS_SYSFS_H
#include "sdk/base/buf.h"

/* Appends fields of a SysStats message. Number of values. */
typedef unsigned (*orma_system_tree_fn)(struct orma_buf *out, int sys_fd);

unsigned orma_system_put_cpufreq(struct orma_buf *out, int sys_fd);
unsigned orma_system_put_cpuidle(struct orma_buf *out, int sys_fd);
unsigned orma_system_put_thermal(struct orma_buf *out, int sys_fd);
unsigned orma_system_put_devfreq(struct orma_buf *out, int sys_fd);
/* Drivers of Qualcomm, Intel and AMD. */
unsigned orma_system_put_gpufreq(struct orma_buf *out, int sys_fd);
#endif
