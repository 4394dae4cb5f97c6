-- Starts of programs, as the system measures them.

INCLUDE PERFETTO MODULE slices.with_context;

-- What the system server and others tell in names of slices:
--   launchingActivity#ID ... and then launchingActivity#ID:completed[-KIND]:PACKAGE
--   launching: PACKAGE       (of systems before)
CREATE PERFETTO TABLE _android_launches AS
SELECT s.id, s.ts, s.dur, s.name
FROM slice AS s
WHERE s.name GLOB 'launchingActivity#*' OR s.name GLOB 'launching: *'
ORDER BY s.ts;

CREATE PERFETTO TABLE _android_startup_events AS
WITH
  numbered AS (
    SELECT str_split(name, '#', 1) AS launch_no, ts, ts + dur AS ts_end, dur
    FROM _android_launches
    WHERE name GLOB 'launchingActivity#*' AND name NOT GLOB '*:*' AND dur > 0
  ),
  completed AS (
    SELECT
      str_split(str_split(name, ':', 0), '#', 1) AS launch_no,
      nullif(substr(str_split(name, ':', 1), 11), '') AS kind,
      str_split(name, ':', 2) AS package
    FROM _android_launches
    WHERE name GLOB 'launchingActivity#*:completed*:*'
  )
SELECT n.ts, n.ts_end, n.dur, c.package, c.kind AS startup_type
FROM numbered AS n JOIN completed AS c USING (launch_no)
WHERE coalesce(c.kind, '') != 'same-process'
UNION ALL
SELECT ts, ts + dur, dur, substr(name, 12), NULL
FROM _android_launches
WHERE name GLOB 'launching: *' AND dur > 0 AND NOT EXISTS (SELECT 1 FROM numbered);

-- Processes of the package that were there during the start.
CREATE PERFETTO TABLE _android_startups_numbered AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS startup_id, ts, ts_end, dur, package, startup_type
FROM _android_startup_events
ORDER BY ts;

CREATE PERFETTO TABLE _android_startup_marks AS
SELECT
  n.startup_id, s.upid,
  max(s.name = 'bindApplication') AS binds,
  max(s.name GLOB 'activityStart*' OR s.name GLOB 'performCreate:*') AS starts,
  max(s.name GLOB 'activityResume*') AS resumes
FROM _android_startups_numbered AS n
JOIN thread_slice AS s
  ON s.ts >= n.ts AND s.ts <= n.ts_end AND s.is_main_thread
WHERE (s.process_name = n.package OR s.process_name GLOB n.package || ':*')
  AND (
    s.name = 'bindApplication' OR s.name GLOB 'activityStart*' OR s.name GLOB 'performCreate:*'
    OR s.name GLOB 'activityResume*'
  )
GROUP BY n.startup_id, s.upid;

-- cold: the process had to be made; warm: the activity; hot: it only came to the front.
CREATE PERFETTO TABLE android_startup_processes(
  startup_id LONG, upid JOINID(process.id), startup_type STRING
) AS
SELECT
  n.startup_id, m.upid,
  coalesce(
    n.startup_type,
    CASE WHEN m.binds THEN 'cold' WHEN m.starts THEN 'warm' WHEN m.resumes THEN 'hot' END
  ) AS startup_type
FROM _android_startups_numbered AS n JOIN _android_startup_marks AS m USING (startup_id)
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
FROM _android_startups_numbered AS n
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
