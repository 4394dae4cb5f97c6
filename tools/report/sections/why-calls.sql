INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE orma.syscalls;
WITH
  spans AS (SELECT id, ts, dur, utid FROM orma_why_interval),
  calls AS (
    SELECT id, ts, dur, utid FROM orma_syscall
    WHERE dur > 0 AND utid IN (SELECT utid FROM orma_why_interval)
  )
SELECT s.name AS call, count(*) AS calls, sum(s.failed) AS errors,
  sum(i.dur) AS time_ns, 100.0 * sum(i.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct,
  max(i.dur) AS longest_ns, i.ts AS at_ts
FROM _interval_intersect!((spans, calls), (utid)) AS i
JOIN orma_syscall AS s ON s.id = i.id_1
GROUP BY s.name ORDER BY time_ns DESC LIMIT $top
