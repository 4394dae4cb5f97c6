SELECT s.ts, s.dur, s.name, t.tid, t.upid FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) ORDER BY s.ts;
SELECT c.ts, c.value, t.name, t.type, p.pid FROM counter c JOIN process_counter_track t ON c.track_id = t.id JOIN process p USING (upid) ORDER BY c.ts;
SELECT name, value FROM stats WHERE name IN ('systrace_parse_failure', 'interned_data_tokenizer_errors');
