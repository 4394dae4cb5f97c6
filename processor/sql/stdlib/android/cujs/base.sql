-- What a user does, as the system marks it: slices `J<NAME>` of processes, and marks on their tracks.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- The slices, as they were written.
CREATE PERFETTO TABLE _jank_cujs_slices AS
SELECT
  CAST(row_number() OVER (ORDER BY s.ts, s.id) AS INT) AS cuj_id, p.upid,
  p.name AS process_name, s.name AS cuj_slice_name, substr(s.name, 3, length(s.name) - 3) AS cuj_name,
  s.id AS slice_id, s.ts, s.ts + s.dur AS ts_end, s.dur, s.track_id
FROM slice AS s
JOIN process_track AS k ON k.id = s.track_id
JOIN process AS p ON p.upid = k.upid
WHERE s.name GLOB 'J<*>' AND s.dur > 0
ORDER BY s.ts, s.id;

-- Marks of such slices: `J<NAME>#FT#KIND[#VALUE]`, or `FT#KIND[#VALUE]` on the track of the slice.
CREATE PERFETTO TABLE _cuj_instant_events AS
WITH marks AS (
  SELECT
    c.cuj_id, s.ts,
    CASE
      WHEN s.name GLOB 'FT#*' AND k.name = c.cuj_slice_name THEN substr(s.name, 4)
      WHEN substr(s.name, 1, length(c.cuj_slice_name) + 4) = c.cuj_slice_name || '#FT#'
        THEN substr(s.name, length(c.cuj_slice_name) + 5)
    END AS mark
  FROM _jank_cujs_slices AS c
  JOIN process_track AS k ON k.upid = c.upid
  JOIN slice AS s ON s.track_id = k.id
  WHERE s.name GLOB '*FT#*' AND s.ts BETWEEN c.ts AND c.ts_end
)
SELECT
  cuj_id, ts, str_split(mark, '#', 0) AS kind, CAST(str_split(mark, '#', 1) AS INT) AS value
FROM marks
WHERE mark IS NOT NULL
ORDER BY ts;

-- How each of them ended.
CREATE PERFETTO TABLE _cuj_state_markers AS
SELECT
  cuj_id, max(kind = 'cancel') AS is_cancelled, max(kind = 'end') AS is_completed,
  min(iif(kind = 'layerId', value, NULL)) AS layer_id,
  min(iif(kind = 'beginVsync', value, NULL)) AS begin_vsync,
  max(iif(kind = 'endVsync', value, NULL)) AS end_vsync
FROM _cuj_instant_events
GROUP BY cuj_id;

-- What a user did, and the frames that it took.
CREATE PERFETTO TABLE android_jank_cuj(
  -- Its number.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the slice.
  cuj_slice_name STRING,
  -- The name in it.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- Begin of the first frame; that of the slice if there is none.
  ts TIMESTAMP,
  -- End of the last frame; that of the slice if there is none.
  ts_end TIMESTAMP,
  -- From one to the other.
  dur DURATION,
  -- `completed`, `canceled`, or NULL where nothing is said.
  state STRING,
  -- The thread that draws.
  ui_thread JOINID(thread.id),
  -- The layer that it is about.
  layer_id LONG,
  -- First frame.
  begin_vsync LONG,
  -- Last frame.
  end_vsync LONG
) AS
WITH frames AS (
  SELECT
    c.cuj_id, min(f.ts) AS ts, max(f.ts + f.dur) AS ts_end, min(f.frame_id) AS begin_vsync,
    max(f.frame_id) AS end_vsync
  FROM _jank_cujs_slices AS c
  JOIN android_frames_choreographer_do_frame AS d ON d.upid = c.upid
  JOIN android_frames AS f ON f.do_frame_id = d.id
  WHERE f.ts < c.ts_end AND f.ts + f.dur > c.ts
  GROUP BY c.cuj_id
)
SELECT
  c.cuj_id, c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id,
  coalesce(f.ts, c.ts) AS ts, coalesce(f.ts_end, c.ts_end) AS ts_end,
  coalesce(f.ts_end, c.ts_end) - coalesce(f.ts, c.ts) AS dur,
  CASE WHEN m.is_cancelled THEN 'canceled' WHEN m.is_completed THEN 'completed' END AS state,
  t.utid AS ui_thread, m.layer_id, coalesce(m.begin_vsync, f.begin_vsync) AS begin_vsync,
  coalesce(m.end_vsync, f.end_vsync) AS end_vsync
FROM _jank_cujs_slices AS c
LEFT JOIN frames AS f USING (cuj_id)
LEFT JOIN _cuj_state_markers AS m USING (cuj_id)
LEFT JOIN thread AS t ON t.upid = c.upid AND t.is_main_thread
ORDER BY c.cuj_id;

-- Frames of the process of each of them that lie in it, one for each layer.
CREATE PERFETTO VIEW _all_frames_in_cuj AS
SELECT c.cuj_id, c.upid, c.process_name, f.frame_id, f.ts, f.ts_end, f.dur, f.layer_id, f.layer_name
FROM _jank_cujs_slices AS c
JOIN android_frames_layers AS f ON f.upid = c.upid
WHERE f.ts < c.ts_end AND f.ts_end > c.ts;

-- The layer of each: that which it named, or else the only one that its frames drew.
CREATE PERFETTO TABLE android_jank_cuj_layer_name(
  -- Its number.
  cuj_id LONG,
  -- Name of the layer; NULL where it cannot be told.
  layer_name STRING
) AS
WITH
  named AS (
    SELECT m.cuj_id, max(f.layer_name) AS layer_name
    FROM _cuj_state_markers AS m
    JOIN _all_frames_in_cuj AS f ON f.cuj_id = m.cuj_id AND f.layer_id = m.layer_id
    GROUP BY m.cuj_id
  ),
  counted AS (
    SELECT cuj_id, frame_id, count(DISTINCT layer_id) AS layers, max(layer_name) AS layer_name
    FROM _all_frames_in_cuj
    GROUP BY cuj_id, frame_id
  ),
  only AS (
    SELECT cuj_id, max(layer_name) AS layer_name
    FROM counted
    GROUP BY cuj_id
    HAVING max(layers) = 1
  )
SELECT c.cuj_id, iif(m.layer_id IS NULL, o.layer_name, n.layer_name) AS layer_name
FROM _jank_cujs_slices AS c
LEFT JOIN _cuj_state_markers AS m USING (cuj_id)
LEFT JOIN named AS n USING (cuj_id)
LEFT JOIN only AS o USING (cuj_id)
ORDER BY c.cuj_id;
