INCLUDE PERFETTO MODULE orma.machines;
WITH
  buckets AS (
    SELECT track_id, CAST((ts - $from) * 24 / ($to - $from) AS INT) AS bucket, min(value) AS low, max(value) AS high,
      value_at_max_ts(ts, value) AS last, min(ts) AS ts
    FROM counter WHERE ts >= $from AND ts <= $to
      AND track_id IN (SELECT id FROM counter_track WHERE type = 'meminfo')
    GROUP BY track_id, bucket ORDER BY track_id, bucket
  )
SELECT t.name AS counter, min(low) AS min_bytes, max(high) AS max_bytes,
  value_at_max_ts(b.ts, last) AS last_bytes,
  group_concat(bucket || ':' || last) AS over_time_spark,
  orma_machine_label(t.machine_id) AS machine
FROM buckets AS b JOIN counter_track AS t ON t.id = b.track_id
WHERE t.name IN ('MemAvailable', 'MemFree', 'Cached', 'AnonPages', 'Dirty',
  'Writeback', 'Slab', 'Shmem', 'SwapFree', 'PageTables', 'Mapped')
GROUP BY t.id HAVING max(high) > 0 ORDER BY max(high) - min(low) DESC LIMIT $top
