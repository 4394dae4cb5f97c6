SELECT p.ts, p.cpu, t.tid, p.cpu_mode, p.callsite_id, p.unwind_error FROM perf_sample p JOIN thread t USING (utid) ORDER BY p.id;
SELECT c.ts, c.value, t.name, t.cpu, t.is_timebase FROM counter c JOIN perf_counter_track t ON t.id = c.track_id ORDER BY c.id;
SELECT c.id, c.depth, c.parent_id, f.name, f.rel_pc, m.name AS mapping, m.build_id FROM stack_profile_callsite c
JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY c.id;
SELECT f.name AS frame, s.symbol_set_id, s.name, s.source_file, s.line_number, s.inlined FROM stack_profile_symbol s
JOIN stack_profile_frame f USING (symbol_set_id) ORDER BY s.id;
SELECT ts, heap_name, callsite_id, count, size FROM heap_profile_allocation ORDER BY id;
SELECT path, path_trimmed, aggregate_count, is_deleted, size_kb, swap_kb, proportional_resident_kb FROM __intrinsic_profiler_smaps ORDER BY id;
SELECT s.ts, s.source, e.cpu_mode, c.value, t.type, t.unit FROM stack_sample s JOIN stack_sample_counter c ON c.stack_sample_id = s.id
JOIN stack_sample_counter_track t ON t.id = c.track_id LEFT JOIN stack_sample_execution_context e ON e.id = s.execution_context_id
WHERE s.source = 'my.alloc';
SELECT slice_id, callsite_id, end_callsite_id FROM __intrinsic_track_event_callstacks;
SELECT name, idx, value FROM stats WHERE value > 0 AND (name GLOB 'perf_*' OR name GLOB 'heapprofd_*' OR name GLOB 'stackprofile_*') ORDER BY name, idx;
