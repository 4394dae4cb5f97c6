-- System calls of threads.

INCLUDE PERFETTO MODULE orma.durations;

-- Calls, with what they returned. Of those that did not return, only those are among them whose thread
-- ended in them.
CREATE PERFETTO VIEW orma_syscall(
  -- Alias for `slice.id`.
  id LONG,
  -- When it was entered.
  ts TIMESTAMP,
  -- How long it took; NULL if that was not recorded (strace without -T, events that were lost meanwhile).
  dur DURATION,
  -- The call, without `sys_`.
  name STRING,
  -- The thread that called.
  utid JOINID(thread.id),
  -- What it returned; NULL if that was not recorded. Of strace: the number alone.
  ret LONG,
  -- Whether it failed: it returned an error number.
  failed BOOL
) AS
SELECT
  s.id, s.ts,
  iif(s.id IN (SELECT id FROM _orma_torn_call), NULL, nullif(iif(s.dur < 0, o.end_ts - s.ts, s.dur), 0)) AS dur,
  substr(s.name, iif(s.category IS NULL, 5, 1)) AS name, t.utid,
  CAST(extract_arg(s.arg_set_id, 'ret') AS INT) AS ret,
  coalesce(extract_arg(s.arg_set_id, 'ret') BETWEEN -4095 AND -1, 0)
    OR s.category = 'strace' AND extract_arg(s.arg_set_id, 'ret') GLOB '[-?]* E*' AS failed
FROM slice AS s
JOIN thread_track AS t ON s.track_id = t.id
LEFT JOIN orma_open_slice AS o ON o.id = s.id
WHERE (s.dur >= 0 OR o.end_ts IS NOT NULL) AND (
  s.name GLOB 'sys_*' AND s.category IS NULL
  OR s.category = 'strace' AND extract_arg(s.arg_set_id, 'ret') != '?'
);

-- A call with what it is about, as far as the kernel's record tells: the address of a futex, the number of
-- a file.
CREATE PERFETTO FUNCTION orma_syscall_label(
  -- Alias for `slice.id`.
  id LONG
)
RETURNS STRING AS
SELECT
  CASE
    WHEN category IS NOT NULL OR extract_arg(arg_set_id, 'args[0]') IS NULL THEN call
    WHEN call = 'futex' THEN 'futex ' || printf('0x%x', extract_arg(arg_set_id, 'args[0]'))
    WHEN call IN (
      'accept', 'accept4', 'connect', 'epoll_pwait', 'epoll_wait', 'fallocate', 'fdatasync', 'flock', 'fsync',
      'ftruncate', 'getdents64', 'ioctl', 'pread64', 'preadv', 'pwrite64', 'pwritev', 'read', 'readv', 'recvfrom',
      'recvmmsg', 'recvmsg', 'sendfile', 'sendmmsg', 'sendmsg', 'sendto', 'sync_file_range', 'syncfs', 'write', 'writev')
      THEN call || ' of file ' || extract_arg(arg_set_id, 'args[0]')
    ELSE call
  END
FROM (
  SELECT arg_set_id, category, substr(name, iif(category IS NULL, 5, 1)) AS call FROM slice WHERE id = $id
);
