SELECT s.ts, s.dur, s.depth, s.parent_id, s.category, s.name, t.name AS track, t.type, s.track_id
FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.ts, s.id;
SELECT c.ts, c.value, t.name, t.unit FROM counter c JOIN counter_track t ON c.track_id = t.id;
SELECT s.name, a.flat_key, a.key, a.value_type, a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE a.key GLOB 'debug.*';
SELECT tid, t.name, pid, p.name FROM thread t JOIN process p USING (upid) WHERE tid;
SELECT name, value FROM stats WHERE value != 0 AND name GLOB 'packet_skipped*';
SELECT * FROM trace_bounds;
