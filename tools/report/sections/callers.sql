INCLUDE PERFETTO MODULE orma.syscalls;
INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_threads_label(utid, n) AS thread, calls, errors, total_ns,
  max_ns, call AS slowest, at_ts, utid AS _utid, tid AS _tid, n AS _threads
FROM (
  SELECT min(utid) AS utid, $threads_num AS n, count(*) AS calls, sum(failed) AS errors, sum(dur) AS total_ns,
    max(dur) AS max_ns, name AS call, ts AS at_ts
  FROM orma_syscall$grouped WHERE ts >= $from AND ts < $end$threads
  GROUP BY $who
) JOIN thread USING (utid)
ORDER BY total_ns DESC LIMIT $top
