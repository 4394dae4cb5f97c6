/* All importers of packets. A new one is a row here and a file with its functions. */
#include "processor/import/import.h"

extern const struct orma_module orma_module_clock, orma_module_service, orma_module_uuid,
    orma_module_config, orma_module_trace_stats, orma_module_system_info, orma_module_ftrace,
    orma_module_sched, orma_module_process_tree, orma_module_process_stats, orma_module_track_event,
    orma_module_sys_stats, orma_module_battery, orma_module_triggers, orma_module_ftrace_stats,
    orma_module_syscalls, orma_module_mm, orma_module_net, orma_module_gpu, orma_module_flow,
    orma_module_async, orma_module_cpu_info, orma_module_interrupts, orma_module_attributes,
    orma_module_self_trace, orma_module_sessions, orma_module_logs;

const struct orma_module *const orma_modules[] = {
    &orma_module_clock,        &orma_module_service,
    &orma_module_uuid,         &orma_module_config,
    &orma_module_trace_stats,  &orma_module_system_info,
    &orma_module_ftrace,       &orma_module_sched,
    &orma_module_process_tree, &orma_module_process_stats,
    &orma_module_track_event,  &orma_module_sys_stats,
    &orma_module_battery,      &orma_module_triggers,
    &orma_module_ftrace_stats, &orma_module_syscalls,
    &orma_module_mm,           &orma_module_net,
    &orma_module_gpu,          &orma_module_flow,
    &orma_module_async,        &orma_module_cpu_info,
    &orma_module_interrupts,   &orma_module_attributes,
    &orma_module_self_trace,   &orma_module_sessions,
    &orma_module_logs,         NULL,
};
