-- Relatives of a slice, and the slice itself.

-- The slice and all that encloses it, in order of ids.
CREATE PERFETTO FUNCTION _slice_ancestor_and_self(slice_id JOINID(slice.id))
RETURNS TABLE(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG, thread_instruction_count LONG, thread_instruction_delta LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta
FROM slice WHERE id = $slice_id
UNION ALL
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta
FROM ancestor_slice($slice_id)
ORDER BY id;

-- The slice and all that lies in it, in order of ids.
CREATE PERFETTO FUNCTION _slice_descendant_and_self(slice_id JOINID(slice.id))
RETURNS TABLE(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG, thread_instruction_count LONG, thread_instruction_delta LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta
FROM slice WHERE id = $slice_id
UNION ALL
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta
FROM descendant_slice($slice_id)
ORDER BY id;

-- The slices (id, parent_id, depth and the column) whose column is not NULL, each below the
-- nearest of those that enclosed it. Columns: id, parent_id, depth (among those that are left)
-- and the column.
CREATE PERFETTO MACRO _slice_remove_nulls_and_reparent(
  slice_table TableOrSubquery, column_name ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _srn_all AS MATERIALIZED (SELECT id, parent_id, depth, $column_name FROM $slice_table),
    _srn_kept AS MATERIALIZED (SELECT id FROM _srn_all WHERE $column_name IS NOT NULL),
    _srn_above AS (
      SELECT k.id, max(a.depth) AS nearest, a.id AS parent_id, count(*) AS depth
      FROM _srn_kept AS k
      JOIN ancestor_slice(k.id) AS a
      WHERE a.id IN (SELECT id FROM _srn_kept)
      GROUP BY k.id
    )
  SELECT s.id, u.parent_id, coalesce(u.depth, 0) AS depth, s.$column_name
  FROM _srn_all AS s
  LEFT JOIN _srn_above AS u USING (id)
  WHERE s.$column_name IS NOT NULL
);
