SELECT s.ts, s.dur, s.depth, s.name, t.type, t.name AS track, extract_arg(s.arg_set_id, 'legacy_event.passthrough_utid') AS utid
FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.id;
SELECT r.ts, r.name, group_concat(a.key || '=' || coalesce(a.string_value, a.int_value), ' ') AS args
FROM __intrinsic_chrome_raw r JOIN args a USING (arg_set_id) GROUP BY r.id;
SELECT name, value FROM stats WHERE severity = 'info' AND value > 0 AND name LIKE 'track_event%';
