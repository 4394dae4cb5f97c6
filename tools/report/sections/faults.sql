INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_threads_label(utid, n) AS thread, in_user, in_kernel,
  1e9 * (in_user + in_kernel) / ($to - $from) AS per_second, utid AS _utid,
  tid AS _tid, n AS _threads
FROM (
  SELECT min(utid) AS utid, $threads_num AS n, sum(name = 'page_fault_user') AS in_user,
    sum(name = 'page_fault_kernel') AS in_kernel
  FROM ftrace_event$grouped WHERE name IN ('page_fault_user', 'page_fault_kernel')
    AND ts >= $from AND ts < $end$threads
  GROUP BY $who
) JOIN thread USING (utid)
ORDER BY in_user + in_kernel DESC LIMIT $top
