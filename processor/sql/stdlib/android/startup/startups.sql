-- Starts of programs, as the system measures them.

INCLUDE PERFETTO MODULE android.startup.startups_maxsdk28;
INCLUDE PERFETTO MODULE android.startup.startups_minsdk29;
INCLUDE PERFETTO MODULE android.startup.startups_minsdk33;
INCLUDE PERFETTO MODULE slices.with_context;

-- What the newest way of telling them has. Only the newest numbers them itself.
CREATE PERFETTO TABLE _android_startups_raw AS
SELECT startup_id, ts, ts_end, dur, package, startup_type FROM _startups_minsdk33
UNION ALL
SELECT row_number() OVER (ORDER BY ts) - 1 AS startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_minsdk29
WHERE NOT EXISTS (SELECT 1 FROM _startups_minsdk33)
UNION ALL
SELECT row_number() OVER (ORDER BY ts) - 1 AS startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_maxsdk28
WHERE NOT EXISTS (SELECT 1 FROM _startups_minsdk33)
  AND NOT EXISTS (SELECT 1 FROM _startups_minsdk29);

-- Slices that tell the kind of a start.
CREATE PERFETTO TABLE _startup_indicator_slices AS
SELECT ts, name, track_id
FROM slice
WHERE name IN ('bindApplication', 'activityStart', 'activityResume')
ORDER BY ts;

-- How many slices with one of these names a thread began in a time.
CREATE PERFETTO FUNCTION _startup_indicator_slice_count(
  start_ts TIMESTAMP, end_ts TIMESTAMP, utid JOINID(thread.id), name STRING
)
RETURNS LONG AS
SELECT count(*)
FROM thread_track AS k
JOIN _startup_indicator_slices AS s ON s.track_id = k.id
WHERE k.utid = $utid AND s.ts >= $start_ts AND s.ts <= $end_ts AND s.name GLOB $name;

-- Processes of the package that were there during the start, by what their first threads did.
CREATE PERFETTO TABLE _android_startup_marks AS
WITH marks AS MATERIALIZED (
  SELECT s.ts, s.name, s.upid, s.process_name
  FROM thread_slice AS s
  WHERE s.is_main_thread AND (
    s.name = 'bindApplication' OR s.name GLOB 'activityStart*' OR s.name GLOB 'performCreate:*'
    OR s.name GLOB 'activityResume*'
  )
)
SELECT
  n.startup_id, s.upid,
  max(s.name = 'bindApplication') AS binds,
  max(s.name GLOB 'activityStart*' OR s.name GLOB 'performCreate:*') AS starts,
  max(s.name GLOB 'activityResume*') AS resumes
FROM _android_startups_raw AS n
JOIN marks AS s ON s.ts >= n.ts AND s.ts <= n.ts_end
WHERE s.process_name = n.package 
  OR substr(s.process_name, 1, length(n.package) + 1) = n.package || ':'
GROUP BY n.startup_id, s.upid;

-- cold: the process had to be made; warm: the activity; hot: it only came to the front.
CREATE PERFETTO TABLE android_startup_processes(
  -- The start.
  startup_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its number in the system.
  pid LONG,
  -- The kind of the start.
  startup_type STRING
) AS
SELECT
  n.startup_id, m.upid, p.pid,
  coalesce(
    n.startup_type,
    CASE WHEN m.binds THEN 'cold' WHEN m.starts THEN 'warm' WHEN m.resumes THEN 'hot' END
  ) AS startup_type
FROM _android_startups_raw AS n
JOIN _android_startup_marks AS m USING (startup_id)
JOIN process AS p USING (upid)
ORDER BY n.startup_id, m.upid;

CREATE PERFETTO TABLE android_startups(
  startup_id ID, ts TIMESTAMP, ts_end TIMESTAMP, dur DURATION, package STRING,
  startup_type STRING
) AS
SELECT
  n.startup_id, n.ts, n.ts_end, n.dur, n.package,
  coalesce(
    n.startup_type,
    (
      SELECT min(p.startup_type) FROM android_startup_processes AS p
      WHERE p.startup_id = n.startup_id
    )
  ) AS startup_type
FROM _android_startups_raw AS n
ORDER BY n.startup_id;

CREATE PERFETTO TABLE android_startup_threads(
  startup_id LONG, ts TIMESTAMP, dur DURATION, upid JOINID(process.id), pid LONG,
  utid JOINID(thread.id), tid LONG, thread_name STRING, is_main_thread BOOL
) AS
SELECT
  s.startup_id, s.ts, s.dur, t.upid, q.pid, t.utid, t.tid, t.name AS thread_name, t.is_main_thread
FROM android_startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN thread AS t USING (upid)
JOIN process AS q USING (upid)
ORDER BY s.startup_id, t.utid;

CREATE PERFETTO VIEW android_thread_slices_for_all_startups(
  startup_ts TIMESTAMP, startup_ts_end TIMESTAMP, startup_id LONG, utid JOINID(thread.id),
  tid LONG, thread_name STRING, is_main_thread BOOL, arg_set_id ARGSETID,
  slice_id JOINID(slice.id), slice_name STRING, slice_ts TIMESTAMP, slice_dur LONG
) AS
SELECT
  t.ts AS startup_ts, t.ts + t.dur AS startup_ts_end, t.startup_id, t.utid, t.tid, t.thread_name,
  t.is_main_thread, s.arg_set_id, s.id AS slice_id, s.name AS slice_name, s.ts AS slice_ts,
  s.dur AS slice_dur
FROM android_startup_threads AS t
JOIN thread_track AS k USING (utid)
JOIN slice AS s ON s.track_id = k.id
WHERE s.ts BETWEEN t.ts AND t.ts + t.dur;

-- Slices of a start whose name matches; of all threads, or of the main one.
CREATE PERFETTO FUNCTION android_slices_for_startup_and_slice_name(
  startup_id LONG, slice_name STRING
)
RETURNS TABLE(
  slice_id JOINID(slice.id), slice_name STRING, slice_ts TIMESTAMP, slice_dur DURATION,
  thread_name STRING, tid LONG, arg_set_id ARGSETID
) AS
SELECT slice_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

CREATE PERFETTO FUNCTION android_sum_dur_for_startup_and_slice(startup_id LONG, slice_name STRING)
RETURNS LONG AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

CREATE PERFETTO FUNCTION android_sum_dur_on_main_thread_for_startup_and_slice(
  startup_id LONG, slice_name STRING
)
RETURNS LONG AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name AND is_main_thread;

-- The slices in which classes were loaded.
CREATE PERFETTO VIEW android_class_loading_for_startup(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The start.
  startup_id LONG,
  -- Name of the slice.
  slice_name STRING,
  -- Its begin.
  slice_ts TIMESTAMP,
  -- Its length.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Number of the thread.
  tid LONG,
  -- Args of the slice.
  arg_set_id ARGSETID
) AS
SELECT
  slice_id, startup_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'L*/*;';

-- Calls of other processes that took longer than `threshold` ns.
CREATE PERFETTO FUNCTION android_binder_transaction_slices_for_startup(
  -- The start.
  startup_id LONG,
  -- Only calls that took longer.
  threshold DOUBLE
)
RETURNS TABLE(
  -- The slice.
  id LONG,
  -- Its length.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Name of the process.
  process STRING,
  -- Args of the slice.
  arg_set_id ARGSETID,
  -- Whether the thread is the first of its process.
  is_main_thread BOOL
) AS
SELECT
  s.slice_id AS id, s.slice_dur, s.thread_name, p.name AS process, s.arg_set_id, s.is_main_thread
FROM android_thread_slices_for_all_startups AS s
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
WHERE s.startup_id = $startup_id AND s.slice_name GLOB 'binder transaction'
  AND s.slice_dur > $threshold;
