SELECT s.ts, s.dur, s.name, t.type, t.name AS track, extract_arg(s.arg_set_id, 'vblank seqno') AS vblank, extract_arg(s.arg_set_id, 'fence seqno') AS fence
FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.id;
SELECT c.ts, t.type, t.name, c.value FROM counter c JOIN track t ON c.track_id = t.id ORDER BY c.ts;
SELECT name, value FROM stats WHERE name = 'ftrace_bundle_tokenizer_errors';
