-- The same in blocks, with times in ticks.
SELECT ts, dur, depth, tid, t.name AS thread, t.upid, s.name, extract_arg(s.arg_set_id, 'pathname') AS path, extract_arg(s.arg_set_id, 'line_number') AS line
FROM slice s JOIN __intrinsic_track k ON s.track_id = k.id JOIN thread t ON t.utid = extract_arg(k.dimension_arg_set_id, 'utid') WHERE k.type = 'art_method_tracing' ORDER BY s.id;
SELECT trace_type FROM __intrinsic_trace_file;
SELECT name, int_value, str_value FROM metadata WHERE name IN ('clock', 'num-calls') ORDER BY name;
