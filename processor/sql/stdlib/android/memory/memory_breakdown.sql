-- The memory of processes by kind, without what they have from the process that they were forked from.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE counters.intervals;

-- Counters of memory in bytes, by a common name.
CREATE PERFETTO TABLE _memory_breakdown_tracks AS
SELECT
  t.id AS track_id, t.upid,
  CASE
    WHEN t.name GLOB 'Heap size (KB)*' THEN 'mem.heap'
    WHEN t.name = 'GPU Memory' THEN 'mem.gpu'
    ELSE t.name
  END AS memory_track_name,
  iif(t.name GLOB 'Heap size (KB)*', 1024.0, 1.0) AS unit
FROM process_counter_track AS t
WHERE t.name IN (
  'mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap', 'mem.locked', 'mem.dmabuf_rss',
  'GPU Memory'
) OR t.name GLOB 'Heap size (KB)*'
ORDER BY t.id;

-- What zygotes had on average: processes have it from them, too.
CREATE PERFETTO TABLE _memory_breakdown_zygotes AS
SELECT p.upid, t.memory_track_name, avg(c.value * t.unit) AS value
FROM process AS p
JOIN _memory_breakdown_tracks AS t USING (upid)
JOIN counter AS c USING (track_id)
WHERE p.name GLOB '*zygote*'
  AND t.memory_track_name IN ('mem.rss.anon', 'mem.swap', 'mem.rss.file', 'mem.heap')
GROUP BY p.upid, t.memory_track_name;

-- Memory of processes, each value until the next one.
CREATE PERFETTO TABLE android_process_memory_intervals(
  -- The sample.
  id LONG,
  -- Its time.
  ts TIMESTAMP,
  -- Until the next one, or the end of the process.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- Number of the process.
  pid LONG,
  -- The kind of memory.
  memory_track_name STRING,
  -- The track.
  track_id JOINID(track.id),
  -- Bytes.
  value LONG,
  -- Bytes without what the zygote had that the process was forked from.
  zygote_adjusted_value LONG,
  -- Whether the track ever jumps by more than 100 MiB.
  track_has_spike_gt_100mib BOOL
) AS
WITH
  samples AS (
    SELECT
      i.id, i.ts,
      min(i.ts + i.dur, coalesce(p.end_ts, trace_end())) - i.ts AS dur, p.name AS process_name,
      p.upid, p.pid, p.parent_upid, t.memory_track_name, i.track_id, i.value * t.unit AS value,
      i.delta_value * t.unit AS delta
    FROM counter_leading_intervals!(
      (
        SELECT c.id, c.ts, c.track_id, c.value
        FROM _memory_breakdown_tracks AS t JOIN counter AS c USING (track_id)
      )
    ) AS i
    JOIN _memory_breakdown_tracks AS t USING (track_id)
    JOIN process AS p USING (upid)
  )
SELECT
  s.id, s.ts, s.dur, s.process_name, s.upid, s.pid, s.memory_track_name, s.track_id, s.value,
  CAST(max(s.value - coalesce(z.value, 0), 0) AS INT) AS zygote_adjusted_value,
  max(coalesce(abs(s.delta), 0) > 104857600) OVER (PARTITION BY s.track_id)
    AS track_has_spike_gt_100mib
FROM samples AS s
LEFT JOIN _memory_breakdown_zygotes AS z
  ON z.upid = s.parent_upid AND z.memory_track_name = s.memory_track_name
WHERE s.dur > 0
ORDER BY s.track_id, s.ts;

-- Scores of the process of each of these tracks.
CREATE PERFETTO TABLE _memory_breakdown_oom_intervals_prepared AS
SELECT t.track_id, o.ts, o.dur, o.bucket
FROM android_oom_adj_intervals AS o
JOIN _memory_breakdown_tracks AS t USING (upid)
WHERE o.dur > 0
ORDER BY o.upid, o.ts, t.track_id;

CREATE PERFETTO VIEW _memory_breakdown_mem_intervals_raw AS
SELECT
  track_id, ts, dur, id AS counter_id, process_name, upid, pid, memory_track_name, value,
  zygote_adjusted_value, track_has_spike_gt_100mib
FROM android_process_memory_intervals;

CREATE VIRTUAL TABLE _memory_breakdown_mem_oom USING SPAN_LEFT_JOIN(
  _memory_breakdown_mem_intervals_raw PARTITIONED track_id,
  _memory_breakdown_oom_intervals_prepared PARTITIONED track_id
);

-- The same, by how dear the process was to the system.
CREATE PERFETTO TABLE android_process_memory_intervals_by_oom_bucket(
  -- Its number.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- Number of the process.
  pid LONG,
  -- Kind of the score; `unknown` where there is none.
  bucket STRING,
  -- The kind of memory.
  memory_track_name STRING,
  -- The track.
  track_id JOINID(track.id),
  -- The sample.
  counter_id JOINID(counter.id),
  -- Bytes.
  value LONG,
  -- Bytes without what the zygote had that the process was forked from.
  zygote_adjusted_value LONG,
  -- Whether the track ever jumps by more than 100 MiB.
  track_has_spike_gt_100mib BOOL
) AS
SELECT
  CAST(row_number() OVER () AS INT) AS id, ts, dur, process_name, upid, pid,
  coalesce(bucket, 'unknown') AS bucket, memory_track_name, track_id, counter_id, value,
  zygote_adjusted_value, track_has_spike_gt_100mib
FROM _memory_breakdown_mem_oom;
