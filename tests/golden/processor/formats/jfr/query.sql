-- JFR: two chunks with their own types and pools, the second one not finished. A slice that overlaps, a virtual thread, events without a thread, a sample without one, texts of each kind, a cut stack, what the JVM lost, an unknown type.
SELECT s.ts, s.dur, t.tid, t.name AS thread, s.name, s.category, s.depth, tr.type, tr.name AS track FROM slice s JOIN track tr ON tr.id = s.track_id LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread t USING (utid) ORDER BY s.ts, s.dur, s.name;
SELECT s.ts, key, value_type, display_value FROM slice s JOIN args USING (arg_set_id) WHERE s.name IN ('Work', 'JVM') AND s.ts < 1700000001000000000 ORDER BY s.ts, key;
SELECT p.ts, p.source, t.tid, c.depth, f.name, f.type, m.name AS mapping, y.line_number FROM __intrinsic_profiler_sample p JOIN __intrinsic_profiler_task_context x ON x.id = p.task_context_id LEFT JOIN thread t USING (utid) LEFT JOIN stack_profile_callsite c ON c.id = p.callsite_id LEFT JOIN stack_profile_frame f ON f.id = c.frame_id LEFT JOIN stack_profile_mapping m ON m.id = f.mapping LEFT JOIN stack_profile_symbol y USING (symbol_set_id) ORDER BY p.ts;
SELECT p.name, p.sample_type_type, p.sample_type_unit, s.value, f.name AS frame, c.depth FROM __intrinsic_aggregate_sample s JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id JOIN stack_profile_callsite c ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY s.id;
SELECT s.ts, f.name, c.depth FROM __intrinsic_track_event_callstacks k JOIN slice s ON s.id = k.slice_id JOIN stack_profile_callsite c ON c.id = k.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY s.ts;
SELECT c.ts, t.name, t.unit, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY c.ts, t.name;
SELECT pid, name FROM process ORDER BY pid;
SELECT tid, name, end_ts FROM thread ORDER BY tid;
SELECT unit, reason, kind, units, count FROM import_account ORDER BY unit, reason, kind;
