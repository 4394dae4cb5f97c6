-- Samples name their frames by file and symbol, which may come later.
SELECT s.ts, t.tid, t.name AS thread, p.pid, f.name AS leaf, f.rel_pc, m.name AS mapping, c.depth FROM stack_sample s JOIN stack_sample_task_context x ON x.id = s.task_context_id JOIN thread t ON t.id = x.utid
JOIN process p ON p.id = x.upid JOIN stack_profile_callsite c ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY s.ts;
SELECT trace_type FROM __intrinsic_trace_file;
