-- A tick is 4 ns: outer from 25 to 50 is 100 ns to 200 ns.
SELECT s.ts, s.dur, s.depth, s.category, s.name, t.type, extract_arg(s.arg_set_id, 'n') AS n FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.ts;
SELECT c.ts, t.name, c.value, p.pid, p.name AS process FROM counter c JOIN process_counter_track t ON c.track_id = t.id JOIN process p USING (upid);
SELECT s.ts, s.dur, s.cpu, t.tid, t.name AS thread, s.end_state FROM sched s JOIN thread t USING (utid) ORDER BY s.ts;
SELECT trace_type FROM __intrinsic_trace_file;
