INCLUDE PERFETTO MODULE orma.sched;
WITH
  waits AS (
    SELECT $who AS who, min(utid) AS utid, $threads_num AS n, count(*) AS waits, sum(dur) AS total_ns, avg(dur) AS mean_ns,
      percentile(dur, 99) AS p99_ns, max(dur) AS max_ns, ts AS max_ts, ucpu
    FROM orma_wait$grouped WHERE ts >= $from AND ts < $end$threads
    GROUP BY $who ORDER BY max_ns DESC LIMIT $top
  ),
  gaps AS (
    SELECT $who AS who, count(*) AS unknown FROM orma_state_unknown_end$grouped
    WHERE state IN ('R', 'R+') AND ts >= $from AND ts < $end$threads
    GROUP BY $who
  )
SELECT orma_threads_label(w.utid, n) AS thread, waits,
  total_ns AS _total_ns, CAST(mean_ns AS INT) AS mean_ns,
  CAST(p99_ns AS INT) AS p99_ns, max_ns, max_ts AS at_ts,
  orma_thread_name(orma_who_ran(ucpu, max_ts, max_ns)) AS ran_instead,
  coalesce(unknown, 0) AS unknown, w.utid AS _utid, t.tid AS _tid, n AS _threads
FROM waits AS w
JOIN thread AS t ON t.utid = w.utid
LEFT JOIN gaps AS g ON g.who = w.who
ORDER BY max_ns DESC
