-- What kept the frames of what a user did: calls of the threads that draw them, in the time of each frame.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;
INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.frames.timeline;

-- Frames up to where the next one of the process begins, as drawn or as planned by the thread: a call that
-- begins in a frame may last longer than the frame does.
CREATE PERFETTO TABLE _extended_frame_boundary AS
WITH
  begins AS (
    SELECT upid, ts FROM android_frames_choreographer_do_frame
    UNION
    SELECT upid, ts FROM android_frames_layers
  ),
  next AS (
    SELECT upid, ts, lead(ts) OVER (PARTITION BY upid ORDER BY ts) AS next_ts FROM begins
  )
SELECT
  f.frame_id, f.upid, f.layer_id, f.layer_name, f.process_name, f.ts, f.ts_end AS frame_ts_end,
  coalesce(n.next_ts, f.ts_end) AS ts_end, coalesce(n.next_ts, f.ts_end) - f.ts AS dur,
  f.ui_thread_utid, f.render_thread_utid
FROM android_frames_layers AS f
JOIN next AS n ON n.upid = f.upid AND n.ts = f.ts
ORDER BY f.upid, f.ts, f.layer_id;

-- The part of each such call that lies in a frame of what a user did: once for each frame and layer.
-- Of those that name their layer, frames of others are left out.
CREATE PERFETTO TABLE _blocking_calls_frame_cuj AS
WITH
  frames AS (
    SELECT c.cuj_id, c.cuj_name, e.*
    FROM android_jank_cuj AS c
    JOIN _extended_frame_boundary AS e
      ON e.upid = c.upid AND e.frame_id BETWEEN c.begin_vsync AND c.end_vsync
    WHERE c.layer_id IS NULL OR e.layer_id = c.layer_id
  ),
  threads AS (
    SELECT *, ui_thread_utid AS utid FROM frames
    UNION ALL
    SELECT *, render_thread_utid AS utid FROM frames WHERE render_thread_utid != ui_thread_utid
  )
SELECT
  t.cuj_id, t.cuj_name, t.upid, t.process_name, t.frame_id, t.layer_id, t.layer_name, b.name,
  max(b.ts, t.ts) AS ts, min(b.ts_end, t.ts_end) AS ts_end,
  min(b.ts_end, t.ts_end) - max(b.ts, t.ts) AS dur, b.utid, b.id AS slice_id
FROM threads AS t
JOIN _android_critical_blocking_calls AS b ON b.utid = t.utid
WHERE b.ts < t.ts_end AND b.ts_end > t.ts
ORDER BY t.cuj_id, t.frame_id, t.layer_id, ts, b.id;
