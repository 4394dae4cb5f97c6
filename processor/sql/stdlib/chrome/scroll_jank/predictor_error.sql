-- Frames of a scroll that went much further, or less far, than those beside them: where the next
-- position was foretold wrong.

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- Pixels in a frame from which on a scroll is fast.
CREATE PERFETTO FUNCTION _get_slow_scroll_delta_threshold()
RETURNS DOUBLE AS
SELECT 7.0;

-- How much a slow scroll may differ from frame to frame.
CREATE PERFETTO FUNCTION _get_slow_scroll_janky_threshold()
RETURNS DOUBLE AS
SELECT 1.4;

-- How much a fast one may.
CREATE PERFETTO FUNCTION _get_fast_scroll_janky_threshold()
RETURNS DOUBLE AS
SELECT 1.2;

-- How much the second of three frames may differ from those beside it.
CREATE PERFETTO FUNCTION _get_scroll_jank_threshold(d1 DOUBLE, d2 DOUBLE, d3 DOUBLE)
RETURNS DOUBLE AS
SELECT
  iif(
    max(abs($d1), abs($d2), abs($d3)) > _get_slow_scroll_delta_threshold(),
    _get_fast_scroll_janky_threshold(), _get_slow_scroll_janky_threshold()
  );

-- By how much it does: the ratio to the larger of the two if it went further than both, or of the
-- smaller one to it if less far. 0: no more than it may.
CREATE PERFETTO FUNCTION _get_predictor_jank(d1 DOUBLE, d2 DOUBLE, d3 DOUBLE, threshold DOUBLE)
RETURNS DOUBLE AS
WITH ratio AS (
  SELECT
    CASE
      WHEN $d1 IS NULL OR $d2 IS NULL OR $d3 IS NULL THEN 0.0
      WHEN abs($d2) > max(abs($d1), abs($d3)) AND max(abs($d1), abs($d3)) > 0
        THEN abs($d2) / max(abs($d1), abs($d3))
      WHEN abs($d2) < min(abs($d1), abs($d3)) AND abs($d2) > 0
        THEN min(abs($d1), abs($d3)) / abs($d2)
      ELSE 0.0
    END AS value
)
SELECT iif(value > $threshold, value - $threshold, 0.0) FROM ratio;

-- Each frame with what those beside it moved.
CREATE PERFETTO TABLE _deltas_and_neighbors AS
SELECT
  scroll_id, scroll_update_id, ts AS present_ts, delta_y, relative_offset_y,
  lag(delta_y) OVER (PARTITION BY scroll_id ORDER BY ts) AS prev_delta,
  lead(delta_y) OVER (PARTITION BY scroll_id ORDER BY ts) AS next_delta
FROM chrome_presented_scroll_offsets
ORDER BY ts;

-- The same with how much it may differ.
CREATE PERFETTO TABLE _deltas_and_neighbors_with_threshold AS
SELECT *, _get_scroll_jank_threshold(prev_delta, delta_y, next_delta) AS delta_threshold
FROM _deltas_and_neighbors
ORDER BY present_ts;

-- Frames of scrolls, and by how much they differ more than they may.
CREATE PERFETTO TABLE chrome_predictor_error(
  -- The scroll.
  scroll_id LONG,
  -- The update.
  scroll_update_id LONG,
  -- When it was shown.
  present_ts TIMESTAMP,
  -- By how much it moved the page.
  delta_y DOUBLE,
  -- Since the begin of the scroll.
  relative_offset_y DOUBLE,
  -- What the frame before moved.
  prev_delta DOUBLE,
  -- What the frame behind moved.
  next_delta DOUBLE,
  -- By how much it differs more than it may.
  predictor_jank DOUBLE,
  -- How much it may.
  delta_threshold DOUBLE
) AS
SELECT
  scroll_id, scroll_update_id, present_ts, delta_y, relative_offset_y, prev_delta, next_delta,
  _get_predictor_jank(prev_delta, delta_y, next_delta, delta_threshold) AS predictor_jank,
  delta_threshold
FROM _deltas_and_neighbors_with_threshold
ORDER BY present_ts;
