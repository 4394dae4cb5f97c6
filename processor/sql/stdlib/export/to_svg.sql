-- Slices, states and counters as pictures.

INCLUDE PERFETTO MODULE sched.states;

CREATE PERFETTO FUNCTION _svg_escape(text STRING)
RETURNS STRING AS
SELECT
  replace(
    replace(replace(replace($text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'
  );

-- A light colour that belongs to the text.
CREATE PERFETTO FUNCTION _svg_color(text STRING)
RETURNS STRING AS
SELECT printf('hsl(%d,60%%,75%%)', abs(hash(coalesce($text, '')) % 360));

CREATE PERFETTO FUNCTION _svg_state_color(state STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN $state = 'Running' THEN '#66bb6a'
    WHEN $state IN ('R', 'R+') THEN '#c5e1a5'
    WHEN $state GLOB 'D*' THEN '#ef9a9a'
    WHEN $state GLOB 'S*' THEN '#eeeeee'
    ELSE '#cfd8dc'
  END;

-- A box with a title, and its text where that fits; nothing for what lies outside of the picture.
CREATE PERFETTO FUNCTION _svg_box(
  x DOUBLE, y DOUBLE, width DOUBLE, height DOUBLE, color STRING, text STRING, title STRING
)
RETURNS STRING AS
SELECT
  printf(
    '<g><title>%s</title><rect x="%.3f" y="%.1f" width="%.3f" height="%.1f" fill="%s"/>',
    _svg_escape(coalesce($title, '')), $x, $y, $width, $height, $color
  )
  || iif(
    length($text) * 7 < $width,
    printf(
      '<text x="%.3f" y="%.1f" font-size="11">%s</text>', $x + 2.0, $y + $height - 4.0,
      _svg_escape($text)
    ),
    ''
  )
  || '</g>';

CREATE PERFETTO FUNCTION _svg_frame(width LONG, height LONG, body STRING)
RETURNS STRING AS
SELECT
  printf(
    '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
    || 'viewBox="0 0 %d %d" font-family="sans-serif">%s</svg>',
    $width, $height, $width, $height, coalesce($body, '')
  );

-- Intervals (ts, dur, depth, name) between ts and ts + dur as a picture that many points wide, a
-- row of boxes for each depth.
CREATE PERFETTO MACRO _svg_from_slices(slices TableOrSubquery, ts Expr, dur Expr, width Expr)
RETURNS Expr AS
(
  WITH
    _svg_cut AS MATERIALIZED (
      SELECT
        s.name, s.depth, s.dur AS whole, max(s.ts, $ts) AS ts,
        min(iif(s.dur = -1, $ts + $dur, s.ts + s.dur), $ts + $dur) AS ts_end
      FROM $slices AS s
      WHERE s.ts < $ts + $dur AND iif(s.dur = -1, $ts + $dur, s.ts + s.dur) >= $ts
    )
  SELECT
    _svg_frame(
      $width,
      coalesce(max(depth) + 1, 1) * 18,
      group_concat(
        _svg_box(
          (ts - ($ts)) * 1.0 * ($width) / ($dur),
          depth * 18.0,
          max((ts_end - ts) * 1.0 * ($width) / ($dur), 0.5),
          17.0,
          _svg_color(name),
          coalesce(name, ''),
          printf('%s: %d ns', coalesce(name, '[NULL]'), whole)
        ),
        ''
      )
    )
  FROM (SELECT * FROM _svg_cut ORDER BY depth, ts)
);

-- The states of a thread between ts and ts + dur.
CREATE PERFETTO FUNCTION export_thread_state_to_svg(
  utid JOINID(thread.id), ts TIMESTAMP, dur DURATION, width LONG
)
RETURNS STRING AS
WITH
  cut AS (
    SELECT
      s.state, s.io_wait, max(s.ts, $ts) AS ts,
      min(iif(s.dur = -1, $ts + $dur, s.ts + s.dur), $ts + $dur) AS ts_end
    FROM thread_state AS s
    WHERE s.utid = $utid AND s.ts < $ts + $dur
      AND iif(s.dur = -1, $ts + $dur, s.ts + s.dur) > $ts
    ORDER BY s.ts
  )
SELECT
  _svg_frame(
    $width,
    18,
    group_concat(
      _svg_box(
        (ts - $ts) * 1.0 * $width / $dur, 0.0, max((ts_end - ts) * 1.0 * $width / $dur, 0.5), 17.0,
        _svg_state_color(state),
        coalesce(sched_state_io_to_human_readable_string(state, io_wait), ''),
        sched_state_io_to_human_readable_string(state, io_wait)
      ),
      ''
    )
  )
FROM cut;

-- The slices of a thread.
CREATE PERFETTO FUNCTION export_thread_slices_to_svg(
  utid JOINID(thread.id), ts TIMESTAMP, dur DURATION, width LONG
)
RETURNS STRING AS
SELECT
  _svg_from_slices!(
    (
      SELECT s.ts, s.dur, s.depth, s.name
      FROM slice AS s JOIN thread_track AS t ON t.id = s.track_id
      WHERE t.utid = $utid
    ),
    $ts, $dur, $width
  );

-- A counter as steps, from the bottom (its least value, or 0) to the top.
CREATE PERFETTO FUNCTION export_counter_to_svg(
  track_id JOINID(track.id), ts TIMESTAMP, dur DURATION, width LONG, height LONG
)
RETURNS STRING AS
WITH
  samples AS (
    SELECT ts, lead(ts, 1, $ts + $dur) OVER (ORDER BY ts) AS ts_end, value
    FROM counter WHERE track_id = $track_id
  ),
  cut AS (
    SELECT max(ts, $ts) AS ts, min(ts_end, $ts + $dur) AS ts_end, value
    FROM samples WHERE ts < $ts + $dur AND ts_end > $ts
  ),
  bounds AS (SELECT min(0, min(value)) AS low, max(0, max(value)) AS high FROM cut),
  points AS (
    SELECT
      c.ts,
      printf(
        '%.3f,%.3f %.3f,%.3f',
        (c.ts - $ts) * 1.0 * $width / $dur,
        $height - iif(b.high > b.low, (c.value - b.low) * $height / (b.high - b.low), 0.0),
        (c.ts_end - $ts) * 1.0 * $width / $dur,
        $height - iif(b.high > b.low, (c.value - b.low) * $height / (b.high - b.low), 0.0)
      ) AS point
    FROM cut AS c, bounds AS b
    ORDER BY c.ts
  )
SELECT
  _svg_frame(
    $width,
    $height,
    printf('<polyline fill="none" stroke="#1565c0" points="%s"/>', group_concat(point, ' '))
  )
FROM points;
