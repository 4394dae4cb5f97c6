INCLUDE PERFETTO MODULE orma.sched;
WITH
  runs AS (
    SELECT utid, sum(min(ts + dur, $to) - max(ts, $from)) AS cpu_ns,
      count(*) AS runs
    FROM orma_run WHERE ts < $to AND ts + dur > $from$threads
    GROUP BY utid
  ),
  waits AS (
    SELECT utid, sum(dur) AS waited_ns
    FROM orma_wait WHERE ts >= $from AND ts < $end$threads
    GROUP BY utid
  ),
  gaps AS (
    SELECT utid, sum(min(next_ts, $to) - max(ts, $from)) AS unknown_ns
    FROM orma_state_unknown_end WHERE ts < $to AND next_ts > $from$threads
    GROUP BY utid
  )
SELECT orma_thread_label(t.utid) AS thread,
  replace(p.name, rtrim(p.name, replace(p.name, '/', '')), '') AS process,
  coalesce(cpu_ns, 0) AS cpu_ns,
  100.0 * coalesce(cpu_ns, 0) / ($to - $from) AS share_pct,
  coalesce(runs, 0) AS runs, coalesce(waited_ns, 0) AS waited_ns,
  coalesce(unknown_ns, 0) AS unknown_ns,
  t.utid AS _utid, t.tid AS _tid, p.pid AS _pid
FROM thread AS t
LEFT JOIN process AS p ON p.upid = t.upid
LEFT JOIN runs AS r ON r.utid = t.utid
LEFT JOIN waits AS w ON w.utid = t.utid
LEFT JOIN gaps AS g ON g.utid = t.utid
WHERE runs IS NOT NULL OR unknown_ns IS NOT NULL
ORDER BY cpu_ns DESC LIMIT $top
