-- Slices for tables and flame graphs of a user interface.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE slices.self_dur;
INCLUDE PERFETTO MODULE slices.with_context;

-- All slices: those of threads, of processes, and others. Columns of threads and processes are NULL
-- where there is none.
CREATE PERFETTO VIEW _viz_slices_for_ui_table AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid,
  pid, depth, parent_id, arg_set_id
FROM thread_or_process_slice
UNION ALL
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name, NULL AS thread_name,
  NULL AS utid, NULL AS tid, NULL AS process_name, NULL AS upid, NULL AS pid, s.depth,
  s.parent_id, s.arg_set_id
FROM track AS k
JOIN slice AS s ON s.track_id = k.id
WHERE k.id NOT IN (SELECT id FROM thread_track) AND k.id NOT IN (SELECT id FROM process_track);

-- The slices of `inits` (id, dur) and all of `nodes` (id, parent_id, name) above them: the time of
-- each that none of its children takes. self_count is 0 for those that only lead to `inits`.
CREATE PERFETTO MACRO _viz_slice_ancestor_agg(inits TableOrSubquery, nodes TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _vsa_inits AS MATERIALIZED (SELECT DISTINCT id FROM $inits),
    _vsa_reached AS (
      SELECT DISTINCT id FROM _tree_reachable_ancestors_or_self!($nodes, _vsa_inits)
    )
  SELECT
    n.id, n.parent_id AS parentId, n.name,
    d.self_dur,
    i.id IS NOT NULL AS self_count,
    1 AS simple_count
  FROM _vsa_reached AS r
  JOIN $nodes AS n ON n.id = r.id
  LEFT JOIN _vsa_inits AS i ON i.id = r.id
  LEFT JOIN slice_self_dur AS d ON d.id = r.id
  ORDER BY n.id
);
