INCLUDE PERFETTO MODULE orma.sched;
WITH
  runs AS (
    SELECT $who AS who, min(utid) AS utid, $threads_num AS n,
      sum(min(ts + dur, $to) - max(ts, $from)) AS cpu_ns, count(*) AS runs
    FROM orma_run$grouped WHERE ts < $to AND ts + dur > $from$threads
    GROUP BY $who
  ),
  waits AS (
    SELECT $who AS who, sum(min(ts + dur, $to) - max(ts, $from)) AS waited_ns
    FROM orma_state$grouped WHERE state IN ('R', 'R+') AND ts < $to AND ts + dur > $from$threads
    GROUP BY $who
  ),
  gaps AS (
    SELECT $who AS who, sum(min(next_ts, $to) - max(ts, $from)) AS unknown_ns
    FROM orma_state_unknown_end$grouped WHERE ts < $to AND next_ts > $from$threads
    GROUP BY $who
  )
SELECT orma_threads_label(t.utid, n) AS thread,
  replace(p.name, rtrim(p.name, replace(p.name, '/', '')), '') AS process,
  coalesce(cpu_ns, 0) AS cpu_ns,
  100.0 * coalesce(cpu_ns, 0) / ($to - $from) AS share_pct,
  coalesce(runs, 0) AS runs, coalesce(waited_ns, 0) AS waited_ns,
  coalesce(unknown_ns, 0) AS unknown_ns,
  t.utid AS _utid, t.tid AS _tid, p.pid AS _pid, coalesce(n, 1) AS _threads
FROM thread AS f
LEFT JOIN runs AS r ON r.who = f.utid
LEFT JOIN waits AS w ON w.who = f.utid
LEFT JOIN gaps AS g ON g.who = f.utid
JOIN thread AS t ON t.utid = coalesce(r.utid, f.utid)
LEFT JOIN process AS p ON p.upid = t.upid
WHERE runs IS NOT NULL OR unknown_ns IS NOT NULL
ORDER BY cpu_ns DESC LIMIT $top
