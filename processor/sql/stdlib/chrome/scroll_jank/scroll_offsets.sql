-- How far users scrolled, and how far the page went.

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;

-- How far each event of a scroll moved, as the system says.
CREATE PERFETTO TABLE chrome_scroll_input_deltas(
  -- The update.
  scroll_update_id LONG,
  -- Pixels to the side.
  delta_x DOUBLE,
  -- Pixels down.
  delta_y DOUBLE
) AS
SELECT
  extract_arg(arg_set_id, 'scroll_deltas.trace_id') AS scroll_update_id,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.original_delta_x') AS REAL) AS delta_x,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.original_delta_y') AS REAL) AS delta_y
FROM slice
WHERE name = 'TranslateAndScaleWebInputEvent'
  AND extract_arg(arg_set_id, 'scroll_deltas.trace_id') IS NOT NULL
ORDER BY id;

-- How far each frame moved the page, and where it was then.
CREATE PERFETTO TABLE chrome_scroll_presented_deltas(
  -- The update.
  scroll_update_id LONG,
  -- Pixels to the side.
  delta_x DOUBLE,
  -- Pixels down.
  delta_y DOUBLE,
  -- Where the page is, to the side.
  offset_x LONG,
  -- Where the page is, down.
  offset_y LONG
) AS
SELECT
  extract_arg(arg_set_id, 'scroll_deltas.trace_id') AS scroll_update_id,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.provided_to_compositor_delta_x') AS REAL) AS delta_x,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.provided_to_compositor_delta_y') AS REAL) AS delta_y,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.visual_offset_x') AS INT) AS offset_x,
  CAST(extract_arg(arg_set_id, 'scroll_deltas.visual_offset_y') AS INT) AS offset_y
FROM slice
WHERE name = 'InputHandlerProxy::HandleGestureScrollUpdate_Result'
  AND extract_arg(arg_set_id, 'scroll_deltas.trace_id') IS NOT NULL
ORDER BY id;

-- Where each scroll was after each of its events.
CREATE PERFETTO TABLE chrome_scroll_input_offsets(
  -- The update.
  scroll_update_id LONG,
  -- The scroll.
  scroll_id LONG,
  -- When it happened.
  ts TIMESTAMP,
  -- By how much.
  delta_y DOUBLE,
  -- Since the begin of the scroll.
  relative_offset_y DOUBLE
) AS
SELECT
  u.scroll_update_id, u.scroll_id, u.ts, d.delta_y,
  sum(d.delta_y) OVER (
    PARTITION BY u.scroll_id
    ORDER BY u.ts, u.scroll_update_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS relative_offset_y
FROM chrome_gesture_scroll_updates AS u
JOIN chrome_scroll_input_deltas AS d USING (scroll_update_id)
ORDER BY u.ts, u.scroll_update_id;

-- Where each scroll was in each frame that was shown.
CREATE PERFETTO TABLE chrome_presented_scroll_offsets(
  -- The update.
  scroll_update_id LONG,
  -- The scroll.
  scroll_id LONG,
  -- When it was shown.
  ts TIMESTAMP,
  -- By how much.
  delta_y DOUBLE,
  -- Since the begin of the scroll.
  relative_offset_y DOUBLE
) AS
WITH frames AS (
  SELECT
    u.scroll_id, u.presentation_timestamp AS ts, max(u.scroll_update_id) AS scroll_update_id,
    sum(d.delta_y) AS delta_y
  FROM chrome_gesture_scroll_updates AS u
  JOIN chrome_scroll_presented_deltas AS d USING (scroll_update_id)
  WHERE u.presentation_timestamp IS NOT NULL
  GROUP BY u.scroll_id, u.presentation_timestamp
)
SELECT
  scroll_update_id, scroll_id, ts, delta_y,
  sum(delta_y) OVER (
    PARTITION BY scroll_id ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS relative_offset_y
FROM frames
ORDER BY ts, scroll_update_id;
