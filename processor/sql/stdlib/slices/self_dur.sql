-- The time of a slice that none of its children takes.
CREATE PERFETTO TABLE slice_self_dur(id ID(slice.id), self_dur DURATION) AS
WITH children AS (
  SELECT parent_id AS id, sum(dur) AS dur FROM slice WHERE parent_id IS NOT NULL GROUP BY parent_id
)
SELECT s.id, s.dur - coalesce(c.dur, 0) AS self_dur
FROM slice AS s LEFT JOIN children AS c USING (id)
ORDER BY s.id;
