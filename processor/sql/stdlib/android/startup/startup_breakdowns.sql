-- What the main threads of programs did while they were started, by causes.

INCLUDE PERFETTO MODULE android.slices;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;

-- The cause that a slice stands for: what keeps any thread, or a step of a start. NULL: none.
CREATE PERFETTO FUNCTION _normalize_android_string(name STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN _blocking_reason($name) IS NOT NULL THEN _blocking_reason($name)
    WHEN $name GLOB 'dlopen*' THEN 'dlopen'
    WHEN $name GLOB 'VerifyClass*' THEN 'verify_class'
    WHEN $name = 'inflate' THEN 'inflate'
    WHEN $name GLOB 'Choreographer#doFrame*' THEN 'choreographer_do_frame'
    WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'open_dex_files_from_oat'
    WHEN $name = 'ResourcesManager#getResources' THEN 'resources_manager_get_resources'
    WHEN $name = 'bindApplication' THEN 'bind_application'
    WHEN $name = 'activityStart' THEN 'activity_start'
    WHEN $name = 'activityResume' THEN 'activity_resume'
    WHEN $name = 'activityRestart' THEN 'activity_restart'
    WHEN $name = 'clientTransactionExecuted' THEN 'client_transaction_executed'
    WHEN $name = 'PostFork' THEN 'post_fork'
    WHEN $name = 'ActivityThreadMain' THEN 'activity_thread_main'
  END;

-- The reason of a time: the slice; else what the kernel says.
CREATE PERFETTO FUNCTION _startup_breakdown_reason(
  name STRING, state STRING, io_wait LONG, irq_context LONG
)
RETURNS STRING AS
SELECT
  CASE
    WHEN $name IS NOT NULL THEN $name
    WHEN $io_wait = 1 THEN 'io'
    WHEN $irq_context = 1 THEN 'irq'
    ELSE $state
  END;

-- Starts, each as a slice with a number that no slice has.
CREATE PERFETTO TABLE _startup_root_slices AS
SELECT
  (SELECT max(id) FROM slice) + row_number() OVER (ORDER BY s.startup_id, p.upid) AS id, s.dur, s.ts,
  s.startup_id, s.startup_type, q.name AS process_name, t.utid
FROM android_startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN process AS q ON q.upid = p.upid
JOIN thread AS t ON t.upid = p.upid AND t.is_main_thread
WHERE s.dur > 0
ORDER BY id;

-- Slices of these threads in these times, once each, with the cause that they stand for.
CREATE PERFETTO TABLE _startup_relevant_slices AS
SELECT
  s.id, s.parent_id, s.depth, _normalize_android_string(s.name) AS name, s.ts, s.dur, k.utid
FROM (SELECT DISTINCT utid FROM _startup_root_slices) AS t
JOIN thread_track AS k ON k.utid = t.utid
JOIN slice AS s ON s.track_id = k.id
WHERE s.dur > 0 AND EXISTS (
  SELECT 1 FROM _startup_root_slices AS r
  WHERE r.utid = k.utid AND s.ts < r.ts + r.dur AND s.ts + s.dur > r.ts
)
ORDER BY s.id;

CREATE PERFETTO INDEX _startup_relevant_slices_by_id ON _startup_relevant_slices(id);

-- Those that stand for one. The parent is the next one around it, or else the outermost slice.
CREATE PERFETTO TABLE _startup_normalized_slices AS
SELECT
  n.id,
  coalesce(
    (
      SELECT a.id
      FROM ancestor_slice(n.id) AS a
      JOIN _startup_relevant_slices AS r ON r.id = a.id
      WHERE r.name IS NOT NULL
      ORDER BY a.depth DESC
      LIMIT 1
    ),
    (SELECT a.id FROM ancestor_slice(n.id) AS a ORDER BY a.depth LIMIT 1)
  ) AS parent_id,
  0 AS depth, n.name, n.ts, n.dur, n.utid
FROM _startup_relevant_slices AS n
WHERE n.name IS NOT NULL
ORDER BY n.id;

-- The same, cut to the start, which is the parent of those without one.
CREATE PERFETTO TABLE _startup_slices_breakdown AS
SELECT
  max(n.ts, r.ts) AS ts, min(n.ts + n.dur, r.ts + r.dur) - max(n.ts, r.ts) AS dur, n.id,
  coalesce(n.parent_id, r.id) AS parent_id, r.id AS root_id, r.ts AS root_ts, r.dur AS root_dur, n.utid
FROM _startup_root_slices AS r
JOIN _startup_normalized_slices AS n USING (utid)
WHERE n.ts < r.ts + r.dur AND n.ts + n.dur > r.ts
ORDER BY n.id;

-- The innermost of them at each time.
CREATE PERFETTO TABLE _startup_flat_slices_breakdown AS
WITH
  roots AS MATERIALIZED (SELECT id, ts, dur FROM _startup_root_slices),
  children AS MATERIALIZED (
    SELECT root_id, id, parent_id, ts, dur FROM _startup_slices_breakdown
  ),
  flat AS (
    SELECT * FROM _intervals_flatten!(_intervals_merge_root_and_children!(roots, children))
  )
SELECT f.ts, f.dur, f.root_id, f.id AS slice_id, n.name
FROM flat AS f
JOIN _startup_normalized_slices AS n ON n.id = f.id
ORDER BY f.root_id, f.ts;

-- States of these threads in these times.
CREATE PERFETTO TABLE _startup_thread_states_breakdown AS
SELECT
  i.ts, i.dur, i.id_0 AS root_id, i.id_1 AS thread_state_id, s.state, s.io_wait, s.irq_context
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur, utid FROM _startup_root_slices),
    (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
  ),
  (utid)
) AS i
JOIN thread_state AS s ON s.id = i.id_1
ORDER BY i.id_0, i.ts;

CREATE VIRTUAL TABLE _startup_thread_states_and_slices_breakdown_sp USING SPAN_LEFT_JOIN(
  _startup_thread_states_breakdown PARTITIONED root_id,
  _startup_flat_slices_breakdown PARTITIONED root_id
);

-- One row for each time with one reason.
CREATE PERFETTO TABLE android_startup_opinionated_breakdown(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The start.
  startup_id LONG,
  -- The slice, if it is one that counts.
  slice_id JOINID(slice.id),
  -- The state of the thread.
  thread_state_id JOINID(thread_state.id),
  -- The reason.
  reason STRING
) AS
SELECT
  b.ts, b.dur, r.startup_id, b.slice_id, b.thread_state_id,
  _startup_breakdown_reason(b.name, b.state, b.io_wait, b.irq_context) AS reason
FROM _startup_thread_states_and_slices_breakdown_sp AS b
JOIN _startup_root_slices AS r ON r.id = b.root_id
ORDER BY r.startup_id, b.ts;
