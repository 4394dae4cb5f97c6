-- Frames of Android up to 9, which says nothing of a frame but the slices of the two threads that draw it.

-- One row for each slice Choreographer#doFrame, with the last DrawFrame of its process before the next one.
CREATE PERFETTO TABLE _frames_maxsdk_28(
  -- Its number, from 0 on in the order of time.
  frame_id LONG,
  -- Begin of the doFrame.
  ts TIMESTAMP,
  -- From there to the end of the last DrawFrame.
  dur DURATION,
  -- The doFrame.
  do_frame_id JOINID(slice.id),
  -- The last DrawFrame.
  draw_frame_id JOINID(slice.id),
  -- Thread of the DrawFrame.
  render_thread_utid JOINID(thread.id),
  -- Thread of the doFrame.
  ui_thread_utid JOINID(thread.id),
  -- Always maxsdk28.
  sdk STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING
) AS
WITH
  slices AS (
    SELECT s.id, s.ts, s.dur, s.name, t.utid, t.upid
    FROM slice AS s
    JOIN thread_track AS k ON k.id = s.track_id
    JOIN thread AS t USING (utid)
    WHERE s.name IN ('Choreographer#doFrame', 'DrawFrame') AND t.upid IS NOT NULL
  ),
  do_frames AS (
    SELECT *, lead(ts) OVER (PARTITION BY upid ORDER BY ts) AS next_ts
    FROM slices WHERE name = 'Choreographer#doFrame'
  ),
  pairs AS (
    SELECT
      f.id AS do_frame_id, f.ts, f.utid AS ui_thread_utid, f.upid, d.id AS draw_frame_id,
      d.utid AS render_thread_utid, iif(d.dur < 0, -1, d.ts + d.dur - f.ts) AS dur,
      row_number() OVER (PARTITION BY f.id ORDER BY iif(d.dur < 0, 1, 0) DESC, d.ts + d.dur DESC, d.id DESC)
        AS place
    FROM do_frames AS f
    JOIN slices AS d
      ON d.upid = f.upid AND d.name = 'DrawFrame' AND d.ts > f.ts
      AND (f.next_ts IS NULL OR d.ts < f.next_ts)
  )
SELECT
  CAST(row_number() OVER (ORDER BY p.ts, p.do_frame_id) - 1 AS INT) AS frame_id, p.ts, p.dur,
  p.do_frame_id, p.draw_frame_id, p.render_thread_utid, p.ui_thread_utid, 'maxsdk28' AS sdk, p.upid,
  process.name AS process_name
FROM pairs AS p
JOIN process USING (upid)
WHERE p.place = 1
ORDER BY p.ts, p.do_frame_id;
