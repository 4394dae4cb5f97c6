-- System calls of threads.

-- Calls, with what they returned. Those that did not return are not among them.
CREATE PERFETTO VIEW orma_syscall(
  -- Alias for `slice.id`.
  id LONG,
  -- When it was entered.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The call, without `sys_`.
  name STRING,
  -- The thread that called.
  utid JOINID(thread.id),
  -- What it returned; NULL if that was not recorded.
  ret LONG,
  -- Whether it failed: it returned an error number.
  failed BOOL
) AS
SELECT
  s.id, s.ts, s.dur, substr(s.name, 5) AS name, t.utid, extract_arg(s.arg_set_id, 'ret') AS ret,
  coalesce(extract_arg(s.arg_set_id, 'ret') BETWEEN -4095 AND -1, 0) AS failed
FROM slice AS s
JOIN thread_track AS t ON s.track_id = t.id
WHERE s.name GLOB 'sys_*' AND s.category IS NULL AND s.dur >= 0;
