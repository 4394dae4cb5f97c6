INCLUDE PERFETTO MODULE orma.sched;
WITH
  runs AS (
    SELECT $who AS who, min(utid) AS utid, $threads_num AS n, count(*) AS runs, sum(coalesce(ucpu != prev_ucpu, 0)) AS moved,
      count(DISTINCT ucpu) AS cpus, CAST(avg(dur) AS INT) AS mean_run_ns,
      max(dur) AS max_run_ns, ts AS at_ts
    FROM orma_run$grouped WHERE ts >= $from AND ts < $end$threads
    GROUP BY $who
  ),
  waits AS (
    SELECT $who AS who, sum(preempted) AS preempted
    FROM orma_wait$grouped WHERE ts >= $from AND ts < $end$threads
    GROUP BY $who
  )
SELECT orma_threads_label(r.utid, n) AS thread, runs,
  coalesce(preempted, 0) AS preempted, moved, cpus, mean_run_ns, max_run_ns,
  at_ts, r.utid AS _utid, t.tid AS _tid, n AS _threads
FROM runs AS r
JOIN thread AS t ON t.utid = r.utid
LEFT JOIN waits AS w ON w.who = r.who
ORDER BY preempted + moved DESC, runs DESC LIMIT $top
