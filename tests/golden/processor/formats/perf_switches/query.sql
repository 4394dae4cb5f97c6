SELECT 'account' AS what, reason AS a, kind AS b, count AS c, units AS d, unit AS e FROM import_account
UNION ALL SELECT * FROM (SELECT 'event', ts, f.name, ucpu, tid, (SELECT GROUP_CONCAT(key || '=' || display_value, ' ') FROM args a WHERE a.arg_set_id = f.arg_set_id)
  FROM ftrace_event f LEFT JOIN thread USING (utid) ORDER BY ts)
UNION ALL SELECT * FROM (SELECT 'sched', ts, dur, ucpu, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts)
UNION ALL SELECT * FROM (SELECT 'state', ts, dur, ucpu, tid, state FROM thread_state JOIN thread USING (utid) ORDER BY ts, tid)
UNION ALL SELECT * FROM (SELECT 'thread', tid, thread.name, thread.start_ts, thread.end_ts, pid FROM thread LEFT JOIN process USING (upid) ORDER BY tid)
UNION ALL SELECT 'samples', COUNT(*), MIN(ts), NULL, NULL, NULL FROM perf_sample;
