INCLUDE PERFETTO MODULE orma.syscalls;
INCLUDE PERFETTO MODULE orma.sched;
SELECT name AS call, count(*) AS calls, sum(failed) AS errors,
  sum(dur) AS total_ns, CAST(percentile(dur, 99) AS INT) AS p99_ns,
  max(dur) AS max_ns, ts AS at_ts, orma_thread_name(utid) AS thread,
  CAST(avg(dur) AS INT) AS _mean_ns, utid AS _utid
FROM orma_syscall WHERE ts >= $from AND ts < $end$threads
GROUP BY name ORDER BY total_ns DESC LIMIT $top
