INCLUDE PERFETTO MODULE orma.sched;
WITH
  runs AS (
    SELECT utid, count(*) AS runs, sum(coalesce(ucpu != prev_ucpu, 0)) AS moved,
      count(DISTINCT ucpu) AS cpus, CAST(avg(dur) AS INT) AS mean_run_ns,
      max(dur) AS max_run_ns, ts AS at_ts
    FROM orma_run WHERE ts >= $from AND ts < $end$threads
    GROUP BY utid
  ),
  waits AS (
    SELECT utid, sum(preempted) AS preempted
    FROM orma_wait WHERE ts >= $from AND ts < $end$threads
    GROUP BY utid
  )
SELECT orma_thread_label(r.utid) AS thread, runs,
  coalesce(preempted, 0) AS preempted, moved, cpus, mean_run_ns, max_run_ns,
  at_ts, r.utid AS _utid, t.tid AS _tid
FROM runs AS r
JOIN thread AS t ON t.utid = r.utid
LEFT JOIN waits AS w ON w.utid = r.utid
ORDER BY preempted + moved DESC, runs DESC LIMIT $top
