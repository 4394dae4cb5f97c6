-- A profile for each type of sample. Locations of the first sample: inner at 0x200, called by outer at 0x100.
SELECT p.scope, p.name, p.sample_type_type AS type, p.sample_type_unit AS unit, s.value, c.depth, f.name AS leaf, f.rel_pc, m.name AS mapping FROM __intrinsic_aggregate_profile p JOIN __intrinsic_aggregate_sample s ON s.aggregate_profile_id = p.id
JOIN stack_profile_callsite c ON s.callsite_id = c.id JOIN stack_profile_frame f ON c.frame_id = f.id JOIN stack_profile_mapping m ON f.mapping = m.id ORDER BY p.id, s.id;
SELECT trace_type FROM __intrinsic_trace_file;
