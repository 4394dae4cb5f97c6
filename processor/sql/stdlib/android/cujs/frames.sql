-- How the frames went that belong to what a user did.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.frames.jank_type;

-- Frames between the first and the last of each, as the timeline of what happened has them.
CREATE PERFETTO TABLE _android_jank_cuj_frame_timeline(
  -- The number of what the user did.
  cuj_id LONG,
  -- The frame.
  vsync LONG,
  -- Whether the app missed it.
  app_missed LONG,
  -- Whether the compositor missed it.
  sf_missed LONG,
  -- How bad it was, where the trace says that.
  jank_score LONG,
  -- Whether the compositor was woken too late.
  sf_callback_missed LONG,
  -- Whether the app was woken too late.
  hwui_callback_missed LONG,
  -- Whether it was done in time on all layers.
  on_time_finish LONG,
  -- Its end.
  ts_end_actual TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The length that was planned.
  dur_expected DURATION,
  -- Layers that were drawn.
  number_of_layers_for_frame LONG,
  -- Name of the layer, of the last by name if there are several.
  frame_layer_name STRING
) AS
SELECT
  c.cuj_id, CAST(a.name AS INT) AS vsync, max(android_is_app_jank_type(a.jank_type)) AS app_missed,
  max(android_is_sf_jank_type(a.jank_type)) AS sf_missed, max(a.jank_score) AS jank_score,
  max(a.jank_type GLOB '*SurfaceFlinger Scheduling*') AS sf_callback_missed,
  max(a.jank_type GLOB '*App Resynced Jitter*') AS hwui_callback_missed,
  min(a.on_time_finish) AS on_time_finish, max(a.ts + a.dur) AS ts_end_actual,
  max(a.ts + a.dur) - min(a.ts) AS dur, max(e.dur) AS dur_expected,
  count(DISTINCT a.layer_name) AS number_of_layers_for_frame, max(a.layer_name) AS frame_layer_name
FROM android_jank_cuj AS c
JOIN actual_frame_timeline_slice AS a
  ON a.upid = c.upid AND CAST(a.name AS INT) BETWEEN c.begin_vsync AND c.end_vsync
LEFT JOIN _distinct_from_expected_timeline_slice_per_process AS d
  ON d.upid = a.upid AND d.frame_id = CAST(a.name AS INT)
LEFT JOIN slice AS e ON e.id = d.id
WHERE c.layer_id IS NULL OR CAST(regexp_extract(a.layer_name, '#([0-9]+)$') AS INT) = c.layer_id
GROUP BY c.cuj_id, vsync
ORDER BY c.cuj_id, vsync;

-- One row for each thing that a user did, with how its frames went.
CREATE PERFETTO TABLE android_jank_cuj_slice_summary(
  -- Its number.
  cuj_id LONG,
  -- Name of its slice.
  name STRING,
  -- Name of the process.
  process_name STRING,
  -- `completed`, `canceled`, or NULL where nothing is said.
  state STRING,
  -- Its frames; NULL where none is known.
  total_frames LONG,
  -- Those that the app missed.
  missed_app_frames LONG,
  -- Those that the compositor missed.
  missed_sf_frames LONG,
  -- Name of its layer.
  layer_name STRING,
  -- Begin of its first frame, or else of its slice.
  ts TIMESTAMP,
  -- From there to the end of the last frame, or of the slice.
  dur DURATION,
  -- Track of its slice.
  track_id JOINID(track.id),
  -- Its slice.
  slice_id JOINID(slice.id)
) AS
WITH sums AS (
  SELECT
    cuj_id, count() AS total, sum(app_missed) AS app_missed, sum(sf_missed) AS sf_missed
  FROM _android_jank_cuj_frame_timeline
  GROUP BY cuj_id
)
SELECT
  c.cuj_id, c.cuj_slice_name AS name, c.process_name, c.state, f.total AS total_frames,
  f.app_missed AS missed_app_frames, f.sf_missed AS missed_sf_frames, l.layer_name, c.ts, c.dur,
  s.track_id, c.slice_id
FROM android_jank_cuj AS c
JOIN slice AS s ON s.id = c.slice_id
LEFT JOIN sums AS f USING (cuj_id)
LEFT JOIN android_jank_cuj_layer_name AS l USING (cuj_id)
ORDER BY c.cuj_id;
