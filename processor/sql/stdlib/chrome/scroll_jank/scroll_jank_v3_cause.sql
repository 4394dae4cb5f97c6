-- Which part of a slow event was slow.

-- Slices directly below another.
CREATE PERFETTO FUNCTION _direct_children_slice(
  -- The slice above.
  parent_id LONG
)
RETURNS TABLE(
  -- The slice.
  id LONG,
  -- Its name.
  name STRING,
  -- Its length.
  dur LONG
) AS
SELECT id, name, dur FROM slice WHERE parent_id = $parent_id;

-- Of the slices directly below a slow one, that which took longest compared with the slice of its name below another; what
-- has no such slice there counts whole. NULL if nothing is below the slow one.
CREATE PERFETTO FUNCTION chrome_get_v3_jank_cause_id(
  -- The slow slice.
  janky_slice_id LONG,
  -- The slice that it is compared with.
  prev_slice_id LONG
)
-- The slice below the slow one.
RETURNS LONG AS
WITH prev AS (
  SELECT name, sum(dur) AS dur FROM _direct_children_slice($prev_slice_id) GROUP BY name
)
SELECT c.id
FROM _direct_children_slice($janky_slice_id) AS c
LEFT JOIN prev AS p ON p.name = c.name
ORDER BY c.dur - coalesce(p.dur, 0) DESC, c.id
LIMIT 1;
