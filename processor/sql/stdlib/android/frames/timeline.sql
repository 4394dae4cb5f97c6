-- Frames: from the call that drew them on the main thread to the screen.

INCLUDE PERFETTO MODULE slices.with_context;

-- "Choreographer#doFrame ID" on main threads.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  id ID(slice.id), frame_id LONG, ui_thread_utid JOINID(thread.id), upid JOINID(process.id),
  ts TIMESTAMP
) AS
SELECT
  s.id, CAST(str_split(s.name, ' ', 1) AS INT) AS frame_id, s.utid AS ui_thread_utid, s.upid, s.ts
FROM thread_slice AS s
WHERE s.name GLOB 'Choreographer#doFrame [0-9]*' AND s.is_main_thread
ORDER BY s.id;

-- "DrawFrame ID", "DrawFrames ID" on the threads that draw.
CREATE PERFETTO TABLE android_frames_draw_frame(
  id ID(slice.id), frame_id LONG, render_thread_utid JOINID(thread.id), upid JOINID(process.id)
) AS
SELECT
  s.id, CAST(str_split(s.name, ' ', 1) AS INT) AS frame_id, s.utid AS render_thread_utid, s.upid
FROM thread_slice AS s
WHERE s.name GLOB 'DrawFrame* [0-9]*'
ORDER BY s.id;

-- One row for each frame of each layer. Its time is that on the timeline, where there is one.
CREATE PERFETTO TABLE android_frames_layers(
  frame_id LONG, ts TIMESTAMP, dur DURATION, layer_id LONG, layer_name STRING,
  do_frame_id JOINID(slice.id), draw_frame_id JOINID(slice.id),
  actual_frame_timeline_id JOINID(slice.id), expected_frame_timeline_id JOINID(slice.id),
  render_thread_utid JOINID(thread.id), ui_thread_utid JOINID(thread.id)
) AS
WITH
  actual AS (
    SELECT
      CAST(name AS INT) AS frame_id, upid, id, ts, dur, layer_name,
      CAST(regexp_extract(layer_name, '#([0-9]+)$') AS INT) AS layer_id
    FROM actual_frame_timeline_slice
  ),
  expected AS (
    SELECT CAST(name AS INT) AS frame_id, upid, min(id) AS id
    FROM expected_frame_timeline_slice
    GROUP BY frame_id, upid
  )
SELECT
  d.frame_id,
  coalesce(a.ts, s.ts) AS ts,
  coalesce(a.dur, s.dur) AS dur,
  a.layer_id, a.layer_name,
  d.id AS do_frame_id,
  w.id AS draw_frame_id,
  a.id AS actual_frame_timeline_id,
  e.id AS expected_frame_timeline_id,
  w.render_thread_utid,
  d.ui_thread_utid
FROM android_frames_choreographer_do_frame AS d
JOIN slice AS s ON s.id = d.id
LEFT JOIN android_frames_draw_frame AS w ON w.frame_id = d.frame_id AND w.upid = d.upid
LEFT JOIN actual AS a ON a.frame_id = d.frame_id AND a.upid = d.upid
LEFT JOIN expected AS e ON e.frame_id = d.frame_id AND e.upid = d.upid
ORDER BY ts;

-- One row for each frame.
CREATE PERFETTO TABLE android_frames(
  frame_id LONG, ts TIMESTAMP, dur DURATION, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id), actual_frame_timeline_count LONG,
  expected_frame_timeline_count LONG
) AS
SELECT
  frame_id, min(ts) AS ts, max(ts + dur) - min(ts) AS dur, do_frame_id,
  min(draw_frame_id) AS draw_frame_id,
  min(actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(expected_frame_timeline_id) AS expected_frame_timeline_id,
  min(render_thread_utid) AS render_thread_utid,
  min(ui_thread_utid) AS ui_thread_utid,
  count(DISTINCT actual_frame_timeline_id) AS actual_frame_timeline_count,
  count(DISTINCT expected_frame_timeline_id) AS expected_frame_timeline_count
FROM android_frames_layers
GROUP BY frame_id, do_frame_id
ORDER BY ts;

-- The first frame that begins at that time or later.
CREATE PERFETTO FUNCTION android_first_frame_after(ts TIMESTAMP)
RETURNS TABLE(
  frame_id LONG, ts TIMESTAMP, dur DURATION, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id)
) AS
SELECT
  frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid
FROM android_frames
WHERE ts >= $ts
ORDER BY ts
LIMIT 1;
