INCLUDE PERFETTO MODULE orma.sched;
SELECT iif(by_interrupt, 'an interrupt', orma_thread_label(waker_utid)) AS waker,
  orma_thread_label(utid) AS woken, count(*) AS wakeups,
  CAST(avg(dur) AS INT) AS mean_wait_ns, max(dur) AS max_wait_ns, ts AS at_ts,
  iif(by_interrupt, NULL, waker_utid) AS _waker_utid, utid AS _woken_utid
FROM orma_wait WHERE NOT preempted AND ts >= $from AND ts < $end$threads
GROUP BY by_interrupt, _waker_utid, utid
ORDER BY wakeups DESC LIMIT $top
