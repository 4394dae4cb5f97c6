-- Frames of scrolls in Chrome that came later than they could.

INCLUDE PERFETTO MODULE chrome.event_latency;

-- The name of a slice.
CREATE PERFETTO FUNCTION _slice_name_from_id(
  -- The slice.
  id LONG
)
-- Its name.
RETURNS STRING AS
SELECT name FROM slice WHERE id = $id;

-- Updates of scrolls that were shown: when the frame with them was presented.
CREATE PERFETTO TABLE _presented_gesture_scrolls AS
SELECT id, ts, dur, scroll_update_id, scroll_id, presentation_timestamp, event_type
FROM chrome_gesture_scroll_updates
WHERE is_presented
ORDER BY id;

-- The same, with the last input before the next of them: frames show it, too. An update without a scroll
-- is judged among those without.
CREATE PERFETTO TABLE chrome_presented_gesture_scrolls(
  -- The first update of the frame.
  id LONG,
  -- Its start.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Start of the last update of the frame.
  last_presented_input_ts TIMESTAMP,
  -- Number of the update.
  scroll_update_id LONG,
  -- The scroll.
  scroll_id LONG,
  -- When the frame was shown.
  presentation_timestamp LONG,
  -- Kind of the update.
  event_type STRING
) AS
WITH
  numbered AS (
    SELECT
      *,
      sum(is_presented) OVER (PARTITION BY scroll_id ORDER BY ts, id ROWS UNBOUNDED PRECEDING)
        AS frame
    FROM chrome_gesture_scroll_updates
  ),
  last_inputs AS (
    SELECT *, max(ts) OVER (PARTITION BY scroll_id, frame) AS last_presented_input_ts FROM numbered
  )
SELECT
  id, ts, dur, last_presented_input_ts, scroll_update_id, scroll_id, presentation_timestamp,
  event_type
FROM last_inputs
WHERE is_presented
ORDER BY ts;

-- How far each update moved the page.
CREATE PERFETTO TABLE chrome_scroll_updates_with_deltas(
  -- The update.
  scroll_update_id LONG,
  -- By how much, down is positive.
  delta_y DOUBLE
) AS
SELECT
  extract_arg(arg_set_id, 'scroll_deltas.trace_id') AS scroll_update_id,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.provided_to_compositor_delta_y') AS REAL) AS delta_y
FROM slice
WHERE name = 'InputHandlerProxy::HandleGestureScrollUpdate_Result'
  AND extract_arg(arg_set_id, 'scroll_deltas.trace_id') IS NOT NULL
ORDER BY id;

-- When frames were shown.
CREATE PERFETTO TABLE chrome_unique_frame_presentation_ts(
  -- The time.
  presentation_timestamp LONG
) AS
SELECT DISTINCT presentation_timestamp
FROM chrome_presented_gesture_scrolls
ORDER BY presentation_timestamp;

-- The time between two refreshes of the display: what Chrome says, or as far as frames tell it.
CREATE PERFETTO TABLE chrome_vsyncs(
  -- In ms; NULL without frames.
  vsync_interval DOUBLE
) AS
WITH delays AS (
  SELECT
    presentation_timestamp - lag(presentation_timestamp) OVER (ORDER BY presentation_timestamp)
      AS delay
  FROM chrome_unique_frame_presentation_ts
)
SELECT min(vsync_interval) AS vsync_interval
FROM (
  SELECT delay / 1e6 AS vsync_interval FROM delays WHERE delay > 0
  UNION ALL
  SELECT vsync_interval_ms
  FROM chrome_gesture_scroll_updates
  WHERE EXISTS (SELECT 1 FROM delays WHERE delay > 0)
);

-- One row for each update that was shown.
CREATE PERFETTO TABLE chrome_full_frame_view(
  -- The first update of the frame.
  id LONG,
  -- Its start.
  ts TIMESTAMP,
  -- Start of the last update of the frame.
  last_presented_input_ts TIMESTAMP,
  -- The scroll.
  scroll_id LONG,
  -- Number of the update.
  scroll_update_id LONG,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- Its length.
  dur DURATION,
  -- When the frame was shown.
  presentation_timestamp LONG
) AS
SELECT
  id, ts, last_presented_input_ts, scroll_id, scroll_update_id, id AS event_latency_id, dur,
  presentation_timestamp
FROM chrome_presented_gesture_scrolls
ORDER BY id;

-- The same, with how far the page was moved.
CREATE PERFETTO TABLE chrome_full_frame_delta_view(
  -- The first update of the frame.
  id LONG,
  -- Its start.
  ts TIMESTAMP,
  -- The scroll.
  scroll_id LONG,
  -- Number of the update.
  scroll_update_id LONG,
  -- Start of the last update of the frame.
  last_presented_input_ts TIMESTAMP,
  -- By how much; NULL: not known.
  delta_y DOUBLE,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- Its length.
  dur DURATION,
  -- When the frame was shown.
  presentation_timestamp LONG
) AS
SELECT
  f.id, f.ts, f.scroll_id, f.scroll_update_id, f.last_presented_input_ts, d.delta_y,
  f.event_latency_id, f.dur, f.presentation_timestamp
FROM chrome_full_frame_view AS f
LEFT JOIN (
  SELECT scroll_update_id, sum(delta_y) AS delta_y
  FROM chrome_scroll_updates_with_deltas
  GROUP BY scroll_update_id
) AS d USING (scroll_update_id)
ORDER BY f.id;

-- One row for each frame: updates that were shown at one time.
CREATE PERFETTO TABLE chrome_merged_frame_view(
  -- The first update of the frame.
  id LONG,
  -- Start of the last input.
  max_start_ts TIMESTAMP,
  -- Start of the first input.
  min_start_ts TIMESTAMP,
  -- The scroll.
  scroll_id LONG,
  -- Number of the first update.
  scroll_update_id LONG,
  -- Numbers of all updates.
  encapsulated_scroll_ids STRING,
  -- How far they moved the page.
  total_delta DOUBLE,
  -- How far each of them did.
  segregated_delta_y STRING,
  -- The first EventLatency slice.
  event_latency_id LONG,
  -- The largest length.
  dur DURATION,
  -- When the frame was shown.
  presentation_timestamp LONG
) AS
WITH frames AS (
  SELECT
    min(id) AS id, max(last_presented_input_ts) AS max_start_ts, min(ts) AS min_start_ts,
    group_concat(scroll_update_id, ',') AS encapsulated_scroll_ids, sum(delta_y) AS total_delta,
    group_concat(delta_y, ',') AS segregated_delta_y, max(dur) AS dur, presentation_timestamp
  FROM (SELECT * FROM chrome_full_frame_delta_view ORDER BY id)
  GROUP BY presentation_timestamp
)
SELECT
  f.id, f.max_start_ts, f.min_start_ts, u.scroll_id, u.scroll_update_id, f.encapsulated_scroll_ids,
  f.total_delta, f.segregated_delta_y, f.id AS event_latency_id, f.dur, f.presentation_timestamp
FROM frames AS f
JOIN chrome_full_frame_view AS u ON u.id = f.id
ORDER BY f.presentation_timestamp;

-- The same, with the time since the frame before, in ms.
CREATE PERFETTO TABLE chrome_frame_info_with_delay(
  -- The first update of the frame.
  id LONG,
  -- Start of the last input.
  max_start_ts TIMESTAMP,
  -- Start of the first input.
  min_start_ts TIMESTAMP,
  -- The scroll.
  scroll_id LONG,
  -- Number of the first update.
  scroll_update_id LONG,
  -- Numbers of all updates.
  encapsulated_scroll_ids STRING,
  -- How far they moved the page.
  total_delta DOUBLE,
  -- How far each of them did.
  segregated_delta_y STRING,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- Its length.
  dur DURATION,
  -- When the frame was shown.
  presentation_timestamp LONG,
  -- Since the frame before was shown; 0 for the first of a scroll.
  delay_since_last_frame DOUBLE,
  -- From the last input of the frame before to the first of this; 0 for the first of a scroll.
  delay_since_last_input DOUBLE,
  -- The EventLatency slice of the frame before; -1 for the first of a scroll.
  prev_event_latency_id LONG
) AS
SELECT
  *,
  coalesce((presentation_timestamp - lag(presentation_timestamp) OVER one_scroll) / 1e6, 0.0)
    AS delay_since_last_frame,
  coalesce((min_start_ts - lag(max_start_ts) OVER one_scroll) / 1e6, 0.0)
    AS delay_since_last_input,
  lag(event_latency_id, 1, -1) OVER one_scroll AS prev_event_latency_id
FROM chrome_merged_frame_view
WINDOW one_scroll AS (PARTITION BY scroll_id ORDER BY presentation_timestamp)
ORDER BY presentation_timestamp;

-- Frames that came a refresh or more later than the frame before, although the input did not.
CREATE PERFETTO TABLE chrome_janky_frames_no_cause(
  -- Time since the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- The time between two refreshes, in ms.
  vsync_interval DOUBLE,
  -- The device, where it is known.
  hardware_class STRING,
  -- The scroll.
  scroll_id LONG,
  -- The EventLatency slice of the frame before.
  prev_event_latency_id LONG
) AS
SELECT
  d.delay_since_last_frame, d.event_latency_id, v.vsync_interval,
  (SELECT str_value FROM metadata WHERE name = 'cr-hardware-class') AS hardware_class,
  d.scroll_id, d.prev_event_latency_id
FROM chrome_frame_info_with_delay AS d CROSS JOIN chrome_vsyncs AS v
WHERE d.delay_since_last_frame > v.vsync_interval * 1.5
  AND d.delay_since_last_input < v.vsync_interval * 1.5
ORDER BY d.presentation_timestamp;

-- The same, with the stage that took longer than in the frame before by most.
CREATE PERFETTO TABLE chrome_janky_frames_no_subcause(
  -- Time since the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- The time between two refreshes, in ms.
  vsync_interval DOUBLE,
  -- The device, where it is known.
  hardware_class STRING,
  -- The scroll.
  scroll_id LONG,
  -- The EventLatency slice of the frame before.
  prev_event_latency_id LONG,
  -- Slice of the stage.
  cause_id LONG
) AS
SELECT
  j.*,
  (
    SELECT s.id
    FROM slice AS s
    LEFT JOIN slice AS p ON p.parent_id = j.prev_event_latency_id AND p.name = s.name
    WHERE s.parent_id = j.event_latency_id
    ORDER BY s.dur - coalesce(p.dur, 0) DESC, s.id
    LIMIT 1
  ) AS cause_id
FROM chrome_janky_frames_no_cause AS j;

-- The same, by names; of the time in the process that draws, the stage in it.
CREATE PERFETTO TABLE chrome_janky_frames(
  -- The stage.
  cause_of_jank STRING,
  -- The stage in it.
  sub_cause_of_jank STRING,
  -- Time since the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- The time between two refreshes, in ms.
  vsync_interval DOUBLE,
  -- The device, where it is known.
  hardware_class STRING,
  -- The scroll.
  scroll_id LONG
) AS
SELECT
  _slice_name_from_id(j.cause_id) AS cause_of_jank,
  (
    SELECT s.name
    FROM slice AS s
    LEFT JOIN slice AS c
      ON c.parent_id = j.prev_event_latency_id AND c.name = _slice_name_from_id(j.cause_id)
    LEFT JOIN slice AS p ON p.parent_id = c.id AND p.name = s.name
    WHERE s.parent_id = j.cause_id
    ORDER BY s.dur - coalesce(p.dur, 0) DESC, s.id
    LIMIT 1
  ) AS sub_cause_of_jank,
  j.delay_since_last_frame, j.event_latency_id, j.vsync_interval, j.hardware_class, j.scroll_id
FROM chrome_janky_frames_no_subcause AS j;

-- The part of all frames that came late, in percent.
CREATE PERFETTO TABLE chrome_janky_frames_percentage(
  -- Percent; NULL without frames.
  delayed_frame_percentage DOUBLE
) AS
SELECT
  (SELECT count(*) FROM chrome_janky_frames_no_cause) * 100.0
  / nullif((SELECT count(*) FROM chrome_unique_frame_presentation_ts), 0)
    AS delayed_frame_percentage;

-- The same by scroll.
CREATE PERFETTO TABLE chrome_frames_per_scroll(
  -- The scroll.
  scroll_id LONG,
  -- Frames.
  num_frames LONG,
  -- Frames that came late.
  num_janky_frames LONG,
  -- The part of these, in percent.
  scroll_jank_percentage DOUBLE
) AS
WITH
  frames AS (SELECT scroll_id, count(*) AS num FROM chrome_frame_info_with_delay GROUP BY scroll_id),
  janky AS (
    SELECT scroll_id, count(*) AS num FROM chrome_janky_frames_no_cause GROUP BY scroll_id
  )
SELECT
  f.scroll_id, f.num AS num_frames, j.num AS num_janky_frames,
  100.0 * j.num / f.num AS scroll_jank_percentage
FROM frames AS f LEFT JOIN janky AS j USING (scroll_id)
ORDER BY f.scroll_id;
