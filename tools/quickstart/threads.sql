-- CPU time per thread: the rows of `sched` are what ran on each CPU, in order, without gaps.
SELECT
  thread.name AS thread,
  thread.tid,
  process.name AS process,
  round(sum(max(sched.dur, 0)) / 1e6, 3) AS cpu_ms,
  count(*) AS times_on_cpu
FROM sched
JOIN thread USING (utid)
LEFT JOIN process USING (upid)
WHERE NOT thread.tid = 0 -- the idle threads
GROUP BY sched.utid
ORDER BY sum(max(sched.dur, 0)) DESC
LIMIT 10;
