-- Spans of OpenTelemetry, as collectors write them to files: two services, spans below each other and side by side, a link, an event.
SELECT s.ts, s.dur, s.depth, s.category, s.name, s.track_id AS track, p.name AS parent, x.name AS process, x.pid < 100 AS told,
  (SELECT group_concat(key || '=' || display_value, ' ') FROM (SELECT * FROM args a WHERE a.arg_set_id = s.arg_set_id ORDER BY key)) AS args
FROM slice s LEFT JOIN slice p ON p.id = s.parent_id JOIN process_track t ON t.id = s.track_id JOIN process x USING (upid) ORDER BY s.ts, s.depth;
SELECT o.name AS "from", i.name AS "to" FROM flow f JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in ORDER BY 1;
SELECT reason, unit, kind, units, count FROM import_account ORDER BY reason, kind;
