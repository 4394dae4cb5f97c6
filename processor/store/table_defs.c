/* Every stored table and its columns. Made by tools/gen_tables.py. */
#include "processor/store/table.h"

#include <stddef.h>

static const struct orma_column_def cols_counter[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"value", ORMA_COL_DOUBLE, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_file[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"size", ORMA_COL_INT, 0},
    {"trace_type", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_flow[] = {
    {"id", ORMA_COL_ID, 0},
    {"slice_out", ORMA_COL_INT, ORMA_COL_U32}, /* id of slice */
    {"slice_in", ORMA_COL_INT, ORMA_COL_U32},  /* id of slice */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_jit_code[] = {
    {"id", ORMA_COL_ID, 0},
    {"create_ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"estimated_delete_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"utid", ORMA_COL_INT, ORMA_COL_U32},
    {"start_address", ORMA_COL_INT, 0},
    {"size", ORMA_COL_INT, 0},
    {"function_name", ORMA_COL_STRING, 0},
    {"native_code_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_jit_frame[] = {
    {"id", ORMA_COL_ID, 0},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of jit_code */
    {"frame_id", ORMA_COL_INT, ORMA_COL_U32},    /* id of stack_profile_frame */
};

static const struct orma_column_def cols_logs[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of thread */
    {"prio", ORMA_COL_INT, ORMA_COL_U32},
    {"log_source", ORMA_COL_STRING, 0},
    {"tag", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"msg", ORMA_COL_STRING, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_memory_snapshot_edge[] = {
    {"id", ORMA_COL_ID, 0},
    {"source_node_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of memory_snapshot_node */
    {"target_node_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of memory_snapshot_node */
    {"importance", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_memory_snapshot_node[] = {
    {"id", ORMA_COL_ID, 0},
    {"process_snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of process_memory_snapshot */
    {"parent_node_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"path", ORMA_COL_STRING, 0},
    {"size", ORMA_COL_INT, 0},
    {"effective_size", ORMA_COL_INT, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_memory_snapshot[] = {
    {"id", ORMA_COL_ID, 0},
    {"timestamp", ORMA_COL_INT, 0},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"detail_level", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_process_memory_snapshot[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of memory_snapshot */
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_args[] = {
    {"id", ORMA_COL_ID, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32},
    {"flat_key", ORMA_COL_STRING, 0},
    {"key", ORMA_COL_STRING, 0},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"string_value", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"real_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"value_type", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_build_flags[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"enabled", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_chrome_raw[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"name", ORMA_COL_STRING, 0},
    {"utid", ORMA_COL_INT, ORMA_COL_U32}, /* id of thread */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_clock_snapshot[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"clock_id", ORMA_COL_INT, 0},
    {"clock_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"clock_value", ORMA_COL_INT, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
};

static const struct orma_column_def cols_cpu_freq[] = {
    {"id", ORMA_COL_ID, 0},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32}, /* id of cpu */
    {"freq", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_cpu[] = {
    {"id", ORMA_COL_ID, 0},
    {"cpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"cluster_id", ORMA_COL_INT, ORMA_COL_U32},
    {"processor", ORMA_COL_STRING, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
    {"capacity", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_filedescriptor[] = {
    {"id", ORMA_COL_ID, 0},
    {"ufd", ORMA_COL_INT, 0},
    {"fd", ORMA_COL_INT, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_TIME},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"path", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_ftrace_event[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"name", ORMA_COL_STRING, 0},
    {"utid", ORMA_COL_INT, ORMA_COL_U32}, /* id of thread */
    {"arg_set_id", ORMA_COL_COMPUTED, ORMA_COL_U32},
    {"common_flags", ORMA_COL_INT, ORMA_COL_U32},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32}, /* id of cpu */
};

static const struct orma_column_def cols_gpu[] = {
    {"id", ORMA_COL_ID, 0},
    {"gpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
    {"name", ORMA_COL_STRING, 0},
    {"vendor", ORMA_COL_STRING, 0},
    {"model", ORMA_COL_STRING, 0},
    {"architecture", ORMA_COL_STRING, 0},
    {"uuid", ORMA_COL_STRING, 0},
    {"pci_bdf", ORMA_COL_STRING, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_linux_interrupt_mapping[] = {
    {"id", ORMA_COL_ID, 0},
    {"irq_id", ORMA_COL_INT, ORMA_COL_U32},
    {"name", ORMA_COL_STRING, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
};

static const struct orma_column_def cols_trace_import_logs[] = {
    {"id", ORMA_COL_ID, 0},
    {"trace_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of trace_file */
    {"ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_TIME},
    {"byte_offset", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"stat_key", ORMA_COL_INT, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_machine[] = {
    {"id", ORMA_COL_ID, 0},
    {"raw_id", ORMA_COL_INT, 0},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"sysname", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"release", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"version", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"arch", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"num_cpus", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"android_build_fingerprint", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"android_device_manufacturer", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"android_sdk_version", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"system_ram_bytes", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"system_ram_gb", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_metadata[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"key_type", ORMA_COL_STRING, 0},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"str_value", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"machine_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of machine */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},   /* id of trace_file */
};

static const struct orma_column_def cols_stats[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"key", ORMA_COL_INT, 0},
    {"idx", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"severity", ORMA_COL_STRING, 0},
    {"source", ORMA_COL_STRING, 0},
    {"value", ORMA_COL_INT, 0},
    {"description", ORMA_COL_STRING, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of machine */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},   /* id of trace_file */
};

static const struct orma_column_def cols_modules[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_process[] = {
    {"id", ORMA_COL_ID, 0},
    {"pid", ORMA_COL_INT, 0},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"parent_upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"android_appid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"android_user_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"cmdline", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
};

static const struct orma_column_def cols_thread[] = {
    {"id", ORMA_COL_ID, 0},
    {"tid", ORMA_COL_INT, 0},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of process */
    {"is_main_thread", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"is_idle", ORMA_COL_INT, ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_trace_diagnostics[] = {
    {"id", ORMA_COL_ID, 0},
    {"key", ORMA_COL_STRING, 0},
    {"title", ORMA_COL_STRING, 0},
    {"description", ORMA_COL_STRING, 0},
    {"remediation", ORMA_COL_STRING, 0},
    {"confidence", ORMA_COL_DOUBLE, 0},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of trace_file */
};

static const struct orma_column_def cols_trace_file[] = {
    {"id", ORMA_COL_ID, 0},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"size", ORMA_COL_INT, 0},
    {"trace_type", ORMA_COL_STRING, 0},
    {"processing_order", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"is_container", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_spe_record[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of thread */
    {"exception_level", ORMA_COL_STRING, 0},
    {"instruction_frame_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of stack_profile_frame */
    {"operation", ORMA_COL_STRING, 0},
    {"data_virtual_address", ORMA_COL_INT, 0},
    {"data_physical_address", ORMA_COL_INT, 0},
    {"total_latency", ORMA_COL_INT, ORMA_COL_U32},
    {"issue_latency", ORMA_COL_INT, ORMA_COL_U32},
    {"translation_latency", ORMA_COL_INT, ORMA_COL_U32},
    {"events_bitmask", ORMA_COL_INT, 0},
    {"data_source", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_mmap_record[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"mapping_id", ORMA_COL_INT, ORMA_COL_U32},                  /* id of stack_profile_mapping */
    {"file_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of file */
};

static const struct orma_column_def cols_aggregate_profile[] = {
    {"id", ORMA_COL_ID, 0},
    {"scope", ORMA_COL_STRING, 0},
    {"name", ORMA_COL_STRING, 0},
    {"sample_type_type", ORMA_COL_STRING, 0},
    {"sample_type_unit", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_aggregate_sample[] = {
    {"id", ORMA_COL_ID, 0},
    {"aggregate_profile_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of aggregate_profile */
    {"callsite_id", ORMA_COL_INT, ORMA_COL_U32},          /* id of stack_profile_callsite */
    {"value", ORMA_COL_DOUBLE, 0},
};

static const struct orma_column_def cols_gpu_context[] = {
    {"id", ORMA_COL_ID, 0},
    {"context_id", ORMA_COL_INT, ORMA_COL_U32},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"api", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_gpu_counter_group[] = {
    {"id", ORMA_COL_ID, 0},
    {"group_id", ORMA_COL_INT, ORMA_COL_I32},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"description", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_profile[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"ts_end", ORMA_COL_INT, 0},
    {"dur", ORMA_COL_INT, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"heap_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_profile_allocation[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"heap_name", ORMA_COL_STRING, 0},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of stack_profile_callsite */
    {"count", ORMA_COL_INT, 0},
    {"size", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_profiler_async_context[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"kind", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
};

static const struct orma_column_def cols_profiler_counter_set[] = {
    {"id", ORMA_COL_ID, 0},
    {"counter_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32},
    {"counter_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of counter */
};

static const struct orma_column_def cols_profiler_execution_context[] = {
    {"id", ORMA_COL_ID, 0},
    {"ucpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"cpu_mode", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_profiler_sample[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"source", ORMA_COL_STRING, 0},
    {"task_context_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of profiler_task_context */
    {"execution_context_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of profiler_execution_context */
    {"callsite_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of stack_profile_callsite */
    {"unwind_error", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"session_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of profiler_session */
    {"counter_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_profiler_session[] = {
    {"id", ORMA_COL_ID, 0},
    {"source", ORMA_COL_STRING, 0},
    {"timebase_unit", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"cmdline", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_profiler_smaps[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"path", ORMA_COL_STRING, 0},
    {"path_trimmed", ORMA_COL_STRING, 0},
    {"aggregate_count", ORMA_COL_INT, ORMA_COL_U32},
    {"is_deleted", ORMA_COL_INT, ORMA_COL_U32},
    {"size_kb", ORMA_COL_INT, 0},
    {"private_dirty_kb", ORMA_COL_INT, 0},
    {"swap_kb", ORMA_COL_INT, 0},
    {"file_name", ORMA_COL_STRING, 0},
    {"start_address", ORMA_COL_INT, 0},
    {"module_timestamp", ORMA_COL_INT, 0},
    {"module_debugid", ORMA_COL_STRING, 0},
    {"module_debug_path", ORMA_COL_STRING, 0},
    {"protection_flags", ORMA_COL_INT, 0},
    {"private_clean_resident_kb", ORMA_COL_INT, 0},
    {"shared_dirty_resident_kb", ORMA_COL_INT, 0},
    {"shared_clean_resident_kb", ORMA_COL_INT, 0},
    {"locked_kb", ORMA_COL_INT, 0},
    {"proportional_resident_kb", ORMA_COL_INT, 0},
    {"rss_kb", ORMA_COL_INT, 0},
    {"anonymous_kb", ORMA_COL_INT, 0},
    {"pss_dirty_kb", ORMA_COL_INT, 0},
    {"swap_pss_kb", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_profiler_task_context[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"async_context_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of profiler_async_context */
};

static const struct orma_column_def cols_stack_profile_callsite[] = {
    {"id", ORMA_COL_ID, 0},
    {"depth", ORMA_COL_INT, ORMA_COL_U32},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"frame_id", ORMA_COL_INT, ORMA_COL_U32},                      /* id of stack_profile_frame */
};

static const struct orma_column_def cols_stack_profile_frame[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"mapping", ORMA_COL_INT, ORMA_COL_U32}, /* id of stack_profile_mapping */
    {"rel_pc", ORMA_COL_INT, 0},
    {"symbol_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"deobfuscated_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_stack_profile_mapping[] = {
    {"id", ORMA_COL_ID, 0},
    {"build_id", ORMA_COL_STRING, 0},
    {"exact_offset", ORMA_COL_INT, 0},
    {"start_offset", ORMA_COL_INT, 0},
    {"start", ORMA_COL_INT, 0},
    {"end", ORMA_COL_INT, 0},
    {"load_bias", ORMA_COL_INT, 0},
    {"name", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_stack_profile_symbol[] = {
    {"id", ORMA_COL_ID, 0},
    {"symbol_set_id", ORMA_COL_INT, ORMA_COL_TIME | ORMA_COL_U32},
    {"name", ORMA_COL_STRING, 0},
    {"source_file", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"line_number", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"inlined", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_sched_slice[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"dur", ORMA_COL_INT, 0},
    {"utid", ORMA_COL_INT, ORMA_COL_U32},
    {"end_state", ORMA_COL_STRING, 0},
    {"priority", ORMA_COL_INT, ORMA_COL_I32},
    {"ucpu", ORMA_COL_INT, ORMA_COL_U32}, /* id of cpu */
};

static const struct orma_column_def cols_spurious_sched_wakeup[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"thread_state_id", ORMA_COL_INT, 0},
    {"irq_context", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"utid", ORMA_COL_INT, ORMA_COL_U32},
    {"waker_utid", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_thread_state[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"dur", ORMA_COL_INT, 0},
    {"utid", ORMA_COL_INT, ORMA_COL_U32},
    {"state", ORMA_COL_STRING, 0},
    {"io_wait", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"blocked_function", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"waker_utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"waker_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"irq_context", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"ucpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of cpu */
};

static const struct orma_column_def cols_slice[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"dur", ORMA_COL_INT, 0},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"category", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"depth", ORMA_COL_INT, ORMA_COL_U32},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"thread_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"thread_dur", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"thread_instruction_count", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"thread_instruction_delta", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_track_event_callstacks[] = {
    {"id", ORMA_COL_ID, 0},
    {"slice_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of slice */
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"callsite_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of stack_profile_callsite */
    {"end_callsite_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of stack_profile_callsite */
    {"weight", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_state[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"dur", ORMA_COL_INT, 0},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"category", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"value", ORMA_COL_STRING, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_experimental_proto_content[] = {
    {"id", ORMA_COL_ID, 0},
    {"path", ORMA_COL_STRING, 0},
    {"path_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of experimental_proto_path */
    {"total_size", ORMA_COL_INT, 0},
    {"size", ORMA_COL_INT, 0},
    {"count", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_experimental_proto_path[] = {
    {"id", ORMA_COL_ID, 0},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"field_type", ORMA_COL_STRING, 0},
    {"field_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_track[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"parent_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of self */
    {"source_arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
    {"type", ORMA_COL_STRING, 0},
    {"dimension_arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"track_group_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"event_type", ORMA_COL_STRING, 0},
    {"counter_unit", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of thread */
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of process */
};

static const struct orma_column_def cols_loss[] = {
    {"id", ORMA_COL_ID, 0},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of thread */
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of process */
    {"buffer", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"producer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"writer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"reason", ORMA_COL_STRING, 0},
    {"packets", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32},                   /* id of machine */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of trace_file */
};

static const struct orma_column_def cols_incident[] = {
    {"id", ORMA_COL_ID, 0},
    {"reason", ORMA_COL_STRING, 0},
    {"source", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"producer", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_TIME},
    {"ts_end", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"text", ORMA_COL_STRING, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32},                   /* id of machine */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of trace_file */
};

static const struct orma_column_def cols_clock_round[] = {
    {"id", ORMA_COL_ID, 0},
    {"host_ns", ORMA_COL_INT, 0},
    {"ahead", ORMA_COL_INT, 0},
    {"ahead_min", ORMA_COL_INT, 0},
    {"ahead_max", ORMA_COL_INT, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32},                   /* id of machine */
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of trace_file */
};

static const struct orma_column_def cols_gap[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"reason", ORMA_COL_STRING, 0},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"tid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"cpu", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
};

static const struct orma_column_def cols_profiler_cpu_time[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"utid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of thread */
    {"cpu_time", ORMA_COL_INT, 0},
    {"machine_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of machine */
};

static const struct orma_column_def cols_profiler_sample_context[] = {
    {"id", ORMA_COL_ID, 0},
    {"profiler_sample_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of profiler_sample */
    {"trace_id", ORMA_COL_STRING, 0},
    {"span_id", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_ftrace_source[] = {
    {"id", ORMA_COL_ID, 0},
    {"bundle", ORMA_COL_INT, 0},
    {"idx", ORMA_COL_INT, 0},
    {"kind", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_ftrace_prev[] = {
    {"id", ORMA_COL_ID, 0},
    {"source", ORMA_COL_INT, 0},
    {"comm", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"pid", ORMA_COL_INT, 0},
    {"prio", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_skipped_packet[] = {
    {"id", ORMA_COL_ID, 0},
    {"field", ORMA_COL_INT, ORMA_COL_U32},
    {"name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"packets", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_package_list[] = {
    {"id", ORMA_COL_ID, 0},
    {"package_name", ORMA_COL_STRING, 0},
    {"uid", ORMA_COL_INT, 0},
    {"debuggable", ORMA_COL_INT, ORMA_COL_U32},
    {"profileable_from_shell", ORMA_COL_INT, ORMA_COL_U32},
    {"version_code", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_android_game_intervention_list[] = {
    {"id", ORMA_COL_ID, 0},
    {"package_name", ORMA_COL_STRING, 0},
    {"uid", ORMA_COL_INT, 0},
    {"current_mode", ORMA_COL_INT, ORMA_COL_I32},
    {"standard_mode_supported", ORMA_COL_INT, ORMA_COL_U32},
    {"standard_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"standard_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"standard_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"perf_mode_supported", ORMA_COL_INT, ORMA_COL_U32},
    {"perf_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"perf_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"perf_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"battery_mode_supported", ORMA_COL_INT, ORMA_COL_U32},
    {"battery_mode_downscale", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"battery_mode_use_angle", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"battery_mode_fps", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_android_dumpstate[] = {
    {"id", ORMA_COL_ID, 0},
    {"section", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"service", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"line", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_vulkan_memory_allocations[] = {
    {"id", ORMA_COL_ID, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"source", ORMA_COL_STRING, 0},
    {"operation", ORMA_COL_STRING, 0},
    {"timestamp", ORMA_COL_INT, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of process */
    {"device", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"device_memory", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"memory_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"heap", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"function_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"object_handle", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"memory_address", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"memory_size", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"scope", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_android_aflags[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"package", ORMA_COL_STRING, 0},
    {"name", ORMA_COL_STRING, 0},
    {"flag_namespace", ORMA_COL_STRING, 0},
    {"container", ORMA_COL_STRING, 0},
    {"value", ORMA_COL_STRING, 0},
    {"staged_value", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"permission", ORMA_COL_STRING, 0},
    {"value_picked_from", ORMA_COL_STRING, 0},
    {"storage_backend", ORMA_COL_STRING, 0},
    {"type", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_android_cpu_per_uid_track[] = {
    {"id", ORMA_COL_ID, 0},
    {"track_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of track */
    {"uid", ORMA_COL_INT, 0},
    {"cluster", ORMA_COL_INT, 0},
    {"total_cpu_millis", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_android_input_event_dispatch[] = {
    {"id", ORMA_COL_ID, 0},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"vsync_id", ORMA_COL_INT, 0},
    {"window_id", ORMA_COL_INT, ORMA_COL_I32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_android_key_events[] = {
    {"id", ORMA_COL_ID, 0},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"source", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"action", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"device_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"key_code", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_android_motion_events[] = {
    {"id", ORMA_COL_ID, 0},
    {"event_id", ORMA_COL_INT, ORMA_COL_U32},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"source", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"action", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"device_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_android_network_packets[] = {
    {"id", ORMA_COL_INT, ORMA_COL_U32}, /* id of slice */
    {"iface", ORMA_COL_STRING, 0},
    {"direction", ORMA_COL_STRING, 0},
    {"packet_transport", ORMA_COL_STRING, 0},
    {"packet_length", ORMA_COL_INT, 0},
    {"packet_count", ORMA_COL_INT, 0},
    {"socket_tag", ORMA_COL_INT, ORMA_COL_U32},
    {"socket_tag_str", ORMA_COL_STRING, 0},
    {"socket_uid", ORMA_COL_INT, ORMA_COL_U32},
    {"local_port", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"remote_port", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"packet_icmp_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"packet_icmp_code", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"packet_tcp_flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"packet_tcp_flags_str", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_android_track_event_process[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32}, /* id of process */
    {"start_seq_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"package_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"caller_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"defining_uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"fw_start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"fw_end_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"trigger_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"hosting_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"hosting_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"bind_application_delay_ms", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"process_start_delay_ms", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_android_user_list[] = {
    {"id", ORMA_COL_ID, 0},
    {"type", ORMA_COL_STRING, 0},
    {"android_user_id", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_chrome_stack_sample_extras[] = {
    {"id", ORMA_COL_ID, 0},
    {"profiler_sample_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of profiler_sample */
    {"process_priority", ORMA_COL_INT, ORMA_COL_I32},
};

static const struct orma_column_def cols_elf_file[] = {
    {"id", ORMA_COL_ID, 0},
    {"file_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of file */
    {"load_bias", ORMA_COL_INT, 0},
    {"build_id", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_etm_v4_chunk[] = {
    {"id", ORMA_COL_ID, 0},
    {"session_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of etm_v4_session */
    {"chunk_set_id", ORMA_COL_INT, ORMA_COL_U32},
    {"size", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_etm_v4_configuration[] = {
    {"id", ORMA_COL_ID, 0},
    {"set_id", ORMA_COL_INT, ORMA_COL_U32},
    {"cpu", ORMA_COL_INT, ORMA_COL_U32},
    {"cs_trace_stream_id", ORMA_COL_INT, ORMA_COL_U32},
    {"core_profile", ORMA_COL_STRING, 0},
    {"arch_version", ORMA_COL_STRING, 0},
    {"major_version", ORMA_COL_INT, ORMA_COL_U32},
    {"minor_version", ORMA_COL_INT, ORMA_COL_U32},
    {"max_speculation_depth", ORMA_COL_INT, ORMA_COL_U32},
    {"bool_flags", ORMA_COL_INT, 0},
};

static const struct orma_column_def cols_etm_v4_session[] = {
    {"id", ORMA_COL_ID, 0},
    {"configuration_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of etm_v4_configuration */
    {"start_ts", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_experimental_missing_chrome_processes[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"reliable_from", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph_java_oome_details[] = {
    {"id", ORMA_COL_ID, 0},
    {"heap_graph_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of heap_graph */
    {"allocation_size_bytes", ORMA_COL_INT, 0},
    {"total_bytes_free", ORMA_COL_INT, 0},
    {"free_bytes_until_oom", ORMA_COL_INT, 0},
    {"error_msg", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_inputmethod_clients[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_inputmethod_manager_service[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_inputmethod_service[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_protolog[] = {
    {"id", ORMA_COL_ID, 0},           {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"level", ORMA_COL_STRING, 0},    {"tag", ORMA_COL_STRING, 0},
    {"message", ORMA_COL_STRING, 0},  {"stacktrace", ORMA_COL_STRING, 0},
    {"location", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_surfaceflinger_display[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of surfaceflinger_layers_snapshot */
    {"is_on", ORMA_COL_INT, 0},
    {"is_virtual", ORMA_COL_INT, 0},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of winscope_trace_rect */
    {"display_id", ORMA_COL_INT, 0},
    {"display_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_surfaceflinger_layer[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of surfaceflinger_layers_snapshot */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"layer_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"is_visible", ORMA_COL_INT, 0},
    {"parent", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"corner_radius_tl", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"corner_radius_tr", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"corner_radius_bl", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"corner_radius_br", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"hwc_composition_type", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"is_hidden_by_policy", ORMA_COL_INT, 0},
    {"z_order_relative_of", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"is_missing_z_parent", ORMA_COL_INT, 0},
    {"layer_rect_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of winscope_trace_rect */
    {"input_rect_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of winscope_trace_rect */
};

static const struct orma_column_def cols_surfaceflinger_layers_snapshot[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"sequence_id", ORMA_COL_INT, ORMA_COL_U32},
    {"has_invalid_elapsed_ts", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_surfaceflinger_transaction[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of surfaceflinger_transactions */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"pid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"uid", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"flags_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"transaction_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_surfaceflinger_transaction_flag[] = {
    {"id", ORMA_COL_ID, 0},
    {"flags_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"flag", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_surfaceflinger_transactions[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"vsync_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_v8_internal_code[] = {
    {"id", ORMA_COL_ID, 0},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32},   /* id of jit_code */
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_isolate */
    {"function_name", ORMA_COL_STRING, 0},
    {"code_type", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_v8_isolate[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"internal_isolate_id", ORMA_COL_INT, ORMA_COL_I32},
    {"embedded_blob_code_start_address", ORMA_COL_INT, 0},
    {"embedded_blob_code_size", ORMA_COL_INT, 0},
    {"code_range_base_address", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"code_range_size", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"shared_code_range", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"embedded_blob_code_copy_start_address", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_v8_js_code[] = {
    {"id", ORMA_COL_ID, 0},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of jit_code */
    {"v8_js_function_id", ORMA_COL_INT, ORMA_COL_U32},               /* id of v8_js_function */
    {"tier", ORMA_COL_STRING, 0},
    {"bytecode_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_v8_js_function[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"v8_js_script_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_js_script */
    {"is_toplevel", ORMA_COL_INT, ORMA_COL_U32},
    {"kind", ORMA_COL_STRING, 0},
    {"line", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"col", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_v8_js_script[] = {
    {"id", ORMA_COL_ID, 0},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_isolate */
    {"internal_script_id", ORMA_COL_INT, ORMA_COL_I32},
    {"script_type", ORMA_COL_STRING, 0},
    {"name", ORMA_COL_STRING, 0},
    {"source", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_v8_regexp_code[] = {
    {"id", ORMA_COL_ID, 0},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32},   /* id of jit_code */
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_isolate */
    {"pattern", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_v8_wasm_code[] = {
    {"id", ORMA_COL_ID, 0},
    {"jit_code_id", ORMA_COL_INT, ORMA_COL_U32},       /* id of jit_code */
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32},     /* id of v8_isolate */
    {"v8_wasm_script_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_wasm_script */
    {"function_name", ORMA_COL_STRING, 0},
    {"tier", ORMA_COL_STRING, 0},
    {"code_offset_in_module", ORMA_COL_INT, ORMA_COL_I32},
};

static const struct orma_column_def cols_v8_wasm_script[] = {
    {"id", ORMA_COL_ID, 0},
    {"v8_isolate_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of v8_isolate */
    {"internal_script_id", ORMA_COL_INT, ORMA_COL_I32},
    {"url", ORMA_COL_STRING, 0},
    {"wire_bytes_base64", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"source", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_video_frames[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"display_id", ORMA_COL_INT, ORMA_COL_I32},
    {"display_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"codec_string", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"frame_number", ORMA_COL_INT, 0},
    {"codec", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"is_key_frame", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"pts_us", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"is_config", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
};

static const struct orma_column_def cols_viewcapture[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"package_name", ORMA_COL_STRING, 0},
    {"window_name", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_viewcapture_view[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of viewcapture */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"node_id", ORMA_COL_INT, ORMA_COL_U32},
    {"hashcode", ORMA_COL_INT, ORMA_COL_U32},
    {"is_visible", ORMA_COL_INT, 0},
    {"parent_id", ORMA_COL_INT, ORMA_COL_U32},
    {"view_id", ORMA_COL_STRING, 0},
    {"class_name", ORMA_COL_STRING, 0},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of winscope_trace_rect */
};

static const struct orma_column_def cols_window_manager_shell_transition_handlers[] = {
    {"id", ORMA_COL_ID, 0},
    {"handler_id", ORMA_COL_INT, 0},
    {"handler_name", ORMA_COL_STRING, 0},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_window_manager_shell_transition_participants[] = {
    {"id", ORMA_COL_ID, 0},
    {"transition_id", ORMA_COL_INT, 0},
    {"layer_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"window_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"mode", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"start_display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"end_display_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"start_rotation", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"end_rotation", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"start_abs_bounds_rect_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of winscope_rect */
    {"end_abs_bounds_rect_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of winscope_rect */
};

static const struct orma_column_def cols_window_manager_shell_transition_protos[] = {
    {"id", ORMA_COL_ID, 0},
    {"transition_id", ORMA_COL_INT, 0},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_window_manager_shell_transitions[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"transition_id", ORMA_COL_INT, 0},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"transition_type", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"send_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"dispatch_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"duration_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"finish_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"shell_abort_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"wm_abort_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"merge_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"create_time_ns", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"handler", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"status", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"flags", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"start_transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"finish_transaction_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_windowmanager[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"focused_display_id", ORMA_COL_INT, ORMA_COL_U32},
    {"has_invalid_elapsed_ts", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_windowmanager_windowcontainer[] = {
    {"id", ORMA_COL_ID, 0},
    {"snapshot_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of windowmanager */
    {"arg_set_id", ORMA_COL_INT, ORMA_COL_U32},
    {"base64_proto_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"title", ORMA_COL_STRING, 0},
    {"token", ORMA_COL_INT, ORMA_COL_I32},
    {"parent_token", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_I32},
    {"child_index", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"is_visible", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"window_rect_id", ORMA_COL_INT,
     ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of winscope_trace_rect */
    {"container_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"name_override", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_winscope_fill_region[] = {
    {"id", ORMA_COL_ID, 0},
    {"trace_rect_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of winscope_trace_rect */
    {"rect_id", ORMA_COL_INT, ORMA_COL_U32},       /* id of winscope_rect */
};

static const struct orma_column_def cols_winscope_rect[] = {
    {"id", ORMA_COL_ID, 0},    {"x", ORMA_COL_DOUBLE, 0}, {"y", ORMA_COL_DOUBLE, 0},
    {"w", ORMA_COL_DOUBLE, 0}, {"h", ORMA_COL_DOUBLE, 0},
};

static const struct orma_column_def cols_winscope_trace_rect[] = {
    {"id", ORMA_COL_ID, 0},
    {"rect_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of winscope_rect */
    {"group_id", ORMA_COL_INT, ORMA_COL_U32},
    {"depth", ORMA_COL_INT, ORMA_COL_U32},
    {"is_spy", ORMA_COL_INT, 0},
    {"is_visible", ORMA_COL_INT, 0},
    {"opacity", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"transform_id", ORMA_COL_INT, ORMA_COL_U32}, /* id of winscope_transform */
    {"border_width", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"border_color", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
};

static const struct orma_column_def cols_winscope_transform[] = {
    {"id", ORMA_COL_ID, 0},     {"dsdx", ORMA_COL_DOUBLE, 0}, {"dtdx", ORMA_COL_DOUBLE, 0},
    {"tx", ORMA_COL_DOUBLE, 0}, {"dtdy", ORMA_COL_DOUBLE, 0}, {"dsdy", ORMA_COL_DOUBLE, 0},
    {"ty", ORMA_COL_DOUBLE, 0},
};

static const struct orma_column_def cols_import_account[] = {
    {"id", ORMA_COL_ID, 0},
    {"trace_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32}, /* id of trace_file */
    {"unit", ORMA_COL_STRING, 0},
    {"units", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"kind", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"reason", ORMA_COL_STRING, 0},
    {"count", ORMA_COL_INT, 0},
    {"first_offset", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"message", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph_class[] = {
    {"id", ORMA_COL_ID, 0},
    {"name", ORMA_COL_STRING, 0},
    {"deobfuscated_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"location", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"superclass_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"classloader_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"kind", ORMA_COL_STRING, 0},
};

static const struct orma_column_def cols_heap_graph_object[] = {
    {"id", ORMA_COL_ID, 0},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"graph_sample_ts", ORMA_COL_INT, 0},
    {"self_size", ORMA_COL_INT, 0},
    {"native_size", ORMA_COL_INT, 0},
    {"reference_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"reachable", ORMA_COL_INT, ORMA_COL_U32},
    {"heap_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"type_id", ORMA_COL_INT, ORMA_COL_U32},
    {"root_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"root_distance", ORMA_COL_INT, 0},
    {"object_data_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph_object_data[] = {
    {"id", ORMA_COL_ID, 0},
    {"field_set_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"value_string", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"array_element_type", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"array_element_count", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"array_data_id", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"array_data_hash", ORMA_COL_INT, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph_reference[] = {
    {"id", ORMA_COL_ID, 0},
    {"reference_set_id", ORMA_COL_INT, ORMA_COL_U32},
    {"owner_id", ORMA_COL_INT, ORMA_COL_U32},
    {"owned_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
    {"field_name", ORMA_COL_STRING, 0},
    {"field_type_name", ORMA_COL_STRING, 0},
    {"deobfuscated_field_name", ORMA_COL_STRING, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph_primitive[] = {
    {"id", ORMA_COL_ID, 0},
    {"field_set_id", ORMA_COL_INT, ORMA_COL_U32},
    {"field_name", ORMA_COL_STRING, 0},
    {"field_type", ORMA_COL_STRING, 0},
    {"bool_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"byte_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"char_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"short_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"int_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"long_value", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"float_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"double_value", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
};

static const struct orma_column_def cols_heap_graph[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"upid", ORMA_COL_INT, ORMA_COL_U32},
    {"dump_reason", ORMA_COL_STRING, ORMA_COL_NULLABLE},
    {"heap_size", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"_truncated", ORMA_COL_INT, ORMA_COL_U32},
};

static const struct orma_column_def cols_heap_graph_thread_callsite[] = {
    {"id", ORMA_COL_ID, 0},
    {"heap_graph_id", ORMA_COL_INT, ORMA_COL_U32},
    {"utid", ORMA_COL_INT, ORMA_COL_U32},
    {"callsite_id", ORMA_COL_INT, ORMA_COL_NULLABLE | ORMA_COL_U32},
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
    [ORMA_TABLE_INCIDENT] = {"__intrinsic_incident", 10, cols_incident},
    [ORMA_TABLE_CLOCK_ROUND] = {"__intrinsic_clock_round", 7, cols_clock_round},
    [ORMA_TABLE_GAP] = {"__intrinsic_gap", 8, cols_gap},
    [ORMA_TABLE_PROFILER_CPU_TIME] = {"__intrinsic_profiler_cpu_time", 5, cols_profiler_cpu_time},
    [ORMA_TABLE_PROFILER_SAMPLE_CONTEXT] = {"__intrinsic_profiler_sample_context", 4,
                                            cols_profiler_sample_context},
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
    [ORMA_TABLE_IMPORT_ACCOUNT] = {"__intrinsic_import_account", 9, cols_import_account},
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
