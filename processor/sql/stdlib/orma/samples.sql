-- Samples of programs with their functions and stacks by name.

INCLUDE PERFETTO MODULE orma.frames;

-- The functions of the stacks that were sampled, the innermost first (nr 0).
CREATE PERFETTO TABLE _orma_stack_frame AS
WITH RECURSIVE
  leaves(id) AS (
    SELECT callsite_id FROM stack_sample
    UNION
    SELECT callsite_id FROM __intrinsic_aggregate_sample
    UNION
    SELECT callsite_id FROM heap_profile_allocation
  ),
  up(leaf, nr, id) AS (
    SELECT id, 0, id FROM leaves WHERE id IS NOT NULL
    UNION ALL
    SELECT leaf, nr + 1, parent_id
    FROM up JOIN stack_profile_callsite AS c USING (id)
    WHERE parent_id IS NOT NULL
  )
SELECT
  leaf, row_number() OVER (PARTITION BY leaf ORDER BY up.nr, f.nr) - 1 AS nr, f.name, f.module
FROM up
JOIN stack_profile_callsite AS c USING (id)
JOIN orma_frame_function AS f ON f.frame_id = c.frame_id
ORDER BY leaf, nr;

CREATE PERFETTO TABLE _orma_stack AS
SELECT leaf, group_concat(name, ' < ') AS stack
FROM _orma_stack_frame
GROUP BY leaf;

-- Each function of a stack once, and whether it is the innermost.
CREATE PERFETTO TABLE _orma_stack_function AS
SELECT leaf, name AS function, coalesce(module, '') AS module, min(nr) = 0 AS is_leaf
FROM _orma_stack_frame
GROUP BY leaf, function, coalesce(module, '');

-- Samples, whoever took them.
CREATE PERFETTO VIEW orma_sample(
  -- Alias for `stack_sample.id`.
  id LONG,
  -- When it was taken.
  ts TIMESTAMP,
  -- The thread; NULL if it is not known.
  utid JOINID(thread.id),
  -- The innermost function; NULL if it has no name.
  function STRING,
  -- All functions, the innermost first: `leaf < its caller < ...`.
  stack STRING
) AS
SELECT s.id, s.ts, x.utid, nullif(f.name, '[unknown]') AS function, k.stack
FROM stack_sample AS s
LEFT JOIN stack_sample_task_context AS x ON x.id = s.task_context_id
LEFT JOIN stack_profile_callsite AS c ON c.id = s.callsite_id
LEFT JOIN orma_frame_function AS f ON f.frame_id = c.frame_id AND f.nr = 0
LEFT JOIN _orma_stack AS k ON k.leaf = s.callsite_id;

-- What samples counted, and what profiles of others (pprof, collapsed stacks) and of heaps have as sums
-- of stacks.
CREATE PERFETTO TABLE orma_stack_weight(
  -- When it was taken; NULL for sums of the whole trace.
  ts TIMESTAMP,
  -- The thread; NULL if it is not known.
  utid JOINID(thread.id),
  -- The process, also that of the thread; NULL if it is not known.
  upid JOINID(process.id),
  -- The stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- What was counted: the event of samples, `samples`, or what a profile calls it.
  counted STRING,
  -- How much of it.
  weight DOUBLE
) AS
SELECT
  s.ts, x.utid, coalesce(t.upid, x.upid) AS upid, s.callsite_id, coalesce(e.name, 'samples') AS counted,
  coalesce(w.weight, 1) AS weight
FROM stack_sample AS s
LEFT JOIN _orma_sample_weight AS w ON w.id = s.id
LEFT JOIN stack_sample_task_context AS x ON x.id = s.task_context_id
LEFT JOIN thread AS t ON t.utid = x.utid
LEFT JOIN (
  SELECT c.stack_sample_id, k.name
  FROM stack_sample_counter AS c JOIN stack_sample_counter_track AS k ON k.id = c.track_id
  WHERE k.is_timebase
) AS e ON e.stack_sample_id = s.id
WHERE s.callsite_id IS NOT NULL
UNION ALL
SELECT
  NULL AS ts, NULL AS utid, NULL AS upid, s.callsite_id,
  p.sample_type_type || iif(p.sample_type_unit IN ('count', ''), '', ', ' || p.sample_type_unit)
    AS counted,
  s.value AS weight
FROM __intrinsic_aggregate_sample AS s
JOIN __intrinsic_aggregate_profile AS p ON p.id = s.aggregate_profile_id
WHERE s.callsite_id IS NOT NULL
UNION ALL
SELECT
  ts, NULL AS utid, upid, callsite_id, heap_name || ', bytes not freed' AS counted, size AS weight
FROM heap_profile_allocation
WHERE callsite_id IS NOT NULL;
