-- Whether one slice encloses another: same track, starts no later, ends no earlier.
CREATE PERFETTO FUNCTION slice_is_ancestor(
    -- The slice that may enclose the other.
    ancestor_id LONG,
    -- The other.
    descendant_id LONG
)
-- True if it does.
RETURNS BOOL AS
SELECT
  outside.track_id = inside.track_id
  AND outside.ts <= inside.ts
  AND (outside.dur = -1 OR outside.ts + outside.dur >= inside.ts + inside.dur)
FROM slice AS outside, slice AS inside
WHERE outside.id = $ancestor_id AND inside.id = $descendant_id;
