-- Frames: from the call that drew them on the main thread to the screen.

INCLUDE PERFETTO MODULE slices.with_context;

-- Slices with a name of `glob_str` and a number, on the tracks of threads.
CREATE PERFETTO FUNCTION _get_frame_table_with_id(
  -- What stands before the number.
  glob_str STRING
)
RETURNS TABLE(
  -- The slice.
  id ID(slice.id),
  -- The number.
  frame_id LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- The process.
  upid JOINID(process.id),
  -- Begin of the slice.
  ts TIMESTAMP
) AS
SELECT
  s.id, CAST(str_split(s.name, ' ', 1) AS INT) AS frame_id, s.utid, s.upid, s.ts
FROM thread_slice AS s
WHERE s.name GLOB $glob_str || ' [0-9]*'
ORDER BY s.track_id, s.id;

-- Where programs draw their frames.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  -- The slice.
  id ID(slice.id),
  -- The frame.
  frame_id LONG,
  -- The thread.
  ui_thread_utid JOINID(thread.id),
  -- The process.
  upid JOINID(process.id),
  -- Begin of the slice.
  ts TIMESTAMP
) AS
SELECT id, frame_id, utid AS ui_thread_utid, upid, ts
FROM _get_frame_table_with_id('Choreographer#doFrame');

-- Where their threads give what was drawn to the GPU: "DrawFrame ID", "DrawFrames ID".
CREATE PERFETTO TABLE android_frames_draw_frame(
  -- The slice.
  id ID(slice.id),
  -- The frame.
  frame_id LONG,
  -- The thread.
  render_thread_utid JOINID(thread.id),
  -- The process.
  upid JOINID(process.id)
) AS
SELECT id, frame_id, utid AS render_thread_utid, upid FROM _get_frame_table_with_id('DrawFrame*');

-- The first row of each frame of a layer on the timeline of what happened.
CREATE PERFETTO TABLE _distinct_layer_actual_timeline_slice_per_process AS
SELECT
  CAST(name AS INT) AS frame_id, CAST(regexp_extract(layer_name, '#([0-9]+)$') AS INT) AS layer_id,
  layer_name, min(id) AS slice_id, ts, dur, upid
FROM actual_frame_timeline_slice
GROUP BY name, layer_name, upid
ORDER BY slice_id;

-- The first row of each frame on the timeline of what was planned.
CREATE PERFETTO TABLE _distinct_from_expected_timeline_slice_per_process AS
SELECT CAST(name AS INT) AS frame_id, upid, min(id) AS id
FROM expected_frame_timeline_slice
GROUP BY name, upid
ORDER BY id;

-- One row for each frame of each layer that was drawn. Its time is that on the timeline, where there is
-- one, or else from the begin of the first slice to the end of the second.
CREATE PERFETTO TABLE android_frames_layers(
  -- The frame.
  frame_id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its end.
  ts_end TIMESTAMP,
  -- The slice in which it was drawn.
  do_frame_id JOINID(slice.id),
  -- The slice in which it was given to the GPU.
  draw_frame_id JOINID(slice.id),
  -- Its row on the timeline of what happened.
  actual_frame_timeline_id JOINID(slice.id),
  -- Its row on the timeline of what was planned.
  expected_frame_timeline_id JOINID(slice.id),
  -- The thread that gave it to the GPU.
  render_thread_utid JOINID(thread.id),
  -- The thread that drew it.
  ui_thread_utid JOINID(thread.id),
  -- Number of the layer.
  layer_id LONG,
  -- Name of the layer.
  layer_name STRING,
  -- The process, as the timeline knows it.
  upid JOINID(process.id),
  -- Name of the process that drew it.
  process_name STRING
) AS
WITH
  draws AS (
    SELECT
      w.frame_id, w.upid, min(w.id) AS id, min(w.render_thread_utid) AS utid,
      max(s.ts + s.dur) AS ts_end
    FROM android_frames_draw_frame AS w JOIN slice AS s USING (id)
    GROUP BY w.frame_id, w.upid
  ),
  rows AS (
    SELECT
      d.frame_id, coalesce(a.ts, d.ts) AS ts, coalesce(a.ts + a.dur, w.ts_end) AS ts_end,
      d.id AS do_frame_id, w.id AS draw_frame_id, a.slice_id AS actual_frame_timeline_id,
      e.id AS expected_frame_timeline_id, w.utid AS render_thread_utid, d.ui_thread_utid,
      a.layer_id, a.layer_name, a.upid, p.name AS process_name
    FROM android_frames_choreographer_do_frame AS d
    JOIN draws AS w ON w.frame_id = d.frame_id AND w.upid = d.upid
    LEFT JOIN _distinct_layer_actual_timeline_slice_per_process AS a
      ON a.frame_id = d.frame_id AND a.upid = d.upid
    LEFT JOIN _distinct_from_expected_timeline_slice_per_process AS e
      ON e.frame_id = d.frame_id AND e.upid = d.upid
    LEFT JOIN process AS p ON p.upid = d.upid
  )
SELECT
  frame_id, ts, ts_end - ts AS dur, ts_end, do_frame_id, draw_frame_id,
  actual_frame_timeline_id, expected_frame_timeline_id, render_thread_utid, ui_thread_utid,
  layer_id, layer_name, upid, process_name
FROM rows
ORDER BY frame_id, do_frame_id;

-- One row for each frame.
CREATE PERFETTO TABLE android_frames(
  -- The frame.
  frame_id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Until its last layer was done.
  dur DURATION,
  -- The slice in which it was drawn.
  do_frame_id JOINID(slice.id),
  -- The first slice in which it was given to the GPU.
  draw_frame_id JOINID(slice.id),
  -- Its first row on the timeline of what happened.
  actual_frame_timeline_id JOINID(slice.id),
  -- Its first row on the timeline of what was planned.
  expected_frame_timeline_id JOINID(slice.id),
  -- The thread that gave it to the GPU.
  render_thread_utid JOINID(thread.id),
  -- The thread that drew it.
  ui_thread_utid JOINID(thread.id),
  -- Its rows on the timeline of what happened.
  actual_frame_timeline_count LONG,
  -- Its rows on the timeline of what was planned; 1 where there is none.
  expected_frame_timeline_count LONG,
  -- How often it was given to the GPU.
  draw_frame_count LONG,
  -- The process, as the timeline knows it.
  upid JOINID(process.id),
  -- Name of the process that drew it.
  process_name STRING
) AS
SELECT
  f.frame_id, min(f.ts) AS ts, max(f.ts_end) - min(f.ts) AS dur, f.do_frame_id,
  min(f.draw_frame_id) AS draw_frame_id,
  min(f.actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(f.expected_frame_timeline_id) AS expected_frame_timeline_id,
  min(f.render_thread_utid) AS render_thread_utid, min(f.ui_thread_utid) AS ui_thread_utid,
  count(DISTINCT f.actual_frame_timeline_id) AS actual_frame_timeline_count,
  max(count(DISTINCT f.expected_frame_timeline_id), 1) AS expected_frame_timeline_count,
  (
    SELECT count(*)
    FROM android_frames_choreographer_do_frame AS d
    JOIN android_frames_draw_frame AS w ON w.frame_id = d.frame_id AND w.upid = d.upid
    WHERE d.id = f.do_frame_id
  ) AS draw_frame_count,
  f.upid, f.process_name
FROM android_frames_layers AS f
GROUP BY f.frame_id, f.do_frame_id
ORDER BY f.frame_id, f.do_frame_id;

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
