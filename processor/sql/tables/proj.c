/*
 * The projections. Names, columns and their order are facts of the interface
 * (docs/tables.md); how they are made is ours.
 */
#include "processor/sql/tables/proj.h"

#include <stddef.h>

#include "processor/store/table_defs.h"

static const struct orma_proj_column cols_metadata[] = {
    {"id", ORMA_PROJ_COL, ORMA_METADATA_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_METADATA_NAME, 0, NULL},
    {"key_type", ORMA_PROJ_COL, ORMA_METADATA_KEY_TYPE, 0, NULL},
    {"int_value", ORMA_PROJ_COL, ORMA_METADATA_INT_VALUE, 0, NULL},
    {"str_value", ORMA_PROJ_COL, ORMA_METADATA_STR_VALUE, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_METADATA_MACHINE_ID, 0, NULL},
    {"trace_id", ORMA_PROJ_COL, ORMA_METADATA_TRACE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stats[] = {
    {"id", ORMA_PROJ_COL, ORMA_STATS_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_STATS_NAME, 0, NULL},
    {"key", ORMA_PROJ_COL, ORMA_STATS_KEY, 0, NULL},
    {"idx", ORMA_PROJ_COL, ORMA_STATS_IDX, 0, NULL},
    {"severity", ORMA_PROJ_COL, ORMA_STATS_SEVERITY, 0, NULL},
    {"source", ORMA_PROJ_COL, ORMA_STATS_SOURCE, 0, NULL},
    {"value", ORMA_PROJ_COL, ORMA_STATS_VALUE, 0, NULL},
    {"description", ORMA_PROJ_COL, ORMA_STATS_DESCRIPTION, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_STATS_MACHINE_ID, 0, NULL},
    {"trace_id", ORMA_PROJ_COL, ORMA_STATS_TRACE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"dimension_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"track_group_id", ORMA_PROJ_COL, ORMA_TRACK_TRACK_GROUP_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"dimension_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {NULL},
};

static const struct orma_proj_column cols_cpu_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"cpu", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "cpu"},
    {NULL},
};

static const struct orma_proj_column cols_gpu_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"ugpu", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "ugpu"},
    {"gpu_id", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "gpu"},
    {NULL},
};

static const struct orma_proj_column cols_process_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"upid", ORMA_PROJ_COL, ORMA_TRACK_UPID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_thread_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"utid", ORMA_PROJ_COL, ORMA_TRACK_UTID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_perf_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"perf_session_id", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "perf_session_id"},
    {"cpu", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "cpu"},
    {"is_timebase", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "is_timebase"},
    {NULL},
};

static const struct orma_proj_column cols_thread_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_TRACK_UTID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_process_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_TRACK_UPID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_cpu_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"cpu", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "cpu"},
    {NULL},
};

static const struct orma_proj_column cols_state_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"dimension_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_process_state_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_TRACK_UPID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_thread_state_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_TRACK_UTID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_counter[] = {
    {"id", ORMA_PROJ_COL, ORMA_COUNTER_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_COUNTER_TS, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_COUNTER_TRACK_ID, 0, NULL},
    {"value", ORMA_PROJ_COL, ORMA_COUNTER_VALUE, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_COUNTER_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_slice[] = {
    {"id", ORMA_PROJ_COL, ORMA_SLICE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_SLICE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_SLICE_DUR, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_SLICE_TRACK_ID, 0, NULL},
    {"category", ORMA_PROJ_COL, ORMA_SLICE_CATEGORY, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_SLICE_NAME, 0, NULL},
    {"depth", ORMA_PROJ_COL, ORMA_SLICE_DEPTH, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_SLICE_PARENT_ID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_SLICE_ARG_SET_ID, 0, NULL},
    {"thread_ts", ORMA_PROJ_COL, ORMA_SLICE_THREAD_TS, 0, NULL},
    {"thread_dur", ORMA_PROJ_COL, ORMA_SLICE_THREAD_DUR, 0, NULL},
    {"thread_instruction_count", ORMA_PROJ_COL, ORMA_SLICE_THREAD_INSTRUCTION_COUNT, 0, NULL},
    {"thread_instruction_delta", ORMA_PROJ_COL, ORMA_SLICE_THREAD_INSTRUCTION_DELTA, 0, NULL},
    {"cat", ORMA_PROJ_COL, ORMA_SLICE_CATEGORY, 0, NULL},
    {"slice_id", ORMA_PROJ_COL, ORMA_SLICE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_slices[] = {
    {"id", ORMA_PROJ_COL, ORMA_SLICE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_SLICE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_SLICE_DUR, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_SLICE_TRACK_ID, 0, NULL},
    {"category", ORMA_PROJ_COL, ORMA_SLICE_CATEGORY, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_SLICE_NAME, 0, NULL},
    {"depth", ORMA_PROJ_COL, ORMA_SLICE_DEPTH, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_SLICE_PARENT_ID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_SLICE_ARG_SET_ID, 0, NULL},
    {"thread_ts", ORMA_PROJ_COL, ORMA_SLICE_THREAD_TS, 0, NULL},
    {"thread_dur", ORMA_PROJ_COL, ORMA_SLICE_THREAD_DUR, 0, NULL},
    {"thread_instruction_count", ORMA_PROJ_COL, ORMA_SLICE_THREAD_INSTRUCTION_COUNT, 0, NULL},
    {"thread_instruction_delta", ORMA_PROJ_COL, ORMA_SLICE_THREAD_INSTRUCTION_DELTA, 0, NULL},
    {"cat", ORMA_PROJ_COL, ORMA_SLICE_CATEGORY, 0, NULL},
    {"slice_id", ORMA_PROJ_COL, ORMA_SLICE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_instant[] = {
    {"ts", ORMA_PROJ_COL, ORMA_SLICE_TS, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_SLICE_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_SLICE_NAME, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_SLICE_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_state[] = {
    {"id", ORMA_PROJ_COL, ORMA_STATE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_STATE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_STATE_DUR, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_STATE_TRACK_ID, 0, NULL},
    {"category", ORMA_PROJ_COL, ORMA_STATE_CATEGORY, 0, NULL},
    {"value", ORMA_PROJ_COL, ORMA_STATE_VALUE, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_STATE_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_cpu[] = {
    {"id", ORMA_PROJ_COL, ORMA_CPU_ID, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_CPU_ID, 0, NULL},
    {"cpu", ORMA_PROJ_COL, ORMA_CPU_CPU, 0, NULL},
    {"cluster_id", ORMA_PROJ_COL, ORMA_CPU_CLUSTER_ID, 0, NULL},
    {"processor", ORMA_PROJ_COL, ORMA_CPU_PROCESSOR, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_CPU_MACHINE_ID, 0, NULL},
    {"capacity", ORMA_PROJ_COL, ORMA_CPU_CAPACITY, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_CPU_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_cpu_available_frequencies[] = {
    {"id", ORMA_PROJ_COL, ORMA_CPU_FREQ_ID, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_CPU_FREQ_UCPU, 0, NULL},
    {"freq", ORMA_PROJ_COL, ORMA_CPU_FREQ_FREQ, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_CPU_FREQ_UCPU, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_sched[] = {
    {"id", ORMA_PROJ_COL, ORMA_SCHED_SLICE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_SCHED_SLICE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_SCHED_SLICE_DUR, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_SCHED_SLICE_UCPU, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_SCHED_SLICE_UTID, 0, NULL},
    {"end_state", ORMA_PROJ_COL, ORMA_SCHED_SLICE_END_STATE, 0, NULL},
    {"priority", ORMA_PROJ_COL, ORMA_SCHED_SLICE_PRIORITY, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_SCHED_SLICE_UCPU, 0, NULL},
    {"ts_end", ORMA_PROJ_SUM, ORMA_SCHED_SLICE_TS, ORMA_SCHED_SLICE_DUR, NULL},
    {NULL},
};

static const struct orma_proj_column cols_sched_slice[] = {
    {"id", ORMA_PROJ_COL, ORMA_SCHED_SLICE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_SCHED_SLICE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_SCHED_SLICE_DUR, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_SCHED_SLICE_UCPU, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_SCHED_SLICE_UTID, 0, NULL},
    {"end_state", ORMA_PROJ_COL, ORMA_SCHED_SLICE_END_STATE, 0, NULL},
    {"priority", ORMA_PROJ_COL, ORMA_SCHED_SLICE_PRIORITY, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_SCHED_SLICE_UCPU, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_thread_state[] = {
    {"id", ORMA_PROJ_COL, ORMA_THREAD_STATE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_THREAD_STATE_TS, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_THREAD_STATE_DUR, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_THREAD_STATE_UCPU, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_THREAD_STATE_UTID, 0, NULL},
    {"state", ORMA_PROJ_COL, ORMA_THREAD_STATE_STATE, 0, NULL},
    {"io_wait", ORMA_PROJ_COL, ORMA_THREAD_STATE_IO_WAIT, 0, NULL},
    {"blocked_function", ORMA_PROJ_COL, ORMA_THREAD_STATE_BLOCKED_FUNCTION, 0, NULL},
    {"waker_utid", ORMA_PROJ_COL, ORMA_THREAD_STATE_WAKER_UTID, 0, NULL},
    {"waker_id", ORMA_PROJ_COL, ORMA_THREAD_STATE_WAKER_ID, 0, NULL},
    {"irq_context", ORMA_PROJ_COL, ORMA_THREAD_STATE_IRQ_CONTEXT, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_THREAD_STATE_UCPU, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_spurious_sched_wakeup[] = {
    {"id", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_TS, 0, NULL},
    {"thread_state_id", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_THREAD_STATE_ID, 0, NULL},
    {"irq_context", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_IRQ_CONTEXT, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_UTID, 0, NULL},
    {"waker_utid", ORMA_PROJ_COL, ORMA_SPURIOUS_SCHED_WAKEUP_WAKER_UTID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_ftrace_event[] = {
    {"id", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_TS, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_NAME, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_FTRACE_EVENT_UCPU, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_UTID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_ARG_SET_ID, 0, NULL},
    {"common_flags", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_COMMON_FLAGS, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_UCPU, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_raw[] = {
    {"id", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_TS, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_NAME, 0, NULL},
    {"cpu", ORMA_PROJ_CPU, ORMA_FTRACE_EVENT_UCPU, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_UTID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_ARG_SET_ID, 0, NULL},
    {"common_flags", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_COMMON_FLAGS, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_FTRACE_EVENT_UCPU, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_thread[] = {
    {"id", ORMA_PROJ_COL, ORMA_THREAD_ID, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_THREAD_ID, 0, NULL},
    {"tid", ORMA_PROJ_COL, ORMA_THREAD_TID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_THREAD_NAME, 0, NULL},
    {"start_ts", ORMA_PROJ_COL, ORMA_THREAD_START_TS, 0, NULL},
    {"end_ts", ORMA_PROJ_COL, ORMA_THREAD_END_TS, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_THREAD_UPID, 0, NULL},
    {"is_main_thread", ORMA_PROJ_COL, ORMA_THREAD_IS_MAIN_THREAD, 0, NULL},
    {"is_idle", ORMA_PROJ_COL, ORMA_THREAD_IS_IDLE, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_THREAD_MACHINE_ID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_THREAD_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_process[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROCESS_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_PROCESS_ID, 0, NULL},
    {"pid", ORMA_PROJ_COL, ORMA_PROCESS_PID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_PROCESS_NAME, 0, NULL},
    {"start_ts", ORMA_PROJ_COL, ORMA_PROCESS_START_TS, 0, NULL},
    {"end_ts", ORMA_PROJ_COL, ORMA_PROCESS_END_TS, 0, NULL},
    {"parent_upid", ORMA_PROJ_COL, ORMA_PROCESS_PARENT_UPID, 0, NULL},
    {"uid", ORMA_PROJ_COL, ORMA_PROCESS_UID, 0, NULL},
    {"android_appid", ORMA_PROJ_COL, ORMA_PROCESS_ANDROID_APPID, 0, NULL},
    {"android_user_id", ORMA_PROJ_COL, ORMA_PROCESS_ANDROID_USER_ID, 0, NULL},
    {"cmdline", ORMA_PROJ_COL, ORMA_PROCESS_CMDLINE, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_PROCESS_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_PROCESS_MACHINE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_gpu[] = {
    {"id", ORMA_PROJ_COL, ORMA_GPU_ID, 0, NULL},
    {"ugpu", ORMA_PROJ_COL, ORMA_GPU_ID, 0, NULL},
    {"gpu", ORMA_PROJ_COL, ORMA_GPU_GPU, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_GPU_NAME, 0, NULL},
    {"vendor", ORMA_PROJ_COL, ORMA_GPU_VENDOR, 0, NULL},
    {"model", ORMA_PROJ_COL, ORMA_GPU_MODEL, 0, NULL},
    {"architecture", ORMA_PROJ_COL, ORMA_GPU_ARCHITECTURE, 0, NULL},
    {"uuid", ORMA_PROJ_COL, ORMA_GPU_UUID, 0, NULL},
    {"pci_bdf", ORMA_PROJ_COL, ORMA_GPU_PCI_BDF, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_GPU_MACHINE_ID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_GPU_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_gpu_counter_group[] = {
    {"id", ORMA_PROJ_COL, ORMA_GPU_COUNTER_GROUP_ID, 0, NULL},
    {"group_id", ORMA_PROJ_COL, ORMA_GPU_COUNTER_GROUP_GROUP_ID, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_GPU_COUNTER_GROUP_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_GPU_COUNTER_GROUP_NAME, 0, NULL},
    {"description", ORMA_PROJ_COL, ORMA_GPU_COUNTER_GROUP_DESCRIPTION, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_class[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_NAME, 0, NULL},
    {"deobfuscated_name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_DEOBFUSCATED_NAME, 0, NULL},
    {"location", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_LOCATION, 0, NULL},
    {"superclass_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_SUPERCLASS_ID, 0, NULL},
    {"classloader_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_CLASSLOADER_ID, 0, NULL},
    {"kind", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_CLASS_KIND, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_object[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_UPID, 0, NULL},
    {"graph_sample_ts", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_GRAPH_SAMPLE_TS, 0, NULL},
    {"self_size", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, 0, NULL},
    {"native_size", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_NATIVE_SIZE, 0, NULL},
    {"reference_set_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, 0, NULL},
    {"reachable", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, 0, NULL},
    {"heap_type", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_HEAP_TYPE, 0, NULL},
    {"type_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, 0, NULL},
    {"root_type", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, 0, NULL},
    {"root_distance", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, 0, NULL},
    {"object_data_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_OBJECT_DATA_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_object_data[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_ID, 0, NULL},
    {"field_set_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_FIELD_SET_ID, 0, NULL},
    {"value_string", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_VALUE_STRING, 0, NULL},
    {"array_element_type", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_ELEMENT_TYPE, 0, NULL},
    {"array_element_count", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_ELEMENT_COUNT, 0,
     NULL},
    {"array_data_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_DATA_ID, 0, NULL},
    {"array_data_hash", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_DATA_HASH, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_reference[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_ID, 0, NULL},
    {"reference_set_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_REFERENCE_SET_ID, 0, NULL},
    {"owner_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_OWNER_ID, 0, NULL},
    {"owned_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, 0, NULL},
    {"field_name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, 0, NULL},
    {"field_type_name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_FIELD_TYPE_NAME, 0, NULL},
    {"deobfuscated_field_name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_REFERENCE_DEOBFUSCATED_FIELD_NAME, 0,
     NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_primitive[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_ID, 0, NULL},
    {"field_set_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_SET_ID, 0, NULL},
    {"field_name", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_NAME, 0, NULL},
    {"field_type", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_TYPE, 0, NULL},
    {"bool_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_BOOL_VALUE, 0, NULL},
    {"byte_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_BYTE_VALUE, 0, NULL},
    {"char_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_CHAR_VALUE, 0, NULL},
    {"short_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_SHORT_VALUE, 0, NULL},
    {"int_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_INT_VALUE, 0, NULL},
    {"long_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_LONG_VALUE, 0, NULL},
    {"float_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_FLOAT_VALUE, 0, NULL},
    {"double_value", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_PRIMITIVE_DOUBLE_VALUE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_TS, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_UPID, 0, NULL},
    {"dump_reason", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_DUMP_REASON, 0, NULL},
    {"heap_size", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_HEAP_SIZE, 0, NULL},
    {"truncated", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_TRUNCATED, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_graph_thread_callsite[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_THREAD_CALLSITE_ID, 0, NULL},
    {"heap_graph_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_THREAD_CALLSITE_HEAP_GRAPH_ID, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_THREAD_CALLSITE_UTID, 0, NULL},
    {"callsite_id", ORMA_PROJ_COL, ORMA_HEAP_GRAPH_THREAD_CALLSITE_CALLSITE_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_memory_snapshot[] = {
    {"id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_ID, 0, NULL},
    {"timestamp", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_TIMESTAMP, 0, NULL},
    {"track_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_TRACK_ID, 0, NULL},
    {"detail_level", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_DETAIL_LEVEL, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_process_memory_snapshot[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROCESS_MEMORY_SNAPSHOT_ID, 0, NULL},
    {"snapshot_id", ORMA_PROJ_COL, ORMA_PROCESS_MEMORY_SNAPSHOT_SNAPSHOT_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_PROCESS_MEMORY_SNAPSHOT_UPID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_memory_snapshot_node[] = {
    {"id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_ID, 0, NULL},
    {"process_snapshot_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_PROCESS_SNAPSHOT_ID, 0, NULL},
    {"parent_node_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_PARENT_NODE_ID, 0, NULL},
    {"path", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_PATH, 0, NULL},
    {"size", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_SIZE, 0, NULL},
    {"effective_size", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_EFFECTIVE_SIZE, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_NODE_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_memory_snapshot_edge[] = {
    {"id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_EDGE_ID, 0, NULL},
    {"source_node_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_EDGE_SOURCE_NODE_ID, 0, NULL},
    {"target_node_id", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_EDGE_TARGET_NODE_ID, 0, NULL},
    {"importance", ORMA_PROJ_COL, ORMA_MEMORY_SNAPSHOT_EDGE_IMPORTANCE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_profile[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_TS, 0, NULL},
    {"ts_end", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_TS_END, 0, NULL},
    {"dur", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_DUR, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_UPID, 0, NULL},
    {"heap_name", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_HEAP_NAME, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_heap_profile_allocation[] = {
    {"id", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_TS, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_UPID, 0, NULL},
    {"heap_name", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_HEAP_NAME, 0, NULL},
    {"callsite_id", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_CALLSITE_ID, 0, NULL},
    {"count", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_COUNT, 0, NULL},
    {"size", ORMA_PROJ_COL, ORMA_HEAP_PROFILE_ALLOCATION_SIZE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample_session[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_SESSION_ID, 0, NULL},
    {"source", ORMA_PROJ_COL, ORMA_PROFILER_SESSION_SOURCE, 0, NULL},
    {"timebase_unit", ORMA_PROJ_COL, ORMA_PROFILER_SESSION_TIMEBASE_UNIT, 0, NULL},
    {"cmdline", ORMA_PROJ_COL, ORMA_PROFILER_SESSION_CMDLINE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample_async_context[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_ASYNC_CONTEXT_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_PROFILER_ASYNC_CONTEXT_NAME, 0, NULL},
    {"kind", ORMA_PROJ_COL, ORMA_PROFILER_ASYNC_CONTEXT_KIND, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_PROFILER_ASYNC_CONTEXT_PARENT_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample_task_context[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_TASK_CONTEXT_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_PROFILER_TASK_CONTEXT_UPID, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_PROFILER_TASK_CONTEXT_UTID, 0, NULL},
    {"async_context_id", ORMA_PROJ_COL, ORMA_PROFILER_TASK_CONTEXT_ASYNC_CONTEXT_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample_execution_context[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_EXECUTION_CONTEXT_ID, 0, NULL},
    {"ucpu", ORMA_PROJ_COL, ORMA_PROFILER_EXECUTION_CONTEXT_UCPU, 0, NULL},
    {"cpu_mode", ORMA_PROJ_COL, ORMA_PROFILER_EXECUTION_CONTEXT_CPU_MODE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_TS, 0, NULL},
    {"source", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_SOURCE, 0, NULL},
    {"task_context_id", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, 0, NULL},
    {"execution_context_id", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_EXECUTION_CONTEXT_ID, 0, NULL},
    {"callsite_id", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_CALLSITE_ID, 0, NULL},
    {"session_id", ORMA_PROJ_COL, ORMA_PROFILER_SAMPLE_SESSION_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_sample_counter_track[] = {
    {"id", ORMA_PROJ_COL, ORMA_TRACK_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_TRACK_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_TRACK_TYPE, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_TRACK_PARENT_ID, 0, NULL},
    {"source_arg_set_id", ORMA_PROJ_COL, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_TRACK_MACHINE_ID, 0, NULL},
    {"unit", ORMA_PROJ_COL, ORMA_TRACK_COUNTER_UNIT, 0, NULL},
    {"description", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "description"},
    {"session_id", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "session_id"},
    {"cpu", ORMA_PROJ_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, 0, "cpu"},
    {"is_timebase", ORMA_PROJ_ARG, ORMA_TRACK_SOURCE_ARG_SET_ID, 0, "is_timebase"},
    {NULL},
};

static const struct orma_proj_column cols_stack_profile_mapping[] = {
    {"id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_ID, 0, NULL},
    {"build_id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, 0, NULL},
    {"exact_offset", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_EXACT_OFFSET, 0, NULL},
    {"start_offset", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_START_OFFSET, 0, NULL},
    {"start", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_START, 0, NULL},
    {"end", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_END, 0, NULL},
    {"load_bias", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_LOAD_BIAS, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_STACK_PROFILE_MAPPING_NAME, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_profile_frame[] = {
    {"id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_NAME, 0, NULL},
    {"mapping", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_MAPPING, 0, NULL},
    {"rel_pc", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_REL_PC, 0, NULL},
    {"symbol_set_id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, 0, NULL},
    {"deobfuscated_name", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_DEOBFUSCATED_NAME, 0, NULL},
    {"type", ORMA_PROJ_COL, ORMA_STACK_PROFILE_FRAME_TYPE, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_profile_callsite[] = {
    {"id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_CALLSITE_ID, 0, NULL},
    {"depth", ORMA_PROJ_COL, ORMA_STACK_PROFILE_CALLSITE_DEPTH, 0, NULL},
    {"parent_id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, 0, NULL},
    {"frame_id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_stack_profile_symbol[] = {
    {"id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_ID, 0, NULL},
    {"symbol_set_id", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_NAME, 0, NULL},
    {"source_file", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, 0, NULL},
    {"line_number", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, 0, NULL},
    {"inlined", ORMA_PROJ_COL, ORMA_STACK_PROFILE_SYMBOL_INLINED, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_logs[] = {
    {"id", ORMA_PROJ_COL, ORMA_LOGS_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_LOGS_TS, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_LOGS_UTID, 0, NULL},
    {"prio", ORMA_PROJ_COL, ORMA_LOGS_PRIO, 0, NULL},
    {"log_source", ORMA_PROJ_COL, ORMA_LOGS_LOG_SOURCE, 0, NULL},
    {"tag", ORMA_PROJ_COL, ORMA_LOGS_TAG, 0, NULL},
    {"msg", ORMA_PROJ_COL, ORMA_LOGS_MSG, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_LOGS_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_android_logs[] = {
    {"id", ORMA_PROJ_COL, ORMA_LOGS_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_LOGS_TS, 0, NULL},
    {"utid", ORMA_PROJ_COL, ORMA_LOGS_UTID, 0, NULL},
    {"prio", ORMA_PROJ_COL, ORMA_LOGS_PRIO, 0, NULL},
    {"tag", ORMA_PROJ_COL, ORMA_LOGS_TAG, 0, NULL},
    {"msg", ORMA_PROJ_COL, ORMA_LOGS_MSG, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_flow[] = {
    {"id", ORMA_PROJ_COL, ORMA_FLOW_ID, 0, NULL},
    {"slice_out", ORMA_PROJ_COL, ORMA_FLOW_SLICE_OUT, 0, NULL},
    {"slice_in", ORMA_PROJ_COL, ORMA_FLOW_SLICE_IN, 0, NULL},
    {"trace_id", ORMA_PROJ_COL, ORMA_FLOW_TRACE_ID, 0, NULL},
    {"arg_set_id", ORMA_PROJ_COL, ORMA_FLOW_ARG_SET_ID, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_profiler_smaps[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_UPID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_TS, 0, NULL},
    {"path", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PATH, 0, NULL},
    {"path_trimmed", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PATH_TRIMMED, 0, NULL},
    {"aggregate_count", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_AGGREGATE_COUNT, 0, NULL},
    {"is_deleted", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_IS_DELETED, 0, NULL},
    {"size_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SIZE_KB, 0, NULL},
    {"private_dirty_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PRIVATE_DIRTY_KB, 0, NULL},
    {"swap_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SWAP_KB, 0, NULL},
    {"file_name", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_FILE_NAME, 0, NULL},
    {"start_address", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_START_ADDRESS, 0, NULL},
    {"module_timestamp", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_MODULE_TIMESTAMP, 0, NULL},
    {"module_debugid", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_MODULE_DEBUGID, 0, NULL},
    {"module_debug_path", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_MODULE_DEBUG_PATH, 0, NULL},
    {"protection_flags", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PROTECTION_FLAGS, 0, NULL},
    {"private_clean_resident_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PRIVATE_CLEAN_RESIDENT_KB, 0,
     NULL},
    {"shared_dirty_resident_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SHARED_DIRTY_RESIDENT_KB, 0,
     NULL},
    {"shared_clean_resident_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SHARED_CLEAN_RESIDENT_KB, 0,
     NULL},
    {"locked_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_LOCKED_KB, 0, NULL},
    {"proportional_resident_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PROPORTIONAL_RESIDENT_KB, 0,
     NULL},
    {"rss_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_RSS_KB, 0, NULL},
    {"anonymous_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_ANONYMOUS_KB, 0, NULL},
    {"pss_dirty_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PSS_DIRTY_KB, 0, NULL},
    {"swap_pss_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SWAP_PSS_KB, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_process_memory_mappings[] = {
    {"id", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_ID, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_UPID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_TS, 0, NULL},
    {"path", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PATH, 0, NULL},
    {"aggregate_count", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_AGGREGATE_COUNT, 0, NULL},
    {"is_deleted", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_IS_DELETED, 0, NULL},
    {"size_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SIZE_KB, 0, NULL},
    {"rss_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_RSS_KB, 0, NULL},
    {"anonymous_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_ANONYMOUS_KB, 0, NULL},
    {"swap_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SWAP_KB, 0, NULL},
    {"shared_clean_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SHARED_CLEAN_RESIDENT_KB, 0, NULL},
    {"shared_dirty_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SHARED_DIRTY_RESIDENT_KB, 0, NULL},
    {"private_clean_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PRIVATE_CLEAN_RESIDENT_KB, 0, NULL},
    {"private_dirty_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PRIVATE_DIRTY_KB, 0, NULL},
    {"locked_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_LOCKED_KB, 0, NULL},
    {"pss_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PROPORTIONAL_RESIDENT_KB, 0, NULL},
    {"pss_dirty_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_PSS_DIRTY_KB, 0, NULL},
    {"swap_pss_kb", ORMA_PROJ_COL, ORMA_PROFILER_SMAPS_SWAP_PSS_KB, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_machine[] = {
    {"id", ORMA_PROJ_COL, ORMA_MACHINE_ID, 0, NULL},
    {"raw_id", ORMA_PROJ_COL, ORMA_MACHINE_RAW_ID, 0, NULL},
    {"name", ORMA_PROJ_COL, ORMA_MACHINE_NAME, 0, NULL},
    {"sysname", ORMA_PROJ_COL, ORMA_MACHINE_SYSNAME, 0, NULL},
    {"release", ORMA_PROJ_COL, ORMA_MACHINE_RELEASE, 0, NULL},
    {"version", ORMA_PROJ_COL, ORMA_MACHINE_VERSION, 0, NULL},
    {"arch", ORMA_PROJ_COL, ORMA_MACHINE_ARCH, 0, NULL},
    {"num_cpus", ORMA_PROJ_COL, ORMA_MACHINE_NUM_CPUS, 0, NULL},
    {"android_build_fingerprint", ORMA_PROJ_COL, ORMA_MACHINE_ANDROID_BUILD_FINGERPRINT, 0, NULL},
    {"android_device_manufacturer", ORMA_PROJ_COL, ORMA_MACHINE_ANDROID_DEVICE_MANUFACTURER, 0,
     NULL},
    {"android_sdk_version", ORMA_PROJ_COL, ORMA_MACHINE_ANDROID_SDK_VERSION, 0, NULL},
    {"system_ram_bytes", ORMA_PROJ_COL, ORMA_MACHINE_SYSTEM_RAM_BYTES, 0, NULL},
    {"system_ram_gb", ORMA_PROJ_COL, ORMA_MACHINE_SYSTEM_RAM_GB, 0, NULL},
    {"label_index", ORMA_PROJ_NULL, 0, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_filedescriptor[] = {
    {"id", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_ID, 0, NULL},
    {"ufd", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_UFD, 0, NULL},
    {"fd", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_FD, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_TS, 0, NULL},
    {"upid", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_UPID, 0, NULL},
    {"path", ORMA_PROJ_COL, ORMA_FILEDESCRIPTOR_PATH, 0, NULL},
    {NULL},
};

static const struct orma_proj_column cols_clock_snapshot[] = {
    {"id", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_ID, 0, NULL},
    {"ts", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_TS, 0, NULL},
    {"clock_id", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_CLOCK_ID, 0, NULL},
    {"clock_name", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_CLOCK_NAME, 0, NULL},
    {"clock_value", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_CLOCK_VALUE, 0, NULL},
    {"snapshot_id", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_SNAPSHOT_ID, 0, NULL},
    {"machine_id", ORMA_PROJ_COL, ORMA_CLOCK_SNAPSHOT_MACHINE_ID, 0, NULL},
    {NULL},
};

const struct orma_proj orma_projs[] = {
    {"metadata", ORMA_TABLE_METADATA, cols_metadata, {{0}}},
    {"stats", ORMA_TABLE_STATS, cols_stats, {{0}}},
    {"track", ORMA_TABLE_TRACK, cols_track, {{0}}},
    {"counter_track",
     ORMA_TABLE_TRACK,
     cols_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"}}},
    {"cpu_counter_track",
     ORMA_TABLE_TRACK,
     cols_cpu_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, "cpu"}}},
    {"gpu_counter_track",
     ORMA_TABLE_TRACK,
     cols_gpu_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, "ugpu"}}},
    {"process_counter_track",
     ORMA_TABLE_TRACK,
     cols_process_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UPID, NULL}}},
    {"thread_counter_track",
     ORMA_TABLE_TRACK,
     cols_thread_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UTID, NULL}}},
    {"perf_counter_track",
     ORMA_TABLE_TRACK,
     cols_perf_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, "perf_session_id"}}},
    {"thread_track",
     ORMA_TABLE_TRACK,
     cols_thread_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "slice"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UTID, NULL}}},
    {"process_track",
     ORMA_TABLE_TRACK,
     cols_process_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "slice"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UPID, NULL}}},
    {"cpu_track",
     ORMA_TABLE_TRACK,
     cols_cpu_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "slice"},
      {ORMA_CHOOSE_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, "cpu"}}},
    {"state_track",
     ORMA_TABLE_TRACK,
     cols_state_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "state"}}},
    {"process_state_track",
     ORMA_TABLE_TRACK,
     cols_process_state_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "state"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UPID, NULL}}},
    {"thread_state_track",
     ORMA_TABLE_TRACK,
     cols_thread_state_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "state"},
      {ORMA_CHOOSE_NOT_NULL, ORMA_TRACK_UTID, NULL}}},
    {"counter", ORMA_TABLE_COUNTER, cols_counter, {{0}}},
    {"slice", ORMA_TABLE_SLICE, cols_slice, {{0}}},
    {"slices", ORMA_TABLE_SLICE, cols_slices, {{0}}},
    {"instant", ORMA_TABLE_SLICE, cols_instant, {{ORMA_CHOOSE_ZERO, ORMA_SLICE_DUR, NULL}}},
    {"state", ORMA_TABLE_STATE, cols_state, {{0}}},
    {"cpu", ORMA_TABLE_CPU, cols_cpu, {{ORMA_CHOOSE_NOT_NULL, ORMA_CPU_CPU, NULL}}},
    {"cpu_available_frequencies", ORMA_TABLE_CPU_FREQ, cols_cpu_available_frequencies, {{0}}},
    {"sched", ORMA_TABLE_SCHED_SLICE, cols_sched, {{0}}},
    {"sched_slice", ORMA_TABLE_SCHED_SLICE, cols_sched_slice, {{0}}},
    {"thread_state", ORMA_TABLE_THREAD_STATE, cols_thread_state, {{0}}},
    {"spurious_sched_wakeup", ORMA_TABLE_SPURIOUS_SCHED_WAKEUP, cols_spurious_sched_wakeup, {{0}}},
    {"ftrace_event", ORMA_TABLE_FTRACE_EVENT, cols_ftrace_event, {{0}}},
    {"raw", ORMA_TABLE_FTRACE_EVENT, cols_raw, {{0}}},
    {"thread", ORMA_TABLE_THREAD, cols_thread, {{0}}},
    {"process", ORMA_TABLE_PROCESS, cols_process, {{0}}},
    {"gpu", ORMA_TABLE_GPU, cols_gpu, {{ORMA_CHOOSE_NOT_NULL, ORMA_GPU_GPU, NULL}}},
    {"gpu_counter_group", ORMA_TABLE_GPU_COUNTER_GROUP, cols_gpu_counter_group, {{0}}},
    {"heap_graph_class", ORMA_TABLE_HEAP_GRAPH_CLASS, cols_heap_graph_class, {{0}}},
    {"heap_graph_object", ORMA_TABLE_HEAP_GRAPH_OBJECT, cols_heap_graph_object, {{0}}},
    {"heap_graph_object_data",
     ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA,
     cols_heap_graph_object_data,
     {{0}}},
    {"heap_graph_reference", ORMA_TABLE_HEAP_GRAPH_REFERENCE, cols_heap_graph_reference, {{0}}},
    {"heap_graph_primitive", ORMA_TABLE_HEAP_GRAPH_PRIMITIVE, cols_heap_graph_primitive, {{0}}},
    {"heap_graph", ORMA_TABLE_HEAP_GRAPH, cols_heap_graph, {{0}}},
    {"heap_graph_thread_callsite",
     ORMA_TABLE_HEAP_GRAPH_THREAD_CALLSITE,
     cols_heap_graph_thread_callsite,
     {{0}}},
    {"memory_snapshot", ORMA_TABLE_MEMORY_SNAPSHOT, cols_memory_snapshot, {{0}}},
    {"process_memory_snapshot",
     ORMA_TABLE_PROCESS_MEMORY_SNAPSHOT,
     cols_process_memory_snapshot,
     {{0}}},
    {"memory_snapshot_node", ORMA_TABLE_MEMORY_SNAPSHOT_NODE, cols_memory_snapshot_node, {{0}}},
    {"memory_snapshot_edge", ORMA_TABLE_MEMORY_SNAPSHOT_EDGE, cols_memory_snapshot_edge, {{0}}},
    {"heap_profile", ORMA_TABLE_HEAP_PROFILE, cols_heap_profile, {{0}}},
    {"heap_profile_allocation",
     ORMA_TABLE_HEAP_PROFILE_ALLOCATION,
     cols_heap_profile_allocation,
     {{0}}},
    {"stack_sample_session", ORMA_TABLE_PROFILER_SESSION, cols_stack_sample_session, {{0}}},
    {"stack_sample_async_context",
     ORMA_TABLE_PROFILER_ASYNC_CONTEXT,
     cols_stack_sample_async_context,
     {{0}}},
    {"stack_sample_task_context",
     ORMA_TABLE_PROFILER_TASK_CONTEXT,
     cols_stack_sample_task_context,
     {{0}}},
    {"stack_sample_execution_context",
     ORMA_TABLE_PROFILER_EXECUTION_CONTEXT,
     cols_stack_sample_execution_context,
     {{0}}},
    {"stack_sample", ORMA_TABLE_PROFILER_SAMPLE, cols_stack_sample, {{0}}},
    {"stack_sample_counter_track",
     ORMA_TABLE_TRACK,
     cols_stack_sample_counter_track,
     {{ORMA_CHOOSE_TEXT, ORMA_TRACK_EVENT_TYPE, "counter"},
      {ORMA_CHOOSE_ARG, ORMA_TRACK_DIMENSION_ARG_SET_ID, "session_id"}}},
    {"stack_profile_mapping", ORMA_TABLE_STACK_PROFILE_MAPPING, cols_stack_profile_mapping, {{0}}},
    {"stack_profile_frame", ORMA_TABLE_STACK_PROFILE_FRAME, cols_stack_profile_frame, {{0}}},
    {"stack_profile_callsite",
     ORMA_TABLE_STACK_PROFILE_CALLSITE,
     cols_stack_profile_callsite,
     {{0}}},
    {"stack_profile_symbol", ORMA_TABLE_STACK_PROFILE_SYMBOL, cols_stack_profile_symbol, {{0}}},
    {"logs", ORMA_TABLE_LOGS, cols_logs, {{0}}},
    {"android_logs",
     ORMA_TABLE_LOGS,
     cols_android_logs,
     {{ORMA_CHOOSE_TEXT, ORMA_LOGS_LOG_SOURCE, "android_logcat"}}},
    {"flow", ORMA_TABLE_FLOW, cols_flow, {{0}}},
    {"profiler_smaps", ORMA_TABLE_PROFILER_SMAPS, cols_profiler_smaps, {{0}}},
    {"process_memory_mappings", ORMA_TABLE_PROFILER_SMAPS, cols_process_memory_mappings, {{0}}},
    {"machine", ORMA_TABLE_MACHINE, cols_machine, {{0}}},
    {"filedescriptor", ORMA_TABLE_FILEDESCRIPTOR, cols_filedescriptor, {{0}}},
    {"clock_snapshot", ORMA_TABLE_CLOCK_SNAPSHOT, cols_clock_snapshot, {{0}}},
    {NULL},
};
