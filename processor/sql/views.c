/*
 * Views: what is more than a projection (tables/projections.tsv) of one stored table. Their
 * columns, and the order of these, are facts of the interface.
 *
 * The number of a cpu in its machine is ucpu modulo 4096 (ORMA_UCPUS_PER_MACHINE, store/storage.h).
 */
#include "processor/sql/engine.h"

const struct orma_sql_view orma_sql_views[] = {
    {"frame_slice", "SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, "
                    "s.parent_id, s.arg_set_id, "
                    "extract_arg(s.arg_set_id, 'layer_name') AS layer_name, "
                    "extract_arg(s.arg_set_id, 'frame_number') AS frame_number, "
                    "extract_arg(s.arg_set_id, 'queue_to_acquire_time') AS queue_to_acquire_time, "
                    "extract_arg(s.arg_set_id, 'acquire_to_latch_time') AS acquire_to_latch_time, "
                    "extract_arg(s.arg_set_id, 'latch_to_present_time') AS latch_to_present_time "
                    "FROM __intrinsic_slice s CROSS JOIN __intrinsic_track t ON s.track_id = t.id "
                    "WHERE t.type = 'graphics_frame_event'"},
    {"expected_frame_timeline_slice",
     "SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, "
     "s.arg_set_id, "
     "extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token, "
     "extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token, "
     "extract_arg(t.dimension_arg_set_id, 'upid') AS upid, "
     "extract_arg(s.arg_set_id, 'Layer name') AS layer_name "
     "FROM __intrinsic_slice s CROSS JOIN __intrinsic_track t ON s.track_id = t.id "
     "WHERE t.type = 'android_expected_frame_timeline'"},
    {"actual_frame_timeline_slice",
     "SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, "
     "s.arg_set_id, "
     "extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token, "
     "extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token, "
     "extract_arg(t.dimension_arg_set_id, 'upid') AS upid, "
     "extract_arg(s.arg_set_id, 'Layer name') AS layer_name, "
     "extract_arg(s.arg_set_id, 'Present type') AS present_type, "
     "extract_arg(s.arg_set_id, 'On time finish') AS on_time_finish, "
     "extract_arg(s.arg_set_id, 'GPU composition') AS gpu_composition, "
     "extract_arg(s.arg_set_id, 'Jank type') AS jank_type, "
     "extract_arg(s.arg_set_id, 'Jank severity type') AS jank_severity_type, "
     "extract_arg(s.arg_set_id, 'Prediction type') AS prediction_type, "
     "extract_arg(s.arg_set_id, 'Jank tag') AS jank_tag, "
     "extract_arg(s.arg_set_id, 'Jank tag (experimental)') AS jank_tag_experimental, "
     "extract_arg(s.arg_set_id, 'Jank Severity Score') AS jank_score, "
     "extract_arg(s.arg_set_id, 'Latched unsignaled count') AS latched_unsignaled_count, "
     "extract_arg(s.arg_set_id, 'Addressable unsignaled latch count') "
     "AS addressable_unsignaled_latch_count, "
     "extract_arg(s.arg_set_id, 'Latched fence state') AS latched_fence_state "
     "FROM __intrinsic_slice s CROSS JOIN __intrinsic_track t ON s.track_id = t.id "
     "WHERE t.type = 'android_actual_frame_timeline'"},
    {"machine", "SELECT id, raw_id, name, sysname, release, version, arch, num_cpus, "
                "android_build_fingerprint, android_device_manufacturer, android_sdk_version, "
                "system_ram_bytes, system_ram_gb, iif(raw_id = 0, 0, (SELECT count() FROM "
                "__intrinsic_machine o WHERE o.raw_id != 0 AND o.id <= m.id)) AS label_index "
                "FROM __intrinsic_machine m"},
    {"perf_sample",
     "SELECT s.id, s.ts, t.utid, e.ucpu % 4096 AS cpu, "
     "coalesce(e.cpu_mode, 'unknown') AS cpu_mode, s.callsite_id, s.unwind_error, "
     "s.session_id AS perf_session_id FROM __intrinsic_profiler_sample s "
     "LEFT JOIN __intrinsic_profiler_task_context t ON s.task_context_id = t.id "
     "LEFT JOIN __intrinsic_profiler_execution_context e ON s.execution_context_id = e.id "
     "WHERE s.source = 'linux.perf'"},
    {"gpu_track",
     "SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id, "
     "type AS scope, "
     "extract_arg(source_arg_set_id, 'description') AS description, "
     "extract_arg(dimension_arg_set_id, 'context_id') AS context_id FROM __intrinsic_track "
     "WHERE type IN ('drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', "
     "'gpu_render_stage', 'vulkan_events', 'gpu_log', 'graphics_frame_event')"},
    {"counters", "SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, t.name, "
                 "t.counter_unit AS unit FROM __intrinsic_counter c "
                 "JOIN __intrinsic_track t ON c.track_id = t.id"},
    {"gpu_slice", "SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, "
                  "extract_arg(arg_set_id, 'context_id') AS context_id, "
                  "extract_arg(arg_set_id, 'render_target') AS render_target, "
                  "extract_arg(arg_set_id, 'render_target_name') AS render_target_name, "
                  "extract_arg(arg_set_id, 'render_pass') AS render_pass, "
                  "extract_arg(arg_set_id, 'render_pass_name') AS render_pass_name, "
                  "extract_arg(arg_set_id, 'command_buffer') AS command_buffer, "
                  "extract_arg(arg_set_id, 'command_buffer_name') AS command_buffer_name, "
                  "extract_arg(arg_set_id, 'frame_id') AS frame_id, "
                  "extract_arg(arg_set_id, 'submission_id') AS submission_id, "
                  "extract_arg(arg_set_id, 'hw_queue_id') AS hw_queue_id, "
                  "extract_arg(arg_set_id, 'upid') AS upid, "
                  "extract_arg(arg_set_id, 'render_subpasses') AS render_subpasses, "
                  "extract_arg(arg_set_id, 'render_stage_category') AS render_stage_category "
                  "FROM __intrinsic_slice WHERE track_id IN (SELECT id FROM __intrinsic_track "
                  "WHERE type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log'))"},
    /* What samples with a stack refer to, and nothing else. */
    {"stack_sample_session",
     "SELECT id, source, timebase_unit, cmdline FROM __intrinsic_profiler_session "
     "WHERE id IN (SELECT session_id FROM __intrinsic_profiler_sample "
     "WHERE callsite_id IS NOT NULL)"},
    {"stack_sample_task_context",
     "SELECT id, upid, utid, async_context_id FROM __intrinsic_profiler_task_context "
     "WHERE id IN (SELECT task_context_id FROM __intrinsic_profiler_sample "
     "WHERE callsite_id IS NOT NULL)"},
    {"stack_sample_execution_context",
     "SELECT id, ucpu, cpu_mode FROM __intrinsic_profiler_execution_context "
     "WHERE id IN (SELECT execution_context_id FROM __intrinsic_profiler_sample "
     "WHERE callsite_id IS NOT NULL)"},
    {"stack_sample_async_context",
     "WITH RECURSIVE reached(id) AS (SELECT async_context_id FROM stack_sample_task_context "
     "UNION SELECT c.parent_id FROM reached r "
     "JOIN __intrinsic_profiler_async_context c ON c.id = r.id) "
     "SELECT id, name, kind, parent_id FROM __intrinsic_profiler_async_context "
     "WHERE id IN (SELECT id FROM reached)"},
    {"stack_sample_counter",
     "SELECT c.id, s.id AS stack_sample_id, c.track_id, c.value "
     "FROM __intrinsic_profiler_sample s "
     "JOIN __intrinsic_profiler_counter_set cs ON s.counter_set_id = cs.counter_set_id "
     "JOIN __intrinsic_counter c ON cs.counter_id = c.id WHERE s.callsite_id IS NOT NULL"},
    {"stack_sample_counter_track",
     "SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit, "
     "extract_arg(source_arg_set_id, 'description') AS description, "
     "coalesce(extract_arg(dimension_arg_set_id, 'session_id'), "
     "extract_arg(dimension_arg_set_id, 'perf_session_id')) AS session_id, "
     "extract_arg(dimension_arg_set_id, 'cpu') AS cpu, "
     "extract_arg(source_arg_set_id, 'is_timebase') AS is_timebase FROM __intrinsic_track "
     "WHERE id IN (SELECT track_id FROM stack_sample_counter)"},
    {"perf_session", "SELECT id, id AS perf_session_id, cmdline FROM __intrinsic_profiler_session "
                     "WHERE source = 'linux.perf'"},
    {"cpu_profile_stack_sample",
     "SELECT s.id, s.ts, s.callsite_id, t.utid, "
     "coalesce(x.process_priority, 0) AS process_priority FROM __intrinsic_profiler_sample s "
     "LEFT JOIN __intrinsic_profiler_task_context t ON s.task_context_id = t.id "
     "LEFT JOIN __intrinsic_chrome_stack_sample_extras x ON x.profiler_sample_id = s.id "
     "WHERE s.callsite_id IS NOT NULL AND "
     "s.source IN ('chrome', 'perf_text', 'gecko', 'simpleperf', 'legacy_v8_cpu_profile', "
     "'v8_cpu_profile', 'speedscope')"},
    {"instruments_sample",
     "SELECT s.id, s.ts, t.utid, s.callsite_id, e.ucpu % 4096 AS cpu "
     "FROM __intrinsic_profiler_sample s "
     "LEFT JOIN __intrinsic_profiler_task_context t ON s.task_context_id = t.id "
     "LEFT JOIN __intrinsic_profiler_execution_context e ON s.execution_context_id = e.id "
     "WHERE s.source = 'instruments'"},
    {"_stat_key_to_severity_and_name",
     "SELECT DISTINCT key, severity, name FROM __intrinsic_stats ORDER BY key"},
    {"_trace_import_logs",
     "SELECT l.id, l.trace_id, l.ts, l.byte_offset, s.severity, s.name, l.arg_set_id "
     "FROM __intrinsic_trace_import_logs l "
     "LEFT JOIN _stat_key_to_severity_and_name s ON l.stat_key = s.key"},
    {"loss", "SELECT l.id, l.sequence_id, l.buffer, l.producer_id, l.writer_id, l.utid, "
             "t.name AS thread_name, l.upid, p.name AS process_name, l.reason, l.packets, "
             "NULL AS source, NULL AS ts, NULL AS ts_end, NULL AS text, "
             "l.machine_id, l.trace_id FROM __intrinsic_loss l "
             "LEFT JOIN __intrinsic_thread t ON l.utid = t.id "
             "LEFT JOIN __intrinsic_process p ON l.upid = p.id "
             "UNION ALL SELECT i.id + (SELECT count(*) FROM __intrinsic_loss), NULL, NULL, NULL, "
             "NULL, NULL, NULL, NULL, i.producer, i.reason, NULL, i.source, i.ts, i.ts_end, "
             "i.text, i.machine_id, i.trace_id FROM __intrinsic_incident i"},
    {"gap", "SELECT g.id, g.ts, g.reason, g.sequence_id, g.pid, g.tid, g.cpu, t.id AS utid, "
            "p.id AS upid, g.machine_id FROM __intrinsic_gap g "
            "LEFT JOIN __intrinsic_process p ON p.id = (SELECT max(q.id) FROM __intrinsic_process "
            "q WHERE q.pid = g.pid AND q.machine_id = g.machine_id) "
            "LEFT JOIN __intrinsic_thread t ON t.id = coalesce((SELECT max(u.id) FROM "
            "__intrinsic_thread u WHERE u.tid = g.tid AND u.upid = p.id), (SELECT max(l.utid) FROM "
            "__intrinsic_loss l WHERE l.sequence_id = g.sequence_id))"},
    {"skipped_packet", "SELECT id, field, name, packets FROM __intrinsic_skipped_packet"},
    {"import_account", "SELECT id, trace_id, unit, units, kind, reason, count, first_offset, "
                       "message FROM __intrinsic_import_account"},
    {NULL, NULL},
};
