/* Every stored table and its columns. Made by tools/gen_tables.py. */
#include "processor/store/table.h"

#include <stddef.h>

static const struct orma_column_def cols_counter[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"value", ORMA_COL_DOUBLE, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_file[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
    {"trace_type", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_flow[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"slice_out", ORMA_COL_INT, ORMA_COL_U32, "slice"},
    {"slice_in", ORMA_COL_INT, ORMA_COL_U32, "slice"},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_jit_code[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"create_ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"estimated_delete_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"start_address", ORMA_COL_INT, 0, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
    {"function_name", ORMA_COL_STRING, 0, NULL},
    {"native_code_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_jit_frame[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32, "jit_code"},
    {"frame_id", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_frame"},
};

static const struct orma_column_def cols_logs[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "thread"},
    {"prio", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"log_source", ORMA_COL_STRING, 0, NULL},
    {"tag", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"msg", ORMA_COL_STRING, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_memory_snapshot_edge[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"source_node_id", ORMA_COL_INT, ORMA_COL_U32, "memory_snapshot_node"},
    {"target_node_id", ORMA_COL_INT, ORMA_COL_U32, "memory_snapshot_node"},
    {"importance", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_memory_snapshot_node[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"process_snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "process_memory_snapshot"},
    {"parent_node_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"path", ORMA_COL_STRING, 0, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
    {"effective_size", ORMA_COL_INT, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_memory_snapshot[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"timestamp", ORMA_COL_INT, 0, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"detail_level", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_process_memory_snapshot[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "memory_snapshot"},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_args[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32, NULL},
    {"flat_key", ORMA_COL_STRING, 0, NULL},
    {"key", ORMA_COL_STRING, 0, NULL},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"string_value", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"real_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"value_type", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_build_flags[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"enabled", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_chrome_raw[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, "thread"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_clock_snapshot[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"clock_id", ORMA_COL_INT, 0, NULL},
    {"clock_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"clock_value", ORMA_COL_INT, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
};

static const struct orma_column_def cols_cpu_freq[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32, "cpu"},
    {"freq", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_cpu[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"cpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"cluster_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"processor", ORMA_COL_STRING, 0, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
    {"capacity", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_filedescriptor[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ufd", ORMA_COL_INT, 0, NULL},
    {"fd", ORMA_COL_INT, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_TIME, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"path", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_ftrace_event[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, "thread"},
    {"arg_set_id", ORMA_COL_COMPUTED, ORMA_COL_U32, NULL},
    {"common_flags", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32, "cpu"},
};

static const struct orma_column_def cols_gpu[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"gpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"vendor", ORMA_COL_STRING, 0, NULL},
    {"model", ORMA_COL_STRING, 0, NULL},
    {"architecture", ORMA_COL_STRING, 0, NULL},
    {"uuid", ORMA_COL_STRING, 0, NULL},
    {"pci_bdf", ORMA_COL_STRING, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_linux_interrupt_mapping[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"irq_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
};

static const struct orma_column_def cols_trace_import_logs[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"trace_id", ORMA_COL_INT, ORMA_COL_U32, "trace_file"},
    {"ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_TIME, NULL},
    {"byte_offset", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"stat_key", ORMA_COL_INT, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_machine[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"raw_id", ORMA_COL_INT, 0, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"sysname", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"release", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"version", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"arch", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"num_cpus", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"android_build_fingerprint", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"android_device_manufacturer", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"android_sdk_version", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"system_ram_bytes", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"system_ram_gb", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_metadata[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"key_type", ORMA_COL_STRING, 0, NULL},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"str_value", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "machine"},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "trace_file"},
};

static const struct orma_column_def cols_stats[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"key", ORMA_COL_INT, 0, NULL},
    {"idx", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"severity", ORMA_COL_STRING, 0, NULL},
    {"source", ORMA_COL_STRING, 0, NULL},
    {"value", ORMA_COL_INT, 0, NULL},
    {"description", ORMA_COL_STRING, 0, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "machine"},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "trace_file"},
};

static const struct orma_column_def cols_modules[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_process[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"pid", ORMA_COL_INT, 0, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"parent_upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"android_appid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"android_user_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"cmdline", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
};

static const struct orma_column_def cols_thread[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"tid", ORMA_COL_INT, 0, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "process"},
    {"is_main_thread", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"is_idle", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_trace_diagnostics[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"key", ORMA_COL_STRING, 0, NULL},
    {"title", ORMA_COL_STRING, 0, NULL},
    {"description", ORMA_COL_STRING, 0, NULL},
    {"remediation", ORMA_COL_STRING, 0, NULL},
    {"confidence", ORMA_COL_DOUBLE, 0, NULL},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "trace_file"},
};

static const struct orma_column_def cols_trace_file[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
    {"trace_type", ORMA_COL_STRING, 0, NULL},
    {"processing_order", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"is_container", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_spe_record[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "thread"},
    {"exception_level", ORMA_COL_STRING, 0, NULL},
    {"instruction_frame_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "stack_profile_frame"},
    {"operation", ORMA_COL_STRING, 0, NULL},
    {"data_virtual_address", ORMA_COL_INT, 0, NULL},
    {"data_physical_address", ORMA_COL_INT, 0, NULL},
    {"total_latency", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"issue_latency", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"translation_latency", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"events_bitmask", ORMA_COL_INT, 0, NULL},
    {"data_source", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_mmap_record[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"mapping_id", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_mapping"},
    {"file_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "file"},
};

static const struct orma_column_def cols_aggregate_profile[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"scope", ORMA_COL_STRING, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"sample_type_type", ORMA_COL_STRING, 0, NULL},
    {"sample_type_unit", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_aggregate_sample[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"aggregate_profile_id", ORMA_COL_INT, ORMA_COL_U32, "aggregate_profile"},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_callsite"},
    {"value", ORMA_COL_DOUBLE, 0, NULL},
};

static const struct orma_column_def cols_gpu_context[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"context_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"api", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_gpu_counter_group[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"group_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"description", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_profile[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"ts_end", ORMA_COL_INT, 0, NULL},
    {"dur", ORMA_COL_INT, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"heap_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_profile_allocation[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"heap_name", ORMA_COL_STRING, 0, NULL},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_callsite"},
    {"count", ORMA_COL_INT, 0, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_profiler_async_context[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"kind", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
};

static const struct orma_column_def cols_profiler_counter_set[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"counter_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32, NULL},
    {"counter_id", ORMA_COL_INT, ORMA_COL_U32, "counter"},
};

static const struct orma_column_def cols_profiler_execution_context[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ucpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"cpu_mode", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_profiler_sample[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"source", ORMA_COL_STRING, 0, NULL},
    {"task_context_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "profiler_task_context"},
    {"execution_context_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32,
     "profiler_execution_context"},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "stack_profile_callsite"},
    {"unwind_error", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"session_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "profiler_session"},
    {"counter_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_profiler_session[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"source", ORMA_COL_STRING, 0, NULL},
    {"timebase_unit", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"cmdline", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_profiler_smaps[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"path", ORMA_COL_STRING, 0, NULL},
    {"path_trimmed", ORMA_COL_STRING, 0, NULL},
    {"aggregate_count", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"is_deleted", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"size_kb", ORMA_COL_INT, 0, NULL},
    {"private_dirty_kb", ORMA_COL_INT, 0, NULL},
    {"swap_kb", ORMA_COL_INT, 0, NULL},
    {"file_name", ORMA_COL_STRING, 0, NULL},
    {"start_address", ORMA_COL_INT, 0, NULL},
    {"module_timestamp", ORMA_COL_INT, 0, NULL},
    {"module_debugid", ORMA_COL_STRING, 0, NULL},
    {"module_debug_path", ORMA_COL_STRING, 0, NULL},
    {"protection_flags", ORMA_COL_INT, 0, NULL},
    {"private_clean_resident_kb", ORMA_COL_INT, 0, NULL},
    {"shared_dirty_resident_kb", ORMA_COL_INT, 0, NULL},
    {"shared_clean_resident_kb", ORMA_COL_INT, 0, NULL},
    {"locked_kb", ORMA_COL_INT, 0, NULL},
    {"proportional_resident_kb", ORMA_COL_INT, 0, NULL},
    {"rss_kb", ORMA_COL_INT, 0, NULL},
    {"anonymous_kb", ORMA_COL_INT, 0, NULL},
    {"pss_dirty_kb", ORMA_COL_INT, 0, NULL},
    {"swap_pss_kb", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_profiler_task_context[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"async_context_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "profiler_async_context"},
};

static const struct orma_column_def cols_stack_profile_callsite[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"depth", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"frame_id", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_frame"},
};

static const struct orma_column_def cols_stack_profile_frame[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"mapping", ORMA_COL_INT, ORMA_COL_U32, "stack_profile_mapping"},
    {"rel_pc", ORMA_COL_INT, 0, NULL},
    {"symbol_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"deobfuscated_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_stack_profile_mapping[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"build_id", ORMA_COL_STRING, 0, NULL},
    {"exact_offset", ORMA_COL_INT, 0, NULL},
    {"start_offset", ORMA_COL_INT, 0, NULL},
    {"start", ORMA_COL_INT, 0, NULL},
    {"end", ORMA_COL_INT, 0, NULL},
    {"load_bias", ORMA_COL_INT, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_stack_profile_symbol[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"symbol_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"source_file", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"line_number", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"inlined", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_sched_slice[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"dur", ORMA_COL_INT, 0, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"end_state", ORMA_COL_STRING, 0, NULL},
    {"priority", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32, "cpu"},
};

static const struct orma_column_def cols_spurious_sched_wakeup[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"thread_state_id", ORMA_COL_INT, 0, NULL},
    {"irq_context", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"waker_utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_thread_state[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"dur", ORMA_COL_INT, 0, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"state", ORMA_COL_STRING, 0, NULL},
    {"io_wait", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"blocked_function", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"waker_utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"waker_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"irq_context", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"ucpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "cpu"},
};

static const struct orma_column_def cols_slice[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"dur", ORMA_COL_INT, 0, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"category", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"depth", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"thread_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"thread_dur", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"thread_instruction_count", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"thread_instruction_delta", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_track_event_callstacks[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"slice_id", ORMA_COL_INT, ORMA_COL_U32, "slice"},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "stack_profile_callsite"},
    {"end_callsite_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "stack_profile_callsite"},
    {"weight", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_state[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"dur", ORMA_COL_INT, 0, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"category", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"value", ORMA_COL_STRING, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_experimental_proto_content[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"path", ORMA_COL_STRING, 0, NULL},
    {"path_id", ORMA_COL_INT, ORMA_COL_U32, "experimental_proto_path"},
    {"total_size", ORMA_COL_INT, 0, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
    {"count", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_experimental_proto_path[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"field_type", ORMA_COL_STRING, 0, NULL},
    {"field_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_track[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "self"},
    {"source_arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
    {"type", ORMA_COL_STRING, 0, NULL},
    {"dimension_arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"track_group_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"event_type", ORMA_COL_STRING, 0, NULL},
    {"counter_unit", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "thread"},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "process"},
};

static const struct orma_column_def cols_loss[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "thread"},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "process"},
    {"buffer", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"producer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"writer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"reason", ORMA_COL_STRING, 0, NULL},
    {"packets", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "trace_file"},
};

static const struct orma_column_def cols_gap[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"reason", ORMA_COL_STRING, 0, NULL},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"tid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"cpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32, "machine"},
};

static const struct orma_column_def cols_ftrace_source[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"bundle", ORMA_COL_INT, 0, NULL},
    {"idx", ORMA_COL_INT, 0, NULL},
    {"kind", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_ftrace_prev[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"source", ORMA_COL_INT, 0, NULL},
    {"comm", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"pid", ORMA_COL_INT, 0, NULL},
    {"prio", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_skipped_packet[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"field", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"packets", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_package_list[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"package_name", ORMA_COL_STRING, 0, NULL},
    {"uid", ORMA_COL_INT, 0, NULL},
    {"debuggable", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"profileable_from_shell", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"version_code", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_android_game_intervention_list[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"package_name", ORMA_COL_STRING, 0, NULL},
    {"uid", ORMA_COL_INT, 0, NULL},
    {"current_mode", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"standard_mode_supported", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"standard_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"standard_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"standard_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"perf_mode_supported", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"perf_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"perf_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"perf_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"battery_mode_supported", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"battery_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"battery_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"battery_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_android_dumpstate[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"section", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"service", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"line", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_vulkan_memory_allocations[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"source", ORMA_COL_STRING, 0, NULL},
    {"operation", ORMA_COL_STRING, 0, NULL},
    {"timestamp", ORMA_COL_INT, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "process"},
    {"device", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"device_memory", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"memory_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"heap", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"function_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"object_handle", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"memory_address", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"memory_size", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"scope", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_android_aflags[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"package", ORMA_COL_STRING, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"flag_namespace", ORMA_COL_STRING, 0, NULL},
    {"container", ORMA_COL_STRING, 0, NULL},
    {"value", ORMA_COL_STRING, 0, NULL},
    {"staged_value", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"permission", ORMA_COL_STRING, 0, NULL},
    {"value_picked_from", ORMA_COL_STRING, 0, NULL},
    {"storage_backend", ORMA_COL_STRING, 0, NULL},
    {"type", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_android_cpu_per_uid_track[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32, "track"},
    {"uid", ORMA_COL_INT, 0, NULL},
    {"cluster", ORMA_COL_INT, 0, NULL},
    {"total_cpu_millis", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_android_input_event_dispatch[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"vsync_id", ORMA_COL_INT, 0, NULL},
    {"window_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_android_key_events[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"source", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"action", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"device_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"key_code", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_android_motion_events[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"source", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"action", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"device_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_android_network_packets[] = {
    {"id", ORMA_COL_INT, ORMA_COL_U32, "slice"},
    {"iface", ORMA_COL_STRING, 0, NULL},
    {"direction", ORMA_COL_STRING, 0, NULL},
    {"packet_transport", ORMA_COL_STRING, 0, NULL},
    {"packet_length", ORMA_COL_INT, 0, NULL},
    {"packet_count", ORMA_COL_INT, 0, NULL},
    {"socket_tag", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"socket_tag_str", ORMA_COL_STRING, 0, NULL},
    {"socket_uid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"local_port", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"remote_port", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"packet_icmp_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"packet_icmp_code", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"packet_tcp_flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"packet_tcp_flags_str", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_android_track_event_process[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, "process"},
    {"start_seq_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"package_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"caller_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"defining_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"fw_start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"fw_end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"trigger_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"hosting_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"hosting_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"bind_application_delay_ms", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"process_start_delay_ms", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_android_user_list[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"type", ORMA_COL_STRING, 0, NULL},
    {"android_user_id", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_chrome_stack_sample_extras[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"profiler_sample_id", ORMA_COL_INT, ORMA_COL_U32, "profiler_sample"},
    {"process_priority", ORMA_COL_INT, ORMA_COL_I32, NULL},
};

static const struct orma_column_def cols_elf_file[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"file_id", ORMA_COL_INT, ORMA_COL_U32, "file"},
    {"load_bias", ORMA_COL_INT, 0, NULL},
    {"build_id", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_etm_v4_chunk[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"session_id", ORMA_COL_INT, ORMA_COL_U32, "etm_v4_session"},
    {"chunk_set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"size", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_etm_v4_configuration[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"cpu", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"cs_trace_stream_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"core_profile", ORMA_COL_STRING, 0, NULL},
    {"arch_version", ORMA_COL_STRING, 0, NULL},
    {"major_version", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"minor_version", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"max_speculation_depth", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"bool_flags", ORMA_COL_INT, 0, NULL},
};

static const struct orma_column_def cols_etm_v4_session[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"configuration_id", ORMA_COL_INT, ORMA_COL_U32, "etm_v4_configuration"},
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_experimental_missing_chrome_processes[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"reliable_from", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_graph_java_oome_details[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"heap_graph_id", ORMA_COL_INT, ORMA_COL_U32, "heap_graph"},
    {"allocation_size_bytes", ORMA_COL_INT, 0, NULL},
    {"total_bytes_free", ORMA_COL_INT, 0, NULL},
    {"free_bytes_until_oom", ORMA_COL_INT, 0, NULL},
    {"error_msg", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_inputmethod_clients[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_inputmethod_manager_service[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_inputmethod_service[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_protolog[] = {
    {"id", ORMA_COL_ID, 0, NULL},           {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"level", ORMA_COL_STRING, 0, NULL},    {"tag", ORMA_COL_STRING, 0, NULL},
    {"message", ORMA_COL_STRING, 0, NULL},  {"stacktrace", ORMA_COL_STRING, 0, NULL},
    {"location", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_surfaceflinger_display[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "surfaceflinger_layers_snapshot"},
    {"is_on", ORMA_COL_INT, 0, NULL},
    {"is_virtual", ORMA_COL_INT, 0, NULL},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_trace_rect"},
    {"display_id", ORMA_COL_INT, 0, NULL},
    {"display_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_surfaceflinger_layer[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "surfaceflinger_layers_snapshot"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"layer_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"is_visible", ORMA_COL_INT, 0, NULL},
    {"parent", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"corner_radius_tl", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"corner_radius_tr", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"corner_radius_bl", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"corner_radius_br", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"hwc_composition_type", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"is_hidden_by_policy", ORMA_COL_INT, 0, NULL},
    {"z_order_relative_of", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"is_missing_z_parent", ORMA_COL_INT, 0, NULL},
    {"layer_rect_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "winscope_trace_rect"},
    {"input_rect_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "winscope_trace_rect"},
};

static const struct orma_column_def cols_surfaceflinger_layers_snapshot[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"has_invalid_elapsed_ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_surfaceflinger_transaction[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "surfaceflinger_transactions"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"flags_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"transaction_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_surfaceflinger_transaction_flag[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"flags_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"flag", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_surfaceflinger_transactions[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"vsync_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_v8_internal_code[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32, "jit_code"},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32, "v8_isolate"},
    {"function_name", ORMA_COL_STRING, 0, NULL},
    {"code_type", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_v8_isolate[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"internal_isolate_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"embedded_blob_code_start_address", ORMA_COL_INT, 0, NULL},
    {"embedded_blob_code_size", ORMA_COL_INT, 0, NULL},
    {"code_range_base_address", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"code_range_size", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"shared_code_range", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"embedded_blob_code_copy_start_address", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_v8_js_code[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "jit_code"},
    {"v8_js_function_id", ORMA_COL_INT, ORMA_COL_U32, "v8_js_function"},
    {"tier", ORMA_COL_STRING, 0, NULL},
    {"bytecode_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_v8_js_function[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"v8_js_script_id", ORMA_COL_INT, ORMA_COL_U32, "v8_js_script"},
    {"is_toplevel", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"kind", ORMA_COL_STRING, 0, NULL},
    {"line", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"col", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_v8_js_script[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32, "v8_isolate"},
    {"internal_script_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"script_type", ORMA_COL_STRING, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"source", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_v8_regexp_code[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32, "jit_code"},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32, "v8_isolate"},
    {"pattern", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_v8_wasm_code[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32, "jit_code"},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32, "v8_isolate"},
    {"v8_wasm_script_id", ORMA_COL_INT, ORMA_COL_U32, "v8_wasm_script"},
    {"function_name", ORMA_COL_STRING, 0, NULL},
    {"tier", ORMA_COL_STRING, 0, NULL},
    {"code_offset_in_module", ORMA_COL_INT, ORMA_COL_I32, NULL},
};

static const struct orma_column_def cols_v8_wasm_script[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32, "v8_isolate"},
    {"internal_script_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"url", ORMA_COL_STRING, 0, NULL},
    {"wire_bytes_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"source", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_video_frames[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"display_id", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"display_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"codec_string", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"frame_number", ORMA_COL_INT, 0, NULL},
    {"codec", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"is_key_frame", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"pts_us", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"is_config", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
};

static const struct orma_column_def cols_viewcapture[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"package_name", ORMA_COL_STRING, 0, NULL},
    {"window_name", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_viewcapture_view[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "viewcapture"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"node_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"hashcode", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"is_visible", ORMA_COL_INT, 0, NULL},
    {"parent_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"view_id", ORMA_COL_STRING, 0, NULL},
    {"class_name", ORMA_COL_STRING, 0, NULL},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_trace_rect"},
};

static const struct orma_column_def cols_window_manager_shell_transition_handlers[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"handler_id", ORMA_COL_INT, 0, NULL},
    {"handler_name", ORMA_COL_STRING, 0, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_window_manager_shell_transition_participants[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"transition_id", ORMA_COL_INT, 0, NULL},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"window_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"mode", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"start_display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"end_display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"start_rotation", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"end_rotation", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"start_abs_bounds_rect_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "winscope_rect"},
    {"end_abs_bounds_rect_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "winscope_rect"},
};

static const struct orma_column_def cols_window_manager_shell_transition_protos[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"transition_id", ORMA_COL_INT, 0, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_window_manager_shell_transitions[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"transition_id", ORMA_COL_INT, 0, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"transition_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"send_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"dispatch_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"duration_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"finish_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"shell_abort_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"wm_abort_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"merge_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"create_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"handler", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"status", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"start_transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"finish_transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_windowmanager[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"focused_display_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"has_invalid_elapsed_ts", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_windowmanager_windowcontainer[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32, "windowmanager"},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"title", ORMA_COL_STRING, 0, NULL},
    {"token", ORMA_COL_INT, ORMA_COL_I32, NULL},
    {"parent_token", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32, NULL},
    {"child_index", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"is_visible", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"window_rect_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, "winscope_trace_rect"},
    {"container_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"name_override", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_winscope_fill_region[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_trace_rect"},
    {"rect_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_rect"},
};

static const struct orma_column_def cols_winscope_rect[] = {
    {"id", ORMA_COL_ID, 0, NULL},    {"x", ORMA_COL_DOUBLE, 0, NULL},
    {"y", ORMA_COL_DOUBLE, 0, NULL}, {"w", ORMA_COL_DOUBLE, 0, NULL},
    {"h", ORMA_COL_DOUBLE, 0, NULL},
};

static const struct orma_column_def cols_winscope_trace_rect[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"rect_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_rect"},
    {"group_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"depth", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"is_spy", ORMA_COL_INT, 0, NULL},
    {"is_visible", ORMA_COL_INT, 0, NULL},
    {"opacity", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"transform_id", ORMA_COL_INT, ORMA_COL_U32, "winscope_transform"},
    {"border_width", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"border_color", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_winscope_transform[] = {
    {"id", ORMA_COL_ID, 0, NULL},       {"dsdx", ORMA_COL_DOUBLE, 0, NULL},
    {"dtdx", ORMA_COL_DOUBLE, 0, NULL}, {"tx", ORMA_COL_DOUBLE, 0, NULL},
    {"dtdy", ORMA_COL_DOUBLE, 0, NULL}, {"dsdy", ORMA_COL_DOUBLE, 0, NULL},
    {"ty", ORMA_COL_DOUBLE, 0, NULL},
};

static const struct orma_column_def cols_heap_graph_class[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"name", ORMA_COL_STRING, 0, NULL},
    {"deobfuscated_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"location", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"superclass_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"classloader_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"kind", ORMA_COL_STRING, 0, NULL},
};

static const struct orma_column_def cols_heap_graph_object[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"graph_sample_ts", ORMA_COL_INT, 0, NULL},
    {"self_size", ORMA_COL_INT, 0, NULL},
    {"native_size", ORMA_COL_INT, 0, NULL},
    {"reference_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"reachable", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"heap_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"type_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"root_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"root_distance", ORMA_COL_INT, 0, NULL},
    {"object_data_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_graph_object_data[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"field_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"value_string", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"array_element_type", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"array_element_count", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"array_data_id", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"array_data_hash", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_graph_reference[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"reference_set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"owner_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"owned_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
    {"field_name", ORMA_COL_STRING, 0, NULL},
    {"field_type_name", ORMA_COL_STRING, 0, NULL},
    {"deobfuscated_field_name", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_graph_primitive[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"field_set_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"field_name", ORMA_COL_STRING, 0, NULL},
    {"field_type", ORMA_COL_STRING, 0, NULL},
    {"bool_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"byte_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"char_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"short_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"long_value", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"float_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"double_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
};

static const struct orma_column_def cols_heap_graph[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"upid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"dump_reason", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
    {"heap_size", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"_truncated", ORMA_COL_INT, ORMA_COL_U32, NULL},
};

static const struct orma_column_def cols_heap_graph_thread_callsite[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"heap_graph_id", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"utid", ORMA_COL_INT, ORMA_COL_U32, NULL},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32, NULL},
};

const struct orma_table_def orma_table_defs[ORMA_TABLES_NUM] = {
    [ORMA_TABLE_COUNTER] = {"__intrinsic_counter", 5, cols_counter},
    [ORMA_TABLE_FILE] = {"__intrinsic_file", 4, cols_file},
    [ORMA_TABLE_FLOW] = {"__intrinsic_flow", 5, cols_flow},
    [ORMA_TABLE_JIT_CODE] = {"__intrinsic_jit_code", 8, cols_jit_code},
    [ORMA_TABLE_JIT_FRAME] = {"__intrinsic_jit_frame", 3, cols_jit_frame},
    [ORMA_TABLE_LOGS] = {"__intrinsic_logs", 8, cols_logs},
    [ORMA_TABLE_MEMORY_SNAPSHOT_EDGE] = {"__intrinsic_memory_snapshot_edge", 4,
                                         cols_memory_snapshot_edge},
    [ORMA_TABLE_MEMORY_SNAPSHOT_NODE] = {"__intrinsic_memory_snapshot_node", 7,
                                         cols_memory_snapshot_node},
    [ORMA_TABLE_MEMORY_SNAPSHOT] = {"__intrinsic_memory_snapshot", 4, cols_memory_snapshot},
    [ORMA_TABLE_PROCESS_MEMORY_SNAPSHOT] = {"__intrinsic_process_memory_snapshot", 3,
                                            cols_process_memory_snapshot},
    [ORMA_TABLE_ARGS] = {"__intrinsic_args", 8, cols_args},
    [ORMA_TABLE_BUILD_FLAGS] = {"__intrinsic_build_flags", 3, cols_build_flags},
    [ORMA_TABLE_CHROME_RAW] = {"__intrinsic_chrome_raw", 5, cols_chrome_raw},
    [ORMA_TABLE_CLOCK_SNAPSHOT] = {"__intrinsic_clock_snapshot", 7, cols_clock_snapshot},
    [ORMA_TABLE_CPU_FREQ] = {"__intrinsic_cpu_freq", 3, cols_cpu_freq},
    [ORMA_TABLE_CPU] = {"__intrinsic_cpu", 7, cols_cpu},
    [ORMA_TABLE_FILEDESCRIPTOR] = {"__intrinsic_filedescriptor", 6, cols_filedescriptor},
    [ORMA_TABLE_FTRACE_EVENT] = {"__intrinsic_ftrace_event", 7, cols_ftrace_event},
    [ORMA_TABLE_GPU] = {"__intrinsic_gpu", 10, cols_gpu},
    [ORMA_TABLE_LINUX_INTERRUPT_MAPPING] = {"_linux_interrupt_mapping", 4,
                                            cols_linux_interrupt_mapping},
    [ORMA_TABLE_TRACE_IMPORT_LOGS] = {"__intrinsic_trace_import_logs", 6, cols_trace_import_logs},
    [ORMA_TABLE_MACHINE] = {"__intrinsic_machine", 13, cols_machine},
    [ORMA_TABLE_METADATA] = {"__intrinsic_metadata", 7, cols_metadata},
    [ORMA_TABLE_STATS] = {"__intrinsic_stats", 10, cols_stats},
    [ORMA_TABLE_MODULES] = {"__intrinsic_modules", 2, cols_modules},
    [ORMA_TABLE_PROCESS] = {"__intrinsic_process", 12, cols_process},
    [ORMA_TABLE_THREAD] = {"__intrinsic_thread", 10, cols_thread},
    [ORMA_TABLE_TRACE_DIAGNOSTICS] = {"__intrinsic_trace_diagnostics", 7, cols_trace_diagnostics},
    [ORMA_TABLE_TRACE_FILE] = {"__intrinsic_trace_file", 7, cols_trace_file},
    [ORMA_TABLE_SPE_RECORD] = {"__intrinsic_spe_record", 13, cols_spe_record},
    [ORMA_TABLE_MMAP_RECORD] = {"__intrinsic_mmap_record", 5, cols_mmap_record},
    [ORMA_TABLE_AGGREGATE_PROFILE] = {"__intrinsic_aggregate_profile", 5, cols_aggregate_profile},
    [ORMA_TABLE_AGGREGATE_SAMPLE] = {"__intrinsic_aggregate_sample", 4, cols_aggregate_sample},
    [ORMA_TABLE_GPU_CONTEXT] = {"__intrinsic_gpu_context", 4, cols_gpu_context},
    [ORMA_TABLE_GPU_COUNTER_GROUP] = {"__intrinsic_gpu_counter_group", 5, cols_gpu_counter_group},
    [ORMA_TABLE_HEAP_PROFILE] = {"__intrinsic_heap_profile", 6, cols_heap_profile},
    [ORMA_TABLE_HEAP_PROFILE_ALLOCATION] = {"__intrinsic_heap_profile_allocation", 7,
                                            cols_heap_profile_allocation},
    [ORMA_TABLE_PROFILER_ASYNC_CONTEXT] = {"__intrinsic_profiler_async_context", 4,
                                           cols_profiler_async_context},
    [ORMA_TABLE_PROFILER_COUNTER_SET] = {"__intrinsic_profiler_counter_set", 3,
                                         cols_profiler_counter_set},
    [ORMA_TABLE_PROFILER_EXECUTION_CONTEXT] = {"__intrinsic_profiler_execution_context", 3,
                                               cols_profiler_execution_context},
    [ORMA_TABLE_PROFILER_SAMPLE] = {"__intrinsic_profiler_sample", 9, cols_profiler_sample},
    [ORMA_TABLE_PROFILER_SESSION] = {"__intrinsic_profiler_session", 4, cols_profiler_session},
    [ORMA_TABLE_PROFILER_SMAPS] = {"__intrinsic_profiler_smaps", 25, cols_profiler_smaps},
    [ORMA_TABLE_PROFILER_TASK_CONTEXT] = {"__intrinsic_profiler_task_context", 4,
                                          cols_profiler_task_context},
    [ORMA_TABLE_STACK_PROFILE_CALLSITE] = {"__intrinsic_stack_profile_callsite", 4,
                                           cols_stack_profile_callsite},
    [ORMA_TABLE_STACK_PROFILE_FRAME] = {"__intrinsic_stack_profile_frame", 7,
                                        cols_stack_profile_frame},
    [ORMA_TABLE_STACK_PROFILE_MAPPING] = {"__intrinsic_stack_profile_mapping", 8,
                                          cols_stack_profile_mapping},
    [ORMA_TABLE_STACK_PROFILE_SYMBOL] = {"__intrinsic_stack_profile_symbol", 6,
                                         cols_stack_profile_symbol},
    [ORMA_TABLE_SCHED_SLICE] = {"__intrinsic_sched_slice", 7, cols_sched_slice},
    [ORMA_TABLE_SPURIOUS_SCHED_WAKEUP] = {"__intrinsic_spurious_sched_wakeup", 6,
                                          cols_spurious_sched_wakeup},
    [ORMA_TABLE_THREAD_STATE] = {"__intrinsic_thread_state", 11, cols_thread_state},
    [ORMA_TABLE_SLICE] = {"__intrinsic_slice", 13, cols_slice},
    [ORMA_TABLE_TRACK_EVENT_CALLSTACKS] = {"__intrinsic_track_event_callstacks", 6,
                                           cols_track_event_callstacks},
    [ORMA_TABLE_STATE] = {"__intrinsic_state", 7, cols_state},
    [ORMA_TABLE_EXPERIMENTAL_PROTO_CONTENT] = {"experimental_proto_content", 6,
                                               cols_experimental_proto_content},
    [ORMA_TABLE_EXPERIMENTAL_PROTO_PATH] = {"experimental_proto_path", 5,
                                            cols_experimental_proto_path},
    [ORMA_TABLE_TRACK] = {"__intrinsic_track", 12, cols_track},
    [ORMA_TABLE_LOSS] = {"__intrinsic_loss", 11, cols_loss},
    [ORMA_TABLE_GAP] = {"__intrinsic_gap", 8, cols_gap},
    [ORMA_TABLE_FTRACE_SOURCE] = {"_orma_ftrace_source", 4, cols_ftrace_source},
    [ORMA_TABLE_FTRACE_PREV] = {"_orma_ftrace_prev", 5, cols_ftrace_prev},
    [ORMA_TABLE_SKIPPED_PACKET] = {"__intrinsic_skipped_packet", 4, cols_skipped_packet},
    [ORMA_TABLE_PACKAGE_LIST] = {"__intrinsic_package_list", 6, cols_package_list},
    [ORMA_TABLE_ANDROID_GAME_INTERVENTION_LIST] = {"__intrinsic_android_game_intervention_list", 16,
                                                   cols_android_game_intervention_list},
    [ORMA_TABLE_ANDROID_DUMPSTATE] = {"__intrinsic_android_dumpstate", 4, cols_android_dumpstate},
    [ORMA_TABLE_VULKAN_MEMORY_ALLOCATIONS] = {"__intrinsic_vulkan_memory_allocations", 15,
                                              cols_vulkan_memory_allocations},
    [ORMA_TABLE_ANDROID_AFLAGS] = {"__intrinsic_android_aflags", 12, cols_android_aflags},
    [ORMA_TABLE_ANDROID_CPU_PER_UID_TRACK] = {"__intrinsic_android_cpu_per_uid_track", 5,
                                              cols_android_cpu_per_uid_track},
    [ORMA_TABLE_ANDROID_INPUT_EVENT_DISPATCH] = {"__intrinsic_android_input_event_dispatch", 6,
                                                 cols_android_input_event_dispatch},
    [ORMA_TABLE_ANDROID_KEY_EVENTS] = {"__intrinsic_android_key_events", 10,
                                       cols_android_key_events},
    [ORMA_TABLE_ANDROID_MOTION_EVENTS] = {"__intrinsic_android_motion_events", 9,
                                          cols_android_motion_events},
    [ORMA_TABLE_ANDROID_NETWORK_PACKETS] = {"__intrinsic_android_network_packets", 15,
                                            cols_android_network_packets},
    [ORMA_TABLE_ANDROID_TRACK_EVENT_PROCESS] = {"__intrinsic_android_track_event_process", 13,
                                                cols_android_track_event_process},
    [ORMA_TABLE_ANDROID_USER_LIST] = {"__intrinsic_android_user_list", 3, cols_android_user_list},
    [ORMA_TABLE_CHROME_STACK_SAMPLE_EXTRAS] = {"__intrinsic_chrome_stack_sample_extras", 3,
                                               cols_chrome_stack_sample_extras},
    [ORMA_TABLE_ELF_FILE] = {"__intrinsic_elf_file", 4, cols_elf_file},
    [ORMA_TABLE_ETM_V4_CHUNK] = {"__intrinsic_etm_v4_chunk", 4, cols_etm_v4_chunk},
    [ORMA_TABLE_ETM_V4_CONFIGURATION] = {"__intrinsic_etm_v4_configuration", 10,
                                         cols_etm_v4_configuration},
    [ORMA_TABLE_ETM_V4_SESSION] = {"__intrinsic_etm_v4_session", 3, cols_etm_v4_session},
    [ORMA_TABLE_EXPERIMENTAL_MISSING_CHROME_PROCESSES] =
        {"__intrinsic_experimental_missing_chrome_processes", 3,
         cols_experimental_missing_chrome_processes},
    [ORMA_TABLE_HEAP_GRAPH_JAVA_OOME_DETAILS] = {"__intrinsic_heap_graph_java_oome_details", 6,
                                                 cols_heap_graph_java_oome_details},
    [ORMA_TABLE_INPUTMETHOD_CLIENTS] = {"__intrinsic_inputmethod_clients", 4,
                                        cols_inputmethod_clients},
    [ORMA_TABLE_INPUTMETHOD_MANAGER_SERVICE] = {"__intrinsic_inputmethod_manager_service", 4,
                                                cols_inputmethod_manager_service},
    [ORMA_TABLE_INPUTMETHOD_SERVICE] = {"__intrinsic_inputmethod_service", 4,
                                        cols_inputmethod_service},
    [ORMA_TABLE_PROTOLOG] = {"__intrinsic_protolog", 7, cols_protolog},
    [ORMA_TABLE_SURFACEFLINGER_DISPLAY] = {"__intrinsic_surfaceflinger_display", 7,
                                           cols_surfaceflinger_display},
    [ORMA_TABLE_SURFACEFLINGER_LAYER] = {"__intrinsic_surfaceflinger_layer", 18,
                                         cols_surfaceflinger_layer},
    [ORMA_TABLE_SURFACEFLINGER_LAYERS_SNAPSHOT] = {"__intrinsic_surfaceflinger_layers_snapshot", 6,
                                                   cols_surfaceflinger_layers_snapshot},
    [ORMA_TABLE_SURFACEFLINGER_TRANSACTION] = {"__intrinsic_surfaceflinger_transaction", 11,
                                               cols_surfaceflinger_transaction},
    [ORMA_TABLE_SURFACEFLINGER_TRANSACTION_FLAG] = {"__intrinsic_surfaceflinger_transaction_flag",
                                                    3, cols_surfaceflinger_transaction_flag},
    [ORMA_TABLE_SURFACEFLINGER_TRANSACTIONS] = {"__intrinsic_surfaceflinger_transactions", 5,
                                                cols_surfaceflinger_transactions},
    [ORMA_TABLE_V8_INTERNAL_CODE] = {"__intrinsic_v8_internal_code", 5, cols_v8_internal_code},
    [ORMA_TABLE_V8_ISOLATE] = {"__intrinsic_v8_isolate", 9, cols_v8_isolate},
    [ORMA_TABLE_V8_JS_CODE] = {"__intrinsic_v8_js_code", 5, cols_v8_js_code},
    [ORMA_TABLE_V8_JS_FUNCTION] = {"__intrinsic_v8_js_function", 7, cols_v8_js_function},
    [ORMA_TABLE_V8_JS_SCRIPT] = {"__intrinsic_v8_js_script", 6, cols_v8_js_script},
    [ORMA_TABLE_V8_REGEXP_CODE] = {"__intrinsic_v8_regexp_code", 4, cols_v8_regexp_code},
    [ORMA_TABLE_V8_WASM_CODE] = {"__intrinsic_v8_wasm_code", 7, cols_v8_wasm_code},
    [ORMA_TABLE_V8_WASM_SCRIPT] = {"__intrinsic_v8_wasm_script", 6, cols_v8_wasm_script},
    [ORMA_TABLE_VIDEO_FRAMES] = {"__intrinsic_video_frames", 10, cols_video_frames},
    [ORMA_TABLE_VIEWCAPTURE] = {"__intrinsic_viewcapture", 6, cols_viewcapture},
    [ORMA_TABLE_VIEWCAPTURE_VIEW] = {"__intrinsic_viewcapture_view", 11, cols_viewcapture_view},
    [ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_HANDLERS] =
        {"__intrinsic_window_manager_shell_transition_handlers", 4,
         cols_window_manager_shell_transition_handlers},
    [ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS] =
        {"__intrinsic_window_manager_shell_transition_participants", 12,
         cols_window_manager_shell_transition_participants},
    [ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS] =
        {"__intrinsic_window_manager_shell_transition_protos", 3,
         cols_window_manager_shell_transition_protos},
    [ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITIONS] = {"__intrinsic_window_manager_shell_transitions",
                                                     18, cols_window_manager_shell_transitions},
    [ORMA_TABLE_WINDOWMANAGER] = {"__intrinsic_windowmanager", 6, cols_windowmanager},
    [ORMA_TABLE_WINDOWMANAGER_WINDOWCONTAINER] = {"__intrinsic_windowmanager_windowcontainer", 12,
                                                  cols_windowmanager_windowcontainer},
    [ORMA_TABLE_WINSCOPE_FILL_REGION] = {"__intrinsic_winscope_fill_region", 3,
                                         cols_winscope_fill_region},
    [ORMA_TABLE_WINSCOPE_RECT] = {"__intrinsic_winscope_rect", 5, cols_winscope_rect},
    [ORMA_TABLE_WINSCOPE_TRACE_RECT] = {"__intrinsic_winscope_trace_rect", 10,
                                        cols_winscope_trace_rect},
    [ORMA_TABLE_WINSCOPE_TRANSFORM] = {"__intrinsic_winscope_transform", 7,
                                       cols_winscope_transform},
    [ORMA_TABLE_HEAP_GRAPH_CLASS] = {"__intrinsic_heap_graph_class", 7, cols_heap_graph_class},
    [ORMA_TABLE_HEAP_GRAPH_OBJECT] = {"__intrinsic_heap_graph_object", 12, cols_heap_graph_object},
    [ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA] = {"__intrinsic_heap_graph_object_data", 7,
                                           cols_heap_graph_object_data},
    [ORMA_TABLE_HEAP_GRAPH_REFERENCE] = {"__intrinsic_heap_graph_reference", 7,
                                         cols_heap_graph_reference},
    [ORMA_TABLE_HEAP_GRAPH_PRIMITIVE] = {"__intrinsic_heap_graph_primitive", 12,
                                         cols_heap_graph_primitive},
    [ORMA_TABLE_HEAP_GRAPH] = {"__intrinsic_heap_graph", 6, cols_heap_graph},
    [ORMA_TABLE_HEAP_GRAPH_THREAD_CALLSITE] = {"__intrinsic_heap_graph_thread_callsite", 4,
                                               cols_heap_graph_thread_callsite},
};
