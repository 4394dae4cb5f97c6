INCLUDE PERFETTO MODULE orma.counters;
WITH
  buckets AS (
    SELECT track_id, CAST((ts - $from) * 24 / ($to - $from) AS INT) AS bucket, count(*) AS n, min(value) AS low,
      max(value) AS high, value_at_max_ts(ts, value) AS last, max(ts) AS ts
    FROM counter WHERE ts >= $from AND ts <= $to AND value IS NOT NULL
    GROUP BY track_id, bucket ORDER BY track_id, bucket
  ),
  ranges AS (
    SELECT track_id, sum(n) AS samples, min(low) AS min, max(high) AS max,
      value_at_max_ts(ts, last) AS last,
      group_concat(bucket || ':' || last) AS over_time_spark
    FROM buckets GROUP BY track_id HAVING max(high) > min(low)
  )
SELECT concat_ws(', ', name, owner) || coalesce(' (' || unit || ')', '') AS counter,
  samples, min, max, last, over_time_spark, name AS _name, unit AS _unit,
  id AS _track_id, upid AS _upid, utid AS _utid
FROM ranges JOIN orma_counter_track ON id = track_id
WHERE type NOT IN ('meminfo', 'vmstat', 'psi', 'cpustat', 'process_memory',
  'process_memory_thread_fallback', 'num_irq', 'num_softirq', 'cpu_idle_state',
  'oom_score_adj')$owners
ORDER BY samples DESC LIMIT $top
