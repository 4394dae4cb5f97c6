-- Spans between slices that belong together by their names.

-- One row for each slice with the first name: from its begin to the next slice with the second name. Without one
-- there is no row.
CREATE PERFETTO FUNCTION _android_generate_start_to_end_slices(
  -- Names where a span begins, as of GLOB.
  start_pattern STRING,
  -- Names where it ends.
  end_pattern STRING,
  -- Whether the slice at the end counts; else the span ends where that begins.
  inclusive BOOL
)
RETURNS TABLE(
  -- Name of the slice where it begins.
  name STRING,
  -- Its begin.
  ts LONG,
  -- Length of the span.
  dur LONG
) AS
WITH
  ends AS (SELECT id, ts, dur FROM slice WHERE name GLOB $end_pattern),
  pairs AS (
    SELECT
      s.id, s.name, s.ts, (SELECT e.id FROM ends AS e WHERE e.ts > s.ts ORDER BY e.ts, e.id LIMIT 1) AS end_id
    FROM slice AS s
    WHERE s.name GLOB $start_pattern
  )
SELECT
  p.name, p.ts, e.ts + iif($inclusive, iif(e.dur = -1, trace_end() - e.ts, e.dur), 0) - p.ts AS dur
FROM pairs AS p JOIN ends AS e ON e.id = p.end_id
ORDER BY p.ts, p.id;
