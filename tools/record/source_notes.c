#include "tools/record/source_notes.h"

#include <stddef.h>

const struct orma_record_source_note orma_record_source_notes[] = {
    {"linux.ftrace", "ftrace_config",
     "Events of the kernel: GROUP/NAME as below /sys/kernel/tracing/events."},
    {"linux.process_stats", "process_stats_config",
     "Names and parents of processes and threads, and their counters."},
    {"linux.sys_stats", "sys_stats_config",
     "Counters of the whole machine; each has its own period."},
    {"linux.inode_file_map", "inode_file_config",
     "Names of files that kernel events refer to by inode."},
    {"linux.frozen_ftrace", "frozen_ftrace_config",
     "What the kernel recorded before the last boot, if its ring survived."},
    {"linux.sysfs_power", "android_power_config", "Charge, current and voltage of batteries."},
    {"linux.system_info", NULL, "CPU types, frequencies and capacities."},
    {"linux.perf", "perf_event_config", "Call stacks sampled on the CPUs, and hardware counters."},
    {"linux.systemd_journald", "journald_config", "The journal and the kernel's log."},
    {"track_event", "track_event_config",
     "Events of programs instrumented with an SDK, by category."},
    {0},
};
