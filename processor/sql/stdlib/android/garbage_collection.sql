-- Collections of garbage, and how they were scheduled.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE counters.intervals;
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

-- Sizes of heaps in KB, from one reading to the next.
CREATE PERFETTO TABLE _gc_heap_counter AS
SELECT
  c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  t.upid, CAST(c.value AS INT) AS value
FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'Heap size (KB)'
ORDER BY c.ts;

-- From the first to the last of them; NULL if there is none.
CREATE PERFETTO TABLE _gc_stats_window AS
SELECT
  min(ts) AS gc_stats_window_start,
  max(ts) AS gc_stats_window_end,
  max(ts) - min(ts) AS gc_stats_window_dur
FROM _gc_heap_counter;

-- How much each process allocated: by how much its heap grew since the reading before, `dur` ago.
CREATE PERFETTO TABLE _gc_heap_allocated AS
SELECT
  t.upid, c.ts, c.ts - lag(c.ts) OVER one_track AS dur, c.value,
  max(c.value - lag(c.value, 1, c.value) OVER one_track, 0.0) AS allocated
FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'Heap size (KB)'
WINDOW one_track AS (PARTITION BY c.track_id ORDER BY c.ts)
ORDER BY t.upid, c.ts;

-- MB times seconds: of what collections left, and of what there was.
CREATE PERFETTO TABLE _gc_heap_utilization AS
SELECT
  p.upid,
  sum(e.min_heap_mb * e.gc_dur / 1e9) AS heap_live_mbs,
  sum(e.max_heap_mb * e.gc_dur / 1e9) AS heap_total_mbs
FROM process AS p LEFT JOIN android_garbage_collection_events AS e USING (upid)
GROUP BY p.upid
ORDER BY p.upid;

-- What each process's heap and collections were in that time, of a heap as far as it was read
-- twice.
CREATE PERFETTO TABLE _android_garbage_collection_process_stats AS
WITH
  heaps AS (
    SELECT
      a.upid, w.gc_stats_window_start AS ts, w.gc_stats_window_dur AS dur,
      sum(a.value * a.dur) / 1e12 AS heap_size_mbs
    FROM _gc_heap_allocated AS a CROSS JOIN _gc_stats_window AS w
    GROUP BY a.upid
  ),
  allocated AS (
    SELECT upid, sum(allocated) / 1e3 AS heap_allocated_mb FROM _gc_heap_allocated GROUP BY upid
  ),
  runs AS (
    SELECT upid, sum(gc_running_dur) AS gc_running_dur, sum(reclaimed_mb) AS reclaimed_mb
    FROM android_garbage_collection_events
    GROUP BY upid
  ),
  starts AS (
    SELECT
      e.upid, sum(e.gc_running_dur) AS gc_during_android_startup_dur,
      sum(e.reclaimed_mb) AS reclaimed_mb
    FROM android_garbage_collection_events AS e
    WHERE EXISTS (
      SELECT 1 FROM android_startups AS s
      WHERE s.ts < e.gc_ts + e.gc_dur AND s.ts_end > e.gc_ts
    )
    GROUP BY e.upid
  ),
  total_starts AS (SELECT sum(dur) AS dur FROM android_startups)
SELECT
  h.upid, h.ts, h.dur, h.heap_size_mbs, h.heap_size_mbs * 1e9 / nullif(h.dur, 0) AS heap_size_mb,
  a.heap_allocated_mb, a.heap_allocated_mb * 1e9 / nullif(h.dur, 0) AS heap_allocation_rate,
  u.heap_live_mbs, u.heap_total_mbs, u.heap_live_mbs / u.heap_total_mbs AS heap_utilization,
  r.gc_running_dur, r.gc_running_dur * 1.0 / nullif(h.dur, 0) AS gc_running_rate,
  r.reclaimed_mb / nullif(r.gc_running_dur / 1e9, 0) AS gc_running_efficiency,
  s.gc_during_android_startup_dur, t.dur AS total_android_startup_dur,
  s.gc_during_android_startup_dur * 1.0 / nullif(t.dur, 0) AS gc_during_android_startup_rate,
  s.reclaimed_mb / nullif(s.gc_during_android_startup_dur / 1e9, 0)
    AS gc_during_android_startup_efficiency
FROM heaps AS h
LEFT JOIN allocated AS a USING (upid)
LEFT JOIN _gc_heap_utilization AS u USING (upid)
LEFT JOIN runs AS r USING (upid)
LEFT JOIN starts AS s USING (upid)
CROSS JOIN total_starts AS t
ORDER BY h.upid;

-- The sums over all processes; NULL where there is no heap.
CREATE PERFETTO TABLE _android_garbage_collection_stats AS
SELECT
  w.gc_stats_window_start AS ts, w.gc_stats_window_dur AS dur,
  sum(p.heap_size_mbs) AS heap_size_mbs,
  sum(p.heap_size_mbs) / nullif(w.gc_stats_window_dur / 1e9, 0) AS heap_size_mb,
  sum(p.heap_allocated_mb) AS heap_allocated_mb,
  sum(p.heap_allocated_mb) / nullif(w.gc_stats_window_dur / 1e9, 0) AS heap_allocation_rate,
  sum(p.heap_live_mbs) AS heap_live_mbs, sum(p.heap_total_mbs) AS heap_total_mbs,
  sum(p.heap_live_mbs) / sum(p.heap_total_mbs) AS heap_utilization,
  sum(p.gc_running_dur) AS gc_running_dur,
  sum(p.gc_running_dur) * 1.0 / nullif(w.gc_stats_window_dur, 0) AS gc_running_rate,
  sum(p.gc_during_android_startup_dur) AS gc_during_android_startup_dur,
  max(p.total_android_startup_dur) AS total_android_startup_dur,
  sum(p.gc_during_android_startup_dur) * 1.0 / nullif(max(p.total_android_startup_dur), 0)
    AS gc_during_android_startup_rate,
  avg(p.gc_running_efficiency) AS gc_running_efficiency,
  avg(p.gc_during_android_startup_efficiency) AS gc_during_android_startup_efficiency
FROM _gc_stats_window AS w LEFT JOIN _android_garbage_collection_process_stats AS p;
