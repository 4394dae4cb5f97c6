SELECT t.name AS track, t.type, s.ts, s.dur, s.name, a.flat_key, a.int_value FROM gpu_track t JOIN slice s ON s.track_id = t.id
JOIN args a USING (arg_set_id) ORDER BY s.ts;
