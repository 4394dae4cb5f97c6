-- Kernel events as text, in two streams: the rows are those of the text, the files say what was in what.
SELECT s.ts, s.dur, s.name, t.tid, p.pid FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) JOIN process p USING (upid) ORDER BY s.ts;
SELECT name, trace_type, is_container, parent_id FROM __intrinsic_trace_file ORDER BY name;
