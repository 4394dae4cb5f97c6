-- Symbols beside a profile of packets: read last, wherever they stand in the archive. What is inlined comes first.
SELECT s.ts, f.rel_pc, m.name AS mapping, y.name AS function, y.source_file, y.line_number, y.inlined FROM perf_sample s JOIN stack_profile_callsite c ON s.callsite_id = c.id JOIN stack_profile_frame f ON c.frame_id = f.id
JOIN stack_profile_mapping m ON f.mapping = m.id JOIN stack_profile_symbol y USING (symbol_set_id) ORDER BY y.id;
SELECT name, trace_type, is_container, parent_id FROM __intrinsic_trace_file ORDER BY name;
