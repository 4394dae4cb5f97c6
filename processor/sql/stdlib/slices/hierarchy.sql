-- Relatives of a slice, and the slice itself.

-- The slice, then all that encloses it from the outermost on.
CREATE PERFETTO FUNCTION _slice_ancestor_and_self(
  -- Alias for `slice.id`.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- Alias for `slice.id`.
  id ID(slice.id),
  -- Alias for `slice.ts`.
  ts TIMESTAMP,
  -- Alias for `slice.dur`.
  dur DURATION,
  -- Alias for `slice.track_id`.
  track_id JOINID(track.id),
  -- Alias for `slice.category`.
  category STRING,
  -- Alias for `slice.name`.
  name STRING,
  -- Alias for `slice.depth`.
  depth LONG,
  -- Alias for `slice.parent_id`.
  parent_id JOINID(slice.id),
  -- Alias for `slice.arg_set_id`.
  arg_set_id ARGSETID,
  -- Alias for `slice.thread_ts`.
  thread_ts TIMESTAMP,
  -- Alias for `slice.thread_dur`.
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice WHERE id = $slice_id
UNION ALL
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM ancestor_slice($slice_id);

-- The slice, then all that lies in it.
CREATE PERFETTO FUNCTION _slice_descendant_and_self(
  -- Alias for `slice.id`.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- Alias for `slice.id`.
  id ID(slice.id),
  -- Alias for `slice.ts`.
  ts TIMESTAMP,
  -- Alias for `slice.dur`.
  dur DURATION,
  -- Alias for `slice.track_id`.
  track_id JOINID(track.id),
  -- Alias for `slice.category`.
  category STRING,
  -- Alias for `slice.name`.
  name STRING,
  -- Alias for `slice.depth`.
  depth LONG,
  -- Alias for `slice.parent_id`.
  parent_id JOINID(slice.id),
  -- Alias for `slice.arg_set_id`.
  arg_set_id ARGSETID,
  -- Alias for `slice.thread_ts`.
  thread_ts TIMESTAMP,
  -- Alias for `slice.thread_dur`.
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice WHERE id = $slice_id
UNION ALL
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM descendant_slice($slice_id);

-- The slices (id, parent_id, depth and the column) whose column is not NULL, each below the
-- deepest of those that enclosed it, or, if none of these is left, below the outermost; `depth` is
-- that of what it is below. Roots stay as they are.
CREATE PERFETTO MACRO _slice_remove_nulls_and_reparent(
  -- Slices: id, parent_id, depth and the column.
  slice_table TableOrSubquery,
  -- The column whose NULLs go.
  column_name ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _srn_kept AS MATERIALIZED (
      SELECT id, parent_id, depth, $column_name FROM $slice_table WHERE $column_name IS NOT NULL
    )
  SELECT id, parent_id, depth, $column_name FROM _srn_kept WHERE depth = 0
  UNION ALL
  SELECT id, parent_id, depth, $column_name
  FROM (
    SELECT
      s.id,
      a.id AS parent_id,
      max(iif(a.id IN (SELECT id FROM _srn_kept), a.depth, 0)) AS depth,
      s.$column_name
    FROM _srn_kept AS s
    JOIN ancestor_slice(s.id) AS a
    WHERE s.depth != 0
    GROUP BY s.id
  )
);
