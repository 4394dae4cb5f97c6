-- Frames that nobody has put a name to yet, and what a symbolizer needs to find it.

-- The same build id as Breakpad writes it: the first three fields of a GUID in the order of bytes
-- of a little-endian machine, and an age of 0. NULL: too short to be one.
CREATE PERFETTO FUNCTION _build_id_to_breakpad(build_id STRING)
RETURNS STRING AS
SELECT
  iif(
    length($build_id) >= 32,
    substr($build_id, 7, 2) || substr($build_id, 5, 2) || substr($build_id, 3, 2)
    || substr($build_id, 1, 2)
    || substr($build_id, 11, 2) || substr($build_id, 9, 2)
    || substr($build_id, 15, 2) || substr($build_id, 13, 2)
    || substr($build_id, 17, 16) || '0',
    NULL
  );

CREATE PERFETTO TABLE _stacks_symbolization_candidates AS
WITH RECURSIVE
  leaves AS (
    SELECT DISTINCT upid, callsite_id FROM heap_profile_allocation
    UNION
    SELECT coalesce(k.upid, t.upid) AS upid, s.callsite_id
    FROM stack_sample AS s
    JOIN __intrinsic_profiler_task_context AS k ON k.id = s.task_context_id
    LEFT JOIN thread AS t ON t.utid = k.utid
    WHERE s.callsite_id IS NOT NULL
  ),
  callsites(upid, id) AS (
    SELECT upid, callsite_id FROM leaves
    UNION
    SELECT c.upid, s.parent_id
    FROM callsites AS c JOIN stack_profile_callsite AS s ON s.id = c.id
    WHERE s.parent_id IS NOT NULL
  )
SELECT DISTINCT
  c.upid, m.name AS module, m.build_id, f.rel_pc,
  _build_id_to_breakpad(m.build_id) AS breakpad_module_id
FROM callsites AS c
JOIN stack_profile_callsite AS s ON s.id = c.id
JOIN stack_profile_frame AS f ON f.id = s.frame_id
JOIN stack_profile_mapping AS m ON m.id = f.mapping
WHERE m.build_id != '' AND f.symbol_set_id IS NULL
ORDER BY c.upid, m.build_id, f.rel_pc;
