/* Counters of /proc/vmstat. Source: VmstatCounters of protos/perfetto/sys_stats.proto, through
 * tools/vmstat_names.py. */
#ifndef ORMA_PROBES_SYSTEM_VMSTAT_NAMES_H
#define ORMA_PROBES_SYSTEM_VMSTAT_NAMES_H
#include <stdint.h>

/* At each place, in the order of names: the counter's number as a byte, then its name. */
extern const char orma_system_vmstat_names[];
extern const uint16_t orma_system_vmstat_places[];
extern const unsigned orma_system_vmstat_num;
#endif
