-- How long the parts of frames took, and which frames were too late.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- Frames on the two timelines, one row each. `count`: how many rows there are of it.
CREATE PERFETTO TABLE _frame_id_count_in_actual_timeline AS
SELECT
  CAST(name AS INT) AS frame_id, min(id) AS id, ts, dur, ts + dur AS ts_end, count(*) AS count
FROM actual_frame_timeline_slice
GROUP BY name
ORDER BY frame_id;

CREATE PERFETTO TABLE _frame_id_count_in_expected_timeline AS
SELECT CAST(name AS INT) AS frame_id, min(id) AS id, count(*) AS count
FROM expected_frame_timeline_slice
GROUP BY name
ORDER BY frame_id;

-- By how much frames missed the end that was planned. Only frames with one row on both timelines.
CREATE PERFETTO TABLE android_frames_overrun(
  -- The frame.
  frame_id LONG,
  -- Positive: it was late.
  overrun LONG
) AS
SELECT a.frame_id, a.ts_end - (s.ts + s.dur) AS overrun
FROM _frame_id_count_in_actual_timeline AS a
JOIN _frame_id_count_in_expected_timeline AS e USING (frame_id)
JOIN slice AS s ON s.id = e.id
WHERE a.count = 1 AND e.count = 1
ORDER BY a.frame_id;

-- How long programs drew their frames.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- The frame.
  frame_id LONG,
  -- Length of its first slice.
  ui_time LONG
) AS
SELECT d.frame_id, s.dur AS ui_time
FROM android_frames_choreographer_do_frame AS d
CROSS JOIN slice AS s ON s.id = d.id;

-- How long after the planned begin programs began to draw.
CREATE PERFETTO TABLE android_app_vsync_delay_per_frame(
  -- The frame.
  frame_id LONG,
  -- From the planned begin on.
  app_vsync_delay LONG
) AS
SELECT f.frame_id, f.ts - e.ts AS app_vsync_delay
FROM android_frames AS f
JOIN slice AS e ON e.id = f.expected_frame_timeline_id
ORDER BY f.frame_id;

-- How long the threads of programs were busy with a frame.
CREATE PERFETTO TABLE android_cpu_time_per_frame(
  -- The frame.
  frame_id LONG,
  -- How late the first slice was.
  app_vsync_delay LONG,
  -- Length of the slice in which it was drawn.
  do_frame_dur DURATION,
  -- Length of all slices in which it was given to the GPU.
  draw_frame_dur DURATION,
  -- The sum.
  cpu_time LONG
) AS
WITH parts AS (
  SELECT
    v.frame_id, v.app_vsync_delay, d.dur AS do_frame_dur,
    (
      SELECT sum(s.dur)
      FROM android_frames_draw_frame AS w
      JOIN slice AS s ON s.id = w.id
      WHERE w.frame_id = v.frame_id AND w.render_thread_utid = f.render_thread_utid
    ) AS draw_frame_dur
  FROM android_app_vsync_delay_per_frame AS v
  JOIN android_frames AS f USING (frame_id)
  JOIN slice AS d ON d.id = f.do_frame_id
)
SELECT *, app_vsync_delay + do_frame_dur + draw_frame_dur AS cpu_time
FROM parts
ORDER BY frame_id;

-- A guess for other frames: what the GPU is given takes some 5 ms.
CREATE PERFETTO TABLE _cpu_time_per_frame_fallback AS
SELECT frame_id, ui_time + CAST(5e6 AS INT) AS estimated_cpu_time FROM android_frames_ui_time;

CREATE PERFETTO TABLE _estimated_cpu_time_per_frame AS
SELECT f.frame_id, coalesce(c.cpu_time, f.estimated_cpu_time) AS cpu_time
FROM _cpu_time_per_frame_fallback AS f
LEFT JOIN android_cpu_time_per_frame AS c USING (frame_id);

-- All of it, for frames that are on both timelines. Columns of kinds are 1 or NULL.
CREATE PERFETTO TABLE android_frame_stats(
  -- The frame.
  frame_id LONG,
  -- By how much it missed its planned end.
  overrun LONG,
  -- How long threads were busy with it.
  cpu_time LONG,
  -- How long it was drawn.
  ui_time LONG,
  -- It missed its end.
  was_jank BOOL,
  -- Threads were busy with it for more than 20 ms.
  was_slow_frame BOOL,
  -- Threads were busy with it for more than 50 ms.
  was_big_jank BOOL,
  -- Threads were busy with it for more than 200 ms.
  was_huge_jank BOOL
) AS
SELECT
  u.frame_id, o.overrun, c.cpu_time, u.ui_time,
  iif(o.overrun > 0, 1, NULL) AS was_jank,
  iif(c.cpu_time > 20e6, 1, NULL) AS was_slow_frame,
  iif(c.cpu_time > 50e6, 1, NULL) AS was_big_jank,
  iif(c.cpu_time > 200e6, 1, NULL) AS was_huge_jank
FROM android_frames_ui_time AS u
CROSS JOIN android_frames_overrun AS o ON o.frame_id = u.frame_id
CROSS JOIN _estimated_cpu_time_per_frame AS c ON c.frame_id = u.frame_id;
