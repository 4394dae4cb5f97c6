-- Frames of scrolls in Chrome that came later than they could.

-- Updates of scrolls that were shown: when the frame with them was presented.
CREATE PERFETTO TABLE _presented_gesture_scrolls AS
WITH
  updates AS (
    SELECT
      id, ts, dur,
      extract_arg(arg_set_id, 'event_latency.event_latency_id') AS scroll_update_id,
      extract_arg(arg_set_id, 'event_latency.gesture_scroll_id') AS scroll_id,
      extract_arg(arg_set_id, 'event_latency.event_type') AS event_type
    FROM slice
    WHERE name = 'EventLatency' AND extract_arg(arg_set_id, 'event_latency.event_type') GLOB
      '*GESTURE_SCROLL_UPDATE'
  ),
  shown AS (
    SELECT parent_id, max(ts + dur) AS presentation_timestamp
    FROM slice
    WHERE name IN (
      'SubmitCompositorFrameToPresentationCompositorFrame', 'SwapEndToPresentationCompositorFrame',
      'BufferReadyToLatch', 'LatchToSwapEnd'
    ) AND dur != -1
    GROUP BY parent_id
  )
SELECT
  u.id, u.ts, u.dur, u.scroll_update_id, u.scroll_id, s.presentation_timestamp, u.event_type
FROM updates AS u JOIN shown AS s ON s.parent_id = u.id
ORDER BY u.id;

-- The first update of each frame, with the last input that the frame shows.
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
SELECT
  id, min(ts) AS ts, dur, max(ts) AS last_presented_input_ts, scroll_update_id, scroll_id,
  presentation_timestamp, event_type
FROM (SELECT * FROM _presented_gesture_scrolls ORDER BY id)
GROUP BY scroll_id, presentation_timestamp
HAVING id = min(id)
ORDER BY ts;

-- When frames were shown.
CREATE PERFETTO TABLE chrome_unique_frame_presentation_ts(
  -- The time.
  presentation_timestamp LONG
) AS
SELECT DISTINCT presentation_timestamp
FROM chrome_presented_gesture_scrolls
ORDER BY presentation_timestamp;

-- The time between two refreshes of the display, as far as frames tell it.
CREATE PERFETTO TABLE chrome_vsyncs(
  -- The shortest time between two frames, in ms; NULL without frames.
  vsync_interval DOUBLE
) AS
SELECT min(delay) / 1e6 AS vsync_interval
FROM (
  SELECT
    presentation_timestamp - lag(presentation_timestamp) OVER (ORDER BY presentation_timestamp)
      AS delay
  FROM chrome_unique_frame_presentation_ts
)
WHERE delay > 0;

-- One row for each frame.
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
ORDER BY ts;

-- Frames with the time since the frame before, in ms.
CREATE PERFETTO TABLE _chrome_frame_delays AS
SELECT
  id, scroll_id, event_latency_id, presentation_timestamp,
  (presentation_timestamp - lag(presentation_timestamp) OVER one_scroll) / 1e6
    AS delay_since_last_frame,
  (last_presented_input_ts - lag(last_presented_input_ts) OVER one_scroll) / 1e6
    AS delay_since_last_input
FROM chrome_full_frame_view
WINDOW one_scroll AS (PARTITION BY scroll_id ORDER BY presentation_timestamp)
ORDER BY presentation_timestamp;

-- Frames that came a refresh or more later than the frame before, although the input did not.
CREATE PERFETTO TABLE chrome_janky_frames_no_cause(
  -- Time since the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- The EventLatency slice.
  event_latency_id LONG,
  -- The scroll.
  scroll_id LONG,
  -- The time between two refreshes, in ms.
  vsync_interval DOUBLE
) AS
SELECT d.delay_since_last_frame, d.event_latency_id, d.scroll_id, v.vsync_interval
FROM _chrome_frame_delays AS d CROSS JOIN chrome_vsyncs AS v
WHERE d.delay_since_last_frame > v.vsync_interval * 1.5
  AND d.delay_since_last_input < v.vsync_interval * 1.5;

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
  frames AS (SELECT scroll_id, count(*) AS num FROM _chrome_frame_delays GROUP BY scroll_id),
  janky AS (
    SELECT scroll_id, count(*) AS num FROM chrome_janky_frames_no_cause GROUP BY scroll_id
  )
SELECT
  f.scroll_id, f.num AS num_frames, j.num AS num_janky_frames,
  100.0 * j.num / f.num AS scroll_jank_percentage
FROM frames AS f LEFT JOIN janky AS j USING (scroll_id)
ORDER BY f.scroll_id;
