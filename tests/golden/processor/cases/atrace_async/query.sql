SELECT s.ts, s.dur, s.name, t.type, t.name AS track, extract_arg(t.dimension_arg_set_id, 'track_compressor_idx') AS lane,
  extract_arg(s.arg_set_id, 'cookie') AS cookie, extract_arg(s.arg_set_id, 'legacy_unnestable_begin_count') AS begins,
  extract_arg(s.arg_set_id, 'end_utid') AS end_utid
FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.id;
SELECT name, value FROM stats WHERE name = 'systrace_parse_failure';
