INCLUDE PERFETTO MODULE orma.sched;
WITH
  waits AS (
    SELECT utid, count(*) AS waits, sum(dur) AS total_ns, avg(dur) AS mean_ns,
      percentile(dur, 99) AS p99_ns, max(dur) AS max_ns, ts AS max_ts, ucpu
    FROM orma_wait WHERE ts >= $from AND ts < $end$threads
    GROUP BY utid ORDER BY max_ns DESC LIMIT $top
  ),
  gaps AS (
    SELECT utid, count(*) AS unknown FROM orma_state_unknown_end
    WHERE state IN ('R', 'R+') AND ts >= $from AND ts < $end$threads
    GROUP BY utid
  )
SELECT orma_thread_label(w.utid) AS thread, waits,
  total_ns AS _total_ns, CAST(mean_ns AS INT) AS mean_ns,
  CAST(p99_ns AS INT) AS p99_ns, max_ns, max_ts AS at_ts,
  orma_thread_name(orma_who_ran(ucpu, max_ts, max_ns)) AS ran_instead,
  coalesce(unknown, 0) AS unknown, w.utid AS _utid, t.tid AS _tid
FROM waits AS w
JOIN thread AS t ON t.utid = w.utid
LEFT JOIN gaps AS g ON g.utid = w.utid
ORDER BY max_ns DESC
