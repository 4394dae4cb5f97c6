SELECT s.ts, s.dur, s.category, s.name, t.tid, s.depth FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) ORDER BY s.ts, s.id;
SELECT s.ts, a.key, a.value_type, a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE s.ts < 150 ORDER BY s.ts, a.key;
SELECT a.ts AS sent, b.ts AS arrived FROM flow JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id ORDER BY 1;
