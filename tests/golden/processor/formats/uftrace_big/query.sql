-- The same in big-endian order: a folder of uftrace: arguments of each kind, a function without a spec, longjmp, a fork with its parent's session, losses, events, an exit alone, a cut record, switches.
SELECT s.ts, s.dur, s.depth, t.tid, s.name, s.category, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = s.arg_set_id) AS args FROM slice s LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread t USING (utid) ORDER BY s.ts, s.depth;
SELECT ts, dur, ucpu, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts;
SELECT ts, dur, state, tid FROM thread_state JOIN thread USING (utid) ORDER BY ts;
SELECT c.ts, t.name, t.unit, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY c.ts, t.name;
SELECT p.pid, p.name, t.tid, t.name, (SELECT pid FROM process q WHERE q.upid = p.parent_upid) AS parent FROM thread t LEFT JOIN process p USING (upid) ORDER BY t.tid;
SELECT unit, reason, kind, units, count FROM import_account ORDER BY unit, reason, kind;
SELECT name, str_value FROM metadata WHERE name IN ('system_release', 'tracing_tool', 'trace_time_clock_id', 'trace_type') ORDER BY name;
