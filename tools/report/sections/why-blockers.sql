INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_thread_label(p.utid) AS blocker, sum(p.dur) AS time_ns,
  100.0 * sum(p.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct,
  sum(iif(p.state = 'ran', p.dur, 0)) AS ran_ns,
  sum(iif(p.state = 'waited', p.dur, 0)) AS waited_cpu_ns,
  sum(iif(p.state IN ('slept', 'blocked'), p.dur, 0)) AS slept_ns,
  sum(p.state = 'unknown') AS unknown, p.utid AS _utid, t.tid AS _tid
FROM orma_why_piece AS p JOIN thread AS t ON t.utid = p.utid
WHERE p.utid != p.root_utid
GROUP BY p.utid ORDER BY time_ns DESC LIMIT $top
