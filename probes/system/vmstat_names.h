/* Counters of /proc/vmstat. Source: VmstatCounters of protos/perfetto/sys_stats.proto, through
 * tools/vmstat_names.py. */
#ifndef ORMA_PROBES_SYSTEM_VMSTAT_NAMES_H
#define ORMA_PROBES_SYSTEM_VMSTAT_NAMES_H

struct orma_system_vmstat_name {
    const char *name; /* as the kernel writes it */
    int number;       /* of the enum */
};

extern const struct orma_system_vmstat_name orma_system_vmstat_names[]; /* by name */
extern const unsigned orma_system_vmstat_num;
#endif
