SELECT s.ts, s.name, tid, pid, t.name, p.name FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) JOIN process p USING (upid) ORDER BY s.ts;
SELECT tid, t.name, pid FROM thread t LEFT JOIN process USING (upid) WHERE tid != 0 ORDER BY utid;
SELECT name, value FROM stats WHERE name = 'namespaced_thread_missing_process';
