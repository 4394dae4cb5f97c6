INCLUDE PERFETTO MODULE orma.machines;
WITH
  steps AS (
    SELECT track_id, ts, value,
      value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS step
    FROM counter WHERE ts >= $from AND ts <= $to
      AND track_id IN (SELECT id FROM counter_track WHERE type = 'psi')
  ),
  buckets AS (
    SELECT track_id, CAST((ts - $from) * 24 / ($to - $from) AS INT) AS bucket, min(ts) AS first_ts, max(ts) AS last_ts,
      sum(step) AS stalled
    FROM steps GROUP BY track_id, bucket ORDER BY track_id, bucket
  )
SELECT substr(t.name, 5) AS resource, CAST(total(stalled) AS INT) AS stalled_ns,
  100.0 * total(stalled) / (max(last_ts) - min(first_ts)) AS share_pct,
  group_concat(bucket || ':' || stalled) AS over_time_spark,
  orma_machine_label(t.machine_id) AS machine
FROM buckets AS b JOIN counter_track AS t ON t.id = b.track_id
GROUP BY t.id HAVING max(last_ts) > min(first_ts)
ORDER BY stalled_ns DESC LIMIT $top
