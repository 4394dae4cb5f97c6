-- States of threads, cut by the innermost slice of each moment.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.flat_slices;

-- All pieces. Columns: ts, dur, thread_state_id, slice_id, utid, state, io_wait, blocked_function,
-- cpu.
CREATE PERFETTO MACRO _tsf_pieces()
RETURNS TableOrSubquery AS
(
  WITH
    _tsf_flat AS MATERIALIZED (
      SELECT CAST(row_number() OVER (ORDER BY ts) AS INT) AS id, ts, dur, utid, slice_id
      FROM _slice_flattened
    )
  SELECT
    ii.ts, ii.dur, ii.id_1 AS thread_state_id, f.slice_id, t.utid, t.state, t.io_wait,
    t.blocked_function, t.cpu
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM _tsf_flat),
      (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
    ),
    (utid)
  ) AS ii
  JOIN _tsf_flat AS f ON f.id = ii.id_0
  JOIN thread_state AS t ON t.id = ii.id_1
);

-- The pieces of one slice and all that lies in it, or of a whole thread: an argument that is NULL
-- sets no limit.
CREATE PERFETTO MACRO _get_flattened_thread_state(slice_id Expr, utid Expr)
RETURNS TableOrSubquery AS
(
  SELECT
    f.ts, f.dur, f.slice_id, s.depth, s.name, f.utid, f.state, f.io_wait, f.blocked_function, f.cpu
  FROM _tsf_pieces!() AS f
  JOIN slice AS s ON s.id = f.slice_id
  WHERE (($utid) IS NULL OR f.utid = ($utid))
    AND (
      ($slice_id) IS NULL
      OR f.slice_id = ($slice_id)
      OR f.slice_id IN (SELECT id FROM descendant_slice($slice_id))
    )
);

-- The same, added up by slice name, state and cpu.
CREATE PERFETTO MACRO _get_flattened_thread_state_aggregated(slice_id Expr, utid Expr)
RETURNS TableOrSubquery AS
(
  SELECT
    utid, depth, name, state, io_wait, blocked_function, cpu, sum(dur) AS dur, count(*) AS count
  FROM _get_flattened_thread_state!($slice_id, $utid)
  GROUP BY utid, depth, name, state, io_wait, blocked_function, cpu
);
