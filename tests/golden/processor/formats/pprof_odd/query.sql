-- Fields in any order, and one that is cut off. Each sample is a row; places in no mapping never are the same frame.
SELECT p.name, p.sample_type_type AS type, p.sample_type_unit AS unit, s.value, c.depth, f.name AS leaf, f.rel_pc, m.name AS mapping FROM __intrinsic_aggregate_profile p JOIN __intrinsic_aggregate_sample s ON s.aggregate_profile_id = p.id
JOIN stack_profile_callsite c ON s.callsite_id = c.id JOIN stack_profile_frame f ON c.frame_id = f.id JOIN stack_profile_mapping m ON f.mapping = m.id ORDER BY p.id, s.id;
SELECT f.name AS frame, f.rel_pc, y.name, y.line_number, y.inlined FROM stack_profile_frame f LEFT JOIN stack_profile_symbol y USING (symbol_set_id) ORDER BY f.id;
SELECT count(*) AS mappings FROM stack_profile_mapping WHERE name = '[unknown]';
