INCLUDE PERFETTO MODULE orma.sched;
SELECT iif(by_interrupt, 'an interrupt', orma_threads_label(min(waker_utid), $wakers_num)) AS waker,
  orma_threads_label(min(utid), $threads_num) AS woken, count(*) AS wakeups,
  CAST(avg(dur) AS INT) AS mean_wait_ns, max(dur) AS max_wait_ns, ts AS at_ts,
  iif(by_interrupt, NULL, min(waker_utid)) AS _waker_utid, min(utid) AS _woken_utid
FROM orma_wait$grouped$wakers_grouped WHERE NOT preempted AND ts >= $from AND ts < $end$threads
GROUP BY by_interrupt, iif(by_interrupt, NULL, $waker), $who
ORDER BY wakeups DESC LIMIT $top
