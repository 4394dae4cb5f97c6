SELECT t.id, t.name, t.type, extract_arg(t.dimension_arg_set_id, 'track_compressor_idx') AS lane FROM track t ORDER BY t.id;
SELECT s.ts, s.dur, s.name, s.track_id FROM slice s ORDER BY s.id;
SELECT a.key, a.value_type, a.display_value FROM slice s JOIN args a USING (arg_set_id) ORDER BY a.id;
SELECT p.name, a.key, a.string_value FROM process p JOIN args a USING (arg_set_id);
SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info' OR name IN ('track_hierarchy_missing_uuid', 'track_event_parser_errors');
SELECT l.name, a.key, a.int_value FROM _trace_import_logs l JOIN args a USING (arg_set_id);
