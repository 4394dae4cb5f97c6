INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_thread_label(e.utid) AS thread, sum(e.name = 'page_fault_user') AS in_user,
  sum(e.name = 'page_fault_kernel') AS in_kernel,
  1e9 * count(*) / (s.end_ts - s.ts) AS per_second, e.utid AS _utid
FROM ftrace_event AS e
JOIN (
  SELECT utid, min(ts) AS ts, max(ts + dur) AS end_ts FROM orma_why_interval
  GROUP BY utid
) AS s ON s.utid = e.utid AND e.ts >= s.ts AND e.ts < s.end_ts
WHERE e.name IN ('page_fault_user', 'page_fault_kernel')
GROUP BY e.utid ORDER BY in_user + in_kernel DESC LIMIT $top
