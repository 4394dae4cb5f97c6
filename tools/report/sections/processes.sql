INCLUDE PERFETTO MODULE orma.machines;
WITH
  buckets AS (
    SELECT p.upid, p.name, CAST((ts - $from) * 24 / ($to - $from) AS INT) AS bucket, max(value) AS high,
      value_at_max_ts(ts, value) AS last
    FROM counter AS c JOIN process_counter_track AS p ON p.id = c.track_id
    WHERE p.type = 'process_memory' AND ts >= $from AND ts <= $to$processes
      AND p.name IN ('mem.rss', 'mem.rss.anon', 'mem.rss.file', 'mem.swap')
    GROUP BY p.upid, p.name, bucket ORDER BY p.upid, p.name, bucket
  ),
  used AS (
    SELECT upid, max(iif(name = 'mem.rss', high, NULL)) AS rss_bytes,
      max(iif(name = 'mem.rss.anon', high, NULL)) AS anon_bytes,
      max(iif(name = 'mem.rss.file', high, NULL)) AS file_bytes,
      max(iif(name = 'mem.swap', high, NULL)) AS swap_bytes,
      group_concat(iif(name = 'mem.rss.anon', bucket || ':' || last, NULL))
        AS anon_spark
    FROM buckets GROUP BY upid
  )
SELECT coalesce(replace(name, rtrim(name, replace(name, '/', '')), '') || ' ', '')
    || pid AS process, rss_bytes AS _rss_bytes, anon_bytes, file_bytes,
  swap_bytes, anon_spark, orma_machine_label(machine_id) AS machine, upid AS _upid, pid AS _pid
FROM used JOIN process USING (upid)
ORDER BY max(coalesce(rss_bytes, 0), coalesce(anon_bytes, 0)) DESC LIMIT $top
