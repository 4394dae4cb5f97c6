SELECT s.ts, s.dur, s.name, t.type, extract_arg(t.dimension_arg_set_id, 'block_device') AS device, a.key, a.value_type, a.int_value
FROM slice s JOIN track t ON s.track_id = t.id LEFT JOIN args a USING (arg_set_id) ORDER BY s.ts;
