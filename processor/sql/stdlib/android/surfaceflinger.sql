-- The program that composes the screen, and its threads.

INCLUDE PERFETTO MODULE slices.with_context;

-- Its process.
CREATE PERFETTO TABLE _android_sf_process AS
SELECT * FROM process WHERE name GLOB '*surfaceflinger' ORDER BY upid;

-- A thread of it, by name, with its track.
CREATE PERFETTO FUNCTION _android_sf_thread(
  -- Name of the thread.
  thread_name STRING
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  name STRING,
  -- Its track of slices.
  track_id JOINID(track.id)
) AS
SELECT p.upid, t.utid, t.name, k.id AS track_id
FROM thread AS t
JOIN _android_sf_process AS p USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.name = $thread_name;

-- Its first thread, with its track.
CREATE PERFETTO TABLE _android_sf_main_thread AS
SELECT p.upid, t.utid, t.name, k.id AS track_id
FROM thread AS t
JOIN _android_sf_process AS p USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.is_main_thread
ORDER BY t.utid;

-- Which frame of an app went into which frame of the display.
CREATE PERFETTO TABLE android_app_to_sf_frame_timeline_match(
  -- The app.
  app_upid JOINID(process.id),
  -- Its frame.
  app_vsync LONG,
  -- The program that composes.
  sf_upid JOINID(process.id),
  -- The frame of the display.
  sf_vsync LONG
) AS
WITH frames AS MATERIALIZED (
  SELECT upid, name, display_frame_token, surface_frame_token FROM actual_frame_timeline_slice
)
SELECT DISTINCT
  a.upid AS app_upid, CAST(a.name AS INT) AS app_vsync, s.upid AS sf_upid,
  a.display_frame_token AS sf_vsync
FROM frames AS a
JOIN frames AS s
  ON s.display_frame_token = a.display_frame_token AND s.surface_frame_token IS NULL
WHERE a.surface_frame_token IS NOT NULL
ORDER BY app_vsync;
