/*
 * What a Linux system says of itself: processes and threads (/proc), counters of the system
 * (/proc, /sys), cpus, batteries.
 */
#ifndef ORMA_PROCESSOR_IMPORT_LINUX_LINUX_H
#define ORMA_PROCESSOR_IMPORT_LINUX_LINUX_H
#include "processor/import/core/ports.h"

/* The state of the module; parts are made when they are needed. */
struct orma_linux {
    struct orma_linux_sys_stats *sys_stats; /* sys_stats.c */
};

static inline struct orma_linux *orma_linux(const struct orma_import_ctx *imp)
{
    return imp->state;
}

extern const struct orma_import_module orma_linux_module;
extern const struct orma_importer orma_linux_battery_importer, orma_linux_process_tree_importer,
    orma_linux_process_stats_importer, orma_linux_sys_stats_importer,
    orma_linux_system_info_importer, orma_linux_cpu_info_importer, orma_linux_interrupts_importer;
#endif
