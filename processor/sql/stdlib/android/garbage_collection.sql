-- Collections of garbage, and how they were scheduled.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE _android_collections AS
SELECT
  s.id, s.ts, iif(s.dur = -1, trace_end() - s.ts, s.dur) AS dur, s.name, s.utid, s.upid, s.tid,
  s.pid, s.thread_name, s.process_name
FROM thread_slice AS s
WHERE s.depth = 0 AND s.name GLOB '*GC'
ORDER BY s.id;

-- Sizes of heaps, until the next reading.
CREATE PERFETTO TABLE _android_heap_sizes AS
SELECT
  c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS ts_end,
  t.upid, c.value / 1024.0 AS heap_mb
FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'Heap size (KB)'
ORDER BY c.ts;

CREATE PERFETTO TABLE _android_collection_states AS
SELECT ii.id_0 AS id, ii.dur, t.state, t.io_wait
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur, utid FROM _android_collections WHERE dur > 0),
    (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
  ),
  (utid)
) AS ii
JOIN thread_state AS t ON t.id = ii.id_1;

CREATE PERFETTO TABLE android_garbage_collection_events(
  tid LONG, pid LONG, utid JOINID(thread.id), upid JOINID(process.id), thread_name STRING,
  process_name STRING, gc_type STRING, is_mark_compact LONG, reclaimed_mb DOUBLE,
  min_heap_mb DOUBLE, max_heap_mb DOUBLE, gc_id LONG, gc_ts TIMESTAMP, gc_dur DURATION,
  gc_running_dur LONG, gc_runnable_dur LONG, gc_unint_io_dur LONG, gc_unint_non_io_dur LONG,
  gc_int_dur LONG
) AS
WITH
  heaps AS (
    SELECT g.id, min(h.heap_mb) AS min_mb, max(h.heap_mb) AS max_mb
    FROM _android_collections AS g
    JOIN _android_heap_sizes AS h ON h.upid = g.upid AND h.ts <= g.ts + g.dur AND h.ts_end > g.ts
    GROUP BY g.id
  ),
  states AS (
    SELECT
      id,
      sum(dur) FILTER (WHERE state = 'Running') AS running,
      sum(dur) FILTER (WHERE state IN ('R', 'R+')) AS runnable,
      sum(dur) FILTER (WHERE state GLOB 'D*' AND io_wait = 1) AS io,
      sum(dur) FILTER (WHERE state GLOB 'D*' AND coalesce(io_wait, 0) = 0) AS non_io,
      sum(dur) FILTER (WHERE state = 'S') AS interruptible
    FROM _android_collection_states
    GROUP BY id
  )
SELECT
  g.tid, g.pid, g.utid, g.upid, g.thread_name, g.process_name,
  CASE
    WHEN g.name GLOB 'NativeAlloc*' THEN 'native_alloc'
    WHEN g.name GLOB 'Alloc*' THEN 'alloc'
    WHEN g.name GLOB '*young*' THEN 'young'
    WHEN g.name GLOB '*CollectorTransition*' THEN 'collector_transition'
    WHEN g.name GLOB '*Explicit*' THEN 'explicit_gc'
    ELSE 'full'
  END AS gc_type,
  g.name GLOB '*mark compact*' AS is_mark_compact,
  h.max_mb - h.min_mb AS reclaimed_mb, h.min_mb AS min_heap_mb, h.max_mb AS max_heap_mb,
  g.id AS gc_id, g.ts AS gc_ts, g.dur AS gc_dur,
  coalesce(s.running, 0) AS gc_running_dur, coalesce(s.runnable, 0) AS gc_runnable_dur,
  coalesce(s.io, 0) AS gc_unint_io_dur, coalesce(s.non_io, 0) AS gc_unint_non_io_dur,
  coalesce(s.interruptible, 0) AS gc_int_dur
FROM _android_collections AS g
LEFT JOIN heaps AS h USING (id)
LEFT JOIN states AS s USING (id)
ORDER BY g.id;
