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

-- By how much frames missed the end that was planned. Only frames with one row on both timelines, of
-- which both ends are known.
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
WHERE a.count = 1 AND e.count = 1 AND a.dur >= 0 AND s.dur >= 0
ORDER BY a.frame_id;

-- The slices in which programs drew their frames: several may have the number of one frame.
CREATE PERFETTO TABLE _frame_ui_time AS
SELECT d.frame_id, d.id AS do_frame_id, iif(s.dur = -1, NULL, s.dur) AS ui_time
FROM android_frames_choreographer_do_frame AS d
CROSS JOIN slice AS s ON s.id = d.id;

-- How long programs drew their frames.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- The frame.
  frame_id LONG,
  -- Length of its first slice. NULL: it has no end.
  ui_time LONG
) AS
SELECT frame_id, ui_time FROM _frame_ui_time;

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

-- The parts of frames. What has no end is NULL.
CREATE PERFETTO TABLE _frame_cpu_time AS
WITH
  draws AS (
    SELECT
      w.frame_id, w.render_thread_utid,
      iif(min(s.dur) = -1, NULL, sum(s.dur)) AS draw_frame_dur
    FROM android_frames_draw_frame AS w
    JOIN slice AS s ON s.id = w.id
    GROUP BY w.frame_id, w.render_thread_utid
  )
SELECT
  f.frame_id, f.do_frame_id, f.ts - e.ts AS app_vsync_delay, u.ui_time AS do_frame_dur,
  d.draw_frame_dur
FROM android_frames AS f
JOIN slice AS e ON e.id = f.expected_frame_timeline_id
JOIN _frame_ui_time AS u ON u.do_frame_id = f.do_frame_id
LEFT JOIN draws AS d ON d.frame_id = f.frame_id AND d.render_thread_utid = f.render_thread_utid
ORDER BY f.frame_id, f.do_frame_id;

-- How long the threads of programs were busy with a frame. Times are NULL where a slice has no end.
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
SELECT
  frame_id, app_vsync_delay, do_frame_dur, draw_frame_dur,
  app_vsync_delay + do_frame_dur + draw_frame_dur AS cpu_time
FROM _frame_cpu_time
ORDER BY frame_id;

-- What others fill in for frames that were not measured: 5 ms for the GPU. A guess; nothing here reads it.
CREATE PERFETTO TABLE _cpu_time_per_frame_fallback AS
SELECT frame_id, ui_time + CAST(5e6 AS INT) AS estimated_cpu_time FROM android_frames_ui_time;

CREATE PERFETTO TABLE _estimated_cpu_time_per_frame AS
SELECT
  u.frame_id,
  coalesce(
    c.app_vsync_delay + c.do_frame_dur + c.draw_frame_dur, u.ui_time + CAST(5e6 AS INT)
  ) AS cpu_time
FROM _frame_ui_time AS u
LEFT JOIN _frame_cpu_time AS c USING (do_frame_id);

-- All of it, for frames that are on both timelines. Columns of kinds are 1 or NULL.
CREATE PERFETTO TABLE android_frame_stats(
  -- The frame.
  frame_id LONG,
  -- By how much it missed its planned end.
  overrun LONG,
  -- How long threads were busy with it. NULL: not measured.
  cpu_time LONG,
  -- How long it was drawn. NULL: not known.
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
WITH times AS (
  SELECT
    u.frame_id, u.do_frame_id, u.ui_time,
    c.app_vsync_delay + c.do_frame_dur + c.draw_frame_dur AS cpu_time
  FROM _frame_ui_time AS u
  LEFT JOIN _frame_cpu_time AS c USING (do_frame_id)
)
SELECT
  t.frame_id, o.overrun, t.cpu_time, t.ui_time,
  iif(o.overrun > 0, 1, NULL) AS was_jank,
  iif(t.cpu_time > 20e6, 1, NULL) AS was_slow_frame,
  iif(t.cpu_time > 50e6, 1, NULL) AS was_big_jank,
  iif(t.cpu_time > 200e6, 1, NULL) AS was_huge_jank
FROM times AS t
CROSS JOIN android_frames_overrun AS o ON o.frame_id = t.frame_id;
