-- Version 6 of a big-endian machine of 32 bits: ticks of half a nanosecond, an offset, an instance, a damaged page.
SELECT f.ts, f.ucpu, t.tid, f.name, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = f.arg_set_id) AS args
FROM ftrace_event f JOIN thread t USING (utid) ORDER BY f.ts;
SELECT s.ts, s.dur, t.tid, s.end_state FROM sched s JOIN thread t USING (utid) ORDER BY s.ts;
SELECT ts, value FROM counter;
SELECT reason, kind, units, count, message FROM import_account ORDER BY reason, count;
