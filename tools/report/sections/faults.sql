INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_thread_label(utid) AS thread, in_user, in_kernel,
  1e9 * (in_user + in_kernel) / ($to - $from) AS per_second, utid AS _utid,
  tid AS _tid
FROM (
  SELECT utid, sum(name = 'page_fault_user') AS in_user,
    sum(name = 'page_fault_kernel') AS in_kernel
  FROM ftrace_event WHERE name IN ('page_fault_user', 'page_fault_kernel')
    AND ts >= $from AND ts < $end$threads
  GROUP BY utid
) JOIN thread USING (utid)
ORDER BY in_user + in_kernel DESC LIMIT $top
