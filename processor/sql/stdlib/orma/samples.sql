-- Samples of programs with their functions and stacks by name.

INCLUDE PERFETTO MODULE orma.frames;

-- The functions of frames, for functions that go through all stacks.
CREATE PERFETTO MACRO _orma_frame_functions() RETURNS Expr AS
(
  SELECT __intrinsic_row_dataframe_agg('frame_id', f.frame_id, 'name', f.name, 'module', nullif(f.module, ''))
  FROM orma_frame_function AS f
);

-- For weights of stacks (callsite_id, counted, weight): what functions have of it. Columns: counted, function,
-- module, self (of stacks whose innermost function it is), total (of all that have it).
CREATE PERFETTO MACRO _orma_function_sums(weights TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT c0 AS counted, c1 AS function, c2 AS module, c3 AS self, c4 AS total
  FROM __intrinsic_table_ptr(
    __intrinsic_orma_function_sums(
      _orma_frame_functions!(),
      (
        SELECT __intrinsic_row_dataframe_agg(
          'callsite_id', w.callsite_id, 'counted', w.counted, 'weight', w.weight
        )
        FROM $weights AS w
      )
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'counted')
    AND __intrinsic_table_ptr_bind(c1, 'function')
    AND __intrinsic_table_ptr_bind(c2, 'module')
    AND __intrinsic_table_ptr_bind(c3, 'self')
    AND __intrinsic_table_ptr_bind(c4, 'total')
);

CREATE PERFETTO TABLE _orma_stack AS
SELECT c0 AS leaf, c1 AS stack
FROM __intrinsic_table_ptr(
  __intrinsic_orma_stack_texts(
    _orma_frame_functions!(),
    (
      SELECT __intrinsic_row_dataframe_agg('callsite_id', callsite_id)
      FROM (SELECT DISTINCT callsite_id FROM stack_sample WHERE callsite_id IS NOT NULL)
    )
  )
)
WHERE __intrinsic_table_ptr_bind(c0, 'callsite_id') AND __intrinsic_table_ptr_bind(c1, 'stack')
ORDER BY leaf;

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
  -- The functions, the innermost first: `leaf < its caller < ...`, up to 128 and 8 KiB. What is cut ends with
  -- how many more there are, if any, and a hash of the whole stack.
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
  s.ts, x.utid, coalesce(t.upid, x.upid) AS upid, s.callsite_id,
  coalesce(e.name, iif(o.ns IS NULL, 'samples', 'time, nanoseconds')) AS counted, coalesce(w.weight, o.ns, 1) AS weight
FROM stack_sample AS s
LEFT JOIN _orma_sample_weight AS w ON w.id = s.id
LEFT JOIN _orma_sample_time AS o ON o.id = s.id
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
