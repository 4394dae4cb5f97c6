-- How long it took until a program that was started showed something, and until it said that it was done.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.startup.startups;

CREATE PERFETTO VIEW _startups_with_upid AS
SELECT s.startup_id, s.ts, s.ts_end, s.dur, s.package, s.startup_type, p.upid
FROM android_startups AS s
JOIN android_startup_processes AS p USING (startup_id);

-- Frames of the processes that were started, with the end of what gave them to the GPU. NULL: it has none.
CREATE PERFETTO TABLE _startup_frames AS
SELECT
  s.startup_id, s.upid, s.ts AS startup_ts, f.frame_id, f.draw_frame_id, d.ts AS do_ts,
  d.ts + nullif(d.dur, -1) AS do_end, w.ts + nullif(w.dur, -1) AS draw_end
FROM _startups_with_upid AS s
JOIN thread AS t ON t.upid = s.upid AND t.is_main_thread
JOIN android_frames AS f ON f.ui_thread_utid = t.utid
JOIN slice AS d ON d.id = f.do_frame_id
JOIN slice AS w ON w.id = f.draw_frame_id
WHERE d.ts >= s.ts
ORDER BY s.startup_id, d.ts;

-- The first frame.
CREATE PERFETTO TABLE _ttid AS
SELECT startup_id, frame_id, draw_frame_id, draw_end - startup_ts AS ttid, upid
FROM (
  SELECT *, row_number() OVER (PARTITION BY startup_id, upid ORDER BY do_ts) AS place
  FROM _startup_frames
)
WHERE place = 1
ORDER BY startup_id;

-- The first frame that was drawn around or after the call of reportFullyDrawn().
CREATE PERFETTO TABLE _ttfd AS
WITH
  reports AS (
    SELECT s.startup_id, s.upid, min(r.ts) AS ts
    FROM _startups_with_upid AS s
    JOIN thread AS t ON t.upid = s.upid
    JOIN thread_track AS k USING (utid)
    JOIN slice AS r ON r.track_id = k.id
    WHERE r.name GLOB 'reportFullyDrawn*' AND r.ts >= s.ts
    GROUP BY s.startup_id, s.upid
  ),
  frames AS (
    SELECT
      f.*, row_number() OVER (PARTITION BY f.startup_id, f.upid ORDER BY f.do_ts) AS place
    FROM _startup_frames AS f
    JOIN reports AS r USING (startup_id, upid)
    WHERE f.do_end IS NULL OR f.do_end >= r.ts
  )
SELECT startup_id, frame_id, draw_frame_id, draw_end - startup_ts AS ttfd, upid
FROM frames
WHERE place = 1
ORDER BY startup_id;

-- Both, for each start.
CREATE PERFETTO TABLE android_startup_time_to_display(
  -- The start.
  startup_id LONG,
  -- Until the first frame was given to the GPU. NULL: not before the trace ended.
  time_to_initial_display LONG,
  -- Until the first frame was that the program calls complete. NULL as above.
  time_to_full_display LONG,
  -- The first frame.
  ttid_frame_id LONG,
  -- The complete frame.
  ttfd_frame_id LONG,
  -- The process.
  upid JOINID(process.id)
) AS
SELECT
  s.startup_id, i.ttid AS time_to_initial_display, f.ttfd AS time_to_full_display,
  i.frame_id AS ttid_frame_id, f.frame_id AS ttfd_frame_id, s.upid
FROM _startups_with_upid AS s
LEFT JOIN _ttid AS i USING (startup_id, upid)
LEFT JOIN _ttfd AS f USING (startup_id, upid)
ORDER BY s.startup_id;
