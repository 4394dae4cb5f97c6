-- What Chrome itself says of frames of scrolls: whether they were late, by its fourth measure.
--
-- When the parts of a frame were, Chrome writes as slices of their own, whose names are not known here: these times
-- are NULL.

-- One row for each frame that Chrome judged.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_results(
  -- The slice, `ScrollJankV4`.
  id ID(slice.id),
  -- Its name.
  name STRING,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Number of the result.
  result_id LONG,
  -- Whether the frame was late: `chrome_scroll_jank_v4_reasons` says why.
  is_janky BOOL,
  -- Vsyncs since the frame before; NULL for the first of a scroll.
  vsyncs_since_previous_frame LONG,
  -- How late input may come, after the frames before.
  running_delivery_cutoff DURATION,
  -- The same for this frame.
  adjusted_delivery_cutoff DURATION,
  -- How late input came to this frame; NULL if it changed nothing.
  current_delivery_cutoff DURATION,
  -- The first real update in the frame.
  real_first_event_latency_id LONG,
  -- NULL: not read.
  real_first_input_generation_ts TIMESTAMP,
  -- NULL: not read.
  real_last_input_generation_ts TIMESTAMP,
  -- How far the real updates moved the page, in pixels.
  real_abs_total_raw_delta_pixels DOUBLE,
  -- The same with its direction.
  real_total_raw_delta_pixels DOUBLE,
  -- The largest step of a fling.
  real_max_abs_inertial_raw_delta_pixels DOUBLE,
  -- The first update that Chrome made up.
  synthetic_first_event_latency_id LONG,
  -- NULL: not read.
  synthetic_first_extrapolated_input_generation_ts TIMESTAMP,
  -- NULL: not read.
  synthetic_first_original_begin_frame_ts TIMESTAMP,
  -- Of which kind the first update is.
  first_scroll_update_type STRING,
  -- The first update: the real one, or else that which Chrome made up.
  first_event_latency_id LONG,
  -- Whether the frame changed what is shown, and whether it is known when.
  damage_type STRING,
  -- Length of a vsync.
  vsync_interval DURATION,
  -- NULL: not read.
  begin_frame_ts TIMESTAMP,
  -- NULL: not read.
  presentation_ts TIMESTAMP
) AS
WITH rows AS (
  SELECT
    id, name, ts, dur, arg_set_id,
    extract_arg(arg_set_id, 'scroll_jank_v4.updates.real.first_event_latency_id') AS real_id,
    extract_arg(arg_set_id, 'scroll_jank_v4.updates.synthetic.first_event_latency_id') AS synthetic_id,
    extract_arg(arg_set_id, 'scroll_jank_v4.updates.first_scroll_update_type') AS kind
  FROM slice
  WHERE name = 'ScrollJankV4'
)
SELECT
  id, name, ts, dur, extract_arg(arg_set_id, 'scroll_jank_v4.result_id') AS result_id,
  extract_arg(arg_set_id, 'scroll_jank_v4.is_janky') AS is_janky,
  extract_arg(arg_set_id, 'scroll_jank_v4.vsyncs_since_previous_frame') AS vsyncs_since_previous_frame,
  1000 * extract_arg(arg_set_id, 'scroll_jank_v4.running_delivery_cutoff_us') AS running_delivery_cutoff,
  1000 * extract_arg(arg_set_id, 'scroll_jank_v4.adjusted_delivery_cutoff_us') AS adjusted_delivery_cutoff,
  1000 * extract_arg(arg_set_id, 'scroll_jank_v4.current_delivery_cutoff_us') AS current_delivery_cutoff,
  real_id AS real_first_event_latency_id, NULL AS real_first_input_generation_ts,
  NULL AS real_last_input_generation_ts,
  extract_arg(arg_set_id, 'scroll_jank_v4.updates.real.abs_total_raw_delta_pixels')
    AS real_abs_total_raw_delta_pixels,
  extract_arg(arg_set_id, 'scroll_jank_v4.updates.real.total_raw_delta_pixels')
    AS real_total_raw_delta_pixels,
  extract_arg(arg_set_id, 'scroll_jank_v4.updates.real.max_abs_inertial_raw_delta_pixels')
    AS real_max_abs_inertial_raw_delta_pixels,
  synthetic_id AS synthetic_first_event_latency_id,
  NULL AS synthetic_first_extrapolated_input_generation_ts,
  NULL AS synthetic_first_original_begin_frame_ts, kind AS first_scroll_update_type,
  CASE WHEN kind = 'REAL' THEN real_id WHEN kind GLOB 'SYNTHETIC_*' THEN synthetic_id END
    AS first_event_latency_id,
  extract_arg(arg_set_id, 'scroll_jank_v4.damage_type') AS damage_type,
  1000 * extract_arg(arg_set_id, 'scroll_jank_v4.vsync_interval_us') AS vsync_interval,
  NULL AS begin_frame_ts, NULL AS presentation_ts
FROM rows
ORDER BY id;

-- One row for each frame that was late and each reason.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_reasons(
  -- The slice of the frame.
  id JOINID(slice.id),
  -- Why it was late.
  jank_reason STRING,
  -- Vsyncs that were missed for that.
  missed_vsyncs LONG
) AS
SELECT
  s.id, a.string_value AS jank_reason,
  extract_arg(
    s.arg_set_id, substr(a.key, 1, length(a.key) - length('jank_reason')) || 'missed_vsyncs'
  ) AS missed_vsyncs
FROM slice AS s
JOIN args AS a
  ON a.arg_set_id = s.arg_set_id
  AND a.flat_key = 'scroll_jank_v4.missed_vsyncs_per_jank_reason.jank_reason'
WHERE s.name = 'ScrollJankV4'
ORDER BY s.id, a.id;
