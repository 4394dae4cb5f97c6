-- trace-cmd's version 7, packed: of two buffers with switches the top one counts; an event whose format is missing; a lost page.
SELECT f.ts, f.ucpu, t.tid, f.name, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = f.arg_set_id) AS args
FROM ftrace_event f JOIN thread t USING (utid) ORDER BY f.ts;
SELECT s.ts, s.dur, s.ucpu, t.tid, t.name, s.end_state FROM sched s JOIN thread t USING (utid) ORDER BY s.ts;
SELECT ts, dur, name FROM slice;
SELECT reason, kind, units, count FROM import_account ORDER BY reason;
SELECT name, idx, value FROM stats WHERE value > 0 AND (name GLOB 'ftrace_cpu_*_end' OR name GLOB 'ftrace_cpu_*_loss') ORDER BY name;
SELECT tid, name FROM thread ORDER BY tid;
SELECT name, str_value, int_value FROM metadata WHERE name IN ('system_release', 'tracing_tool', 'trace_time_clock_id', 'trace_type') ORDER BY name;
