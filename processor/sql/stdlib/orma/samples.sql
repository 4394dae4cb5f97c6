-- Samples of programs with their functions and stacks by name.

-- The functions of the stacks that were sampled, the innermost first.
CREATE PERFETTO TABLE _orma_stack AS
WITH RECURSIVE
  up(leaf, nr, id) AS (
    SELECT DISTINCT callsite_id, 0, callsite_id FROM stack_sample WHERE callsite_id IS NOT NULL
    UNION ALL
    SELECT leaf, nr + 1, parent_id
    FROM up JOIN stack_profile_callsite AS c USING (id)
    WHERE parent_id IS NOT NULL
  )
SELECT leaf, group_concat(coalesce(nullif(name, ''), '?'), ' < ') AS stack
FROM (
  SELECT leaf, f.name
  FROM up
  JOIN stack_profile_callsite AS c USING (id)
  JOIN stack_profile_frame AS f ON f.id = c.frame_id
  ORDER BY leaf, nr
)
GROUP BY leaf;

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
SELECT s.id, s.ts, x.utid, f.name AS function, k.stack
FROM stack_sample AS s
LEFT JOIN stack_sample_task_context AS x ON x.id = s.task_context_id
LEFT JOIN stack_profile_callsite AS c ON c.id = s.callsite_id
LEFT JOIN stack_profile_frame AS f ON f.id = c.frame_id
LEFT JOIN _orma_stack AS k ON k.leaf = s.callsite_id;
