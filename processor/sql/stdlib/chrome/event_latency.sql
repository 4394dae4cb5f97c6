-- What Chrome says of the time from an input to its picture: slices EventLatency, with one for each stage.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;

-- The first slice of this name in another one.
CREATE PERFETTO FUNCTION _descendant_slice_begin(
  -- The slice.
  parent_id LONG,
  -- The name.
  child_name STRING
)
-- Its begin.
RETURNS LONG AS
SELECT ts FROM descendant_slice($parent_id) WHERE name = $child_name ORDER BY ts, id LIMIT 1;

CREATE PERFETTO FUNCTION _descendant_slice_end(
  -- The slice.
  parent_id LONG,
  -- The name.
  child_name STRING
)
-- Its end; NULL while it has none.
RETURNS LONG AS
SELECT iif(dur = -1, NULL, ts + dur)
FROM descendant_slice($parent_id)
WHERE name = $child_name
ORDER BY ts, id
LIMIT 1;

-- Whether there is one.
CREATE PERFETTO FUNCTION _has_descendant_slice_with_name(
  -- The slice.
  id LONG,
  -- The name.
  descendant_name STRING
)
-- Whether there is one.
RETURNS BOOL AS
SELECT EXISTS (SELECT 1 FROM descendant_slice($id) WHERE name = $descendant_name);

-- When the picture was shown: the end of the last stage, whichever the release has.
CREATE PERFETTO FUNCTION _get_presentation_timestamp(
  -- The slice.
  id LONG
)
-- The time.
RETURNS LONG AS
SELECT
  coalesce(
    _descendant_slice_end($id, 'SwapEndToPresentationCompositorFrame'),
    _descendant_slice_end($id, 'LatchToPresentation'),
    _descendant_slice_end($id, 'SwapStartToPresentation'),
    _descendant_slice_end($id, 'LatchToSwapEnd')
  );

-- All of them.
CREATE PERFETTO TABLE chrome_event_latencies(
  -- The slice.
  id LONG,
  -- Its name.
  name STRING,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The update of a scroll.
  scroll_update_id LONG,
  -- The frame of a surface that shows it.
  surface_frame_trace_id LONG,
  -- What was shown.
  display_trace_id LONG,
  -- Whether it was shown.
  is_presented BOOL,
  -- Kind of the input.
  event_type STRING,
  -- Its track.
  track_id LONG,
  -- Time between refreshes of the display, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether Chrome calls the frame late.
  is_janky_scrolled_frame BOOL,
  -- Begin of the stage BufferAvailableToBufferReady.
  buffer_available_timestamp LONG,
  -- Begin of the stage BufferReadyToLatch.
  buffer_ready_timestamp LONG,
  -- Begin of the stage LatchToSwapEnd or LatchToPresentation.
  latch_timestamp LONG,
  -- Begin of the stage SwapEndToPresentationCompositorFrame.
  swap_end_timestamp LONG,
  -- When it was shown.
  presentation_timestamp LONG
) AS
WITH latencies AS MATERIALIZED (
  SELECT id, name, ts, dur, track_id, arg_set_id, _get_presentation_timestamp(id) AS shown_ts
  FROM slice
  WHERE name = 'EventLatency'
)
SELECT
  id, name, ts, dur,
  extract_arg(arg_set_id, 'event_latency.event_latency_id') AS scroll_update_id,
  extract_arg(arg_set_id, 'event_latency.surface_frame_trace_id') AS surface_frame_trace_id,
  extract_arg(arg_set_id, 'event_latency.display_trace_id') AS display_trace_id,
  shown_ts IS NOT NULL AS is_presented,
  extract_arg(arg_set_id, 'event_latency.event_type') AS event_type,
  track_id,
  extract_arg(arg_set_id, 'event_latency.vsync_interval_ms') AS vsync_interval_ms,
  coalesce(extract_arg(arg_set_id, 'event_latency.is_janky_scrolled_frame'), 0)
    AS is_janky_scrolled_frame,
  _descendant_slice_begin(id, 'BufferAvailableToBufferReady') AS buffer_available_timestamp,
  _descendant_slice_begin(id, 'BufferReadyToLatch') AS buffer_ready_timestamp,
  coalesce(
    _descendant_slice_begin(id, 'LatchToSwapEnd'),
    _descendant_slice_begin(id, 'LatchToPresentation')
  ) AS latch_timestamp,
  _descendant_slice_begin(id, 'SwapEndToPresentationCompositorFrame') AS swap_end_timestamp,
  shown_ts AS presentation_timestamp
FROM latencies
ORDER BY id;

-- Those of updates of scrolls, with the scroll: the last one that began before, unless it was over.
CREATE PERFETTO TABLE chrome_gesture_scroll_updates(
  -- The slice.
  id LONG,
  -- Its name.
  name STRING,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The update.
  scroll_update_id LONG,
  -- Whether it was shown.
  is_presented BOOL,
  -- Kind of the input.
  event_type STRING,
  -- Its track.
  track_id LONG,
  -- Time between refreshes of the display, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether Chrome calls the frame late.
  is_janky BOOL,
  -- Begin of the stage BufferAvailableToBufferReady.
  buffer_available_timestamp LONG,
  -- Begin of the stage BufferReadyToLatch.
  buffer_ready_timestamp LONG,
  -- Begin of the stage LatchToSwapEnd or LatchToPresentation.
  latch_timestamp LONG,
  -- Begin of the stage SwapEndToPresentationCompositorFrame.
  swap_end_timestamp LONG,
  -- When it was shown.
  presentation_timestamp LONG,
  -- The scroll.
  scroll_id LONG
) AS
WITH scrolls AS (
  SELECT id, ts, ts + dur AS ts_end, lead(ts) OVER (ORDER BY ts, id) AS next_ts FROM chrome_scrolls
)
SELECT
  e.id, e.name, e.ts, e.dur, e.scroll_update_id, e.is_presented, e.event_type, e.track_id,
  e.vsync_interval_ms, e.is_janky_scrolled_frame AS is_janky, e.buffer_available_timestamp,
  e.buffer_ready_timestamp, e.latch_timestamp, e.swap_end_timestamp, e.presentation_timestamp,
  s.id AS scroll_id
FROM chrome_event_latencies AS e
LEFT JOIN scrolls AS s
  ON e.ts >= s.ts AND e.ts <= s.ts_end AND (s.next_ts IS NULL OR e.ts < s.next_ts)
WHERE e.event_type GLOB '*GESTURE_SCROLL_UPDATE'
ORDER BY e.id;
