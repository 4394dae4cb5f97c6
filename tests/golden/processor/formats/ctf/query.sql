-- A trace of CTF 1.8 with types that are made up: variants, sequences, enums, bit fields, texts.
SELECT s.ts, s.dur, s.depth, t.tid, s.name, s.category, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = s.arg_set_id) AS args FROM slice s LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread t USING (utid) ORDER BY s.ts, s.id;
SELECT e.ts, e.name, cpu, tid, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = e.arg_set_id) AS args FROM ftrace_event e JOIN thread USING (utid) ORDER BY e.ts, e.id;
SELECT ts, dur, ucpu, tid, end_state, priority FROM sched JOIN thread USING (utid) ORDER BY ts;
SELECT ts, dur, state, tid FROM thread_state JOIN thread USING (utid) ORDER BY ts, tid;
SELECT p.pid, p.name, t.tid, t.name, (SELECT pid FROM process q WHERE q.upid = p.parent_upid) AS parent FROM thread t LEFT JOIN process p USING (upid) ORDER BY t.tid;
SELECT unit, reason, kind, units, count FROM import_account ORDER BY unit, reason, kind;
SELECT name, str_value FROM metadata WHERE name IN ('system_release', 'tracing_tool', 'trace_time_clock_id', 'trace_type', 'ctf_hostname') ORDER BY name;
