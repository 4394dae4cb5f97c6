-- The time of a slice that none of its children takes.

-- What the children of each slice take.
CREATE PERFETTO TABLE _slice_children_dur AS
SELECT parent_id AS id, sum(dur) AS child_dur_sum
FROM slice
WHERE parent_id IS NOT NULL
GROUP BY parent_id
ORDER BY parent_id;

-- One row for each slice.
CREATE PERFETTO TABLE slice_self_dur(
  -- The slice.
  id ID(slice.id),
  -- Its time without that of its children.
  self_dur DURATION
) AS
SELECT s.id, s.dur - coalesce(c.child_dur_sum, 0) AS self_dur
FROM slice AS s LEFT JOIN _slice_children_dur AS c USING (id)
ORDER BY s.id;
