-- Heap profiles as trees of functions.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- For allocations (callsite_id, size, count, alloc_size, alloc_count): the functions they were made
-- by and all above them, with what was allocated by each itself. Columns: id, parent_id, name,
-- mapping_name, source_file, line_number, self_size, self_count, self_alloc_size, self_alloc_count.
CREATE PERFETTO MACRO _android_heap_profile_callstacks_for_allocations(allocations TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH _ahp_sums AS MATERIALIZED (
    SELECT
      callsite_id, sum(size) AS size, sum(count) AS count,
      sum(alloc_size) AS alloc_size, sum(alloc_count) AS alloc_count
    FROM $allocations
    GROUP BY callsite_id
  )
  SELECT
    n.id, n.parent_id, n.name, n.mapping_name, n.source_file, n.line_number,
    iif(n.is_leaf_function_in_callsite_frame, ifnull(a.size, 0), 0) AS self_size,
    iif(n.is_leaf_function_in_callsite_frame, ifnull(a.count, 0), 0) AS self_count,
    iif(n.is_leaf_function_in_callsite_frame, ifnull(a.alloc_size, 0), 0) AS self_alloc_size,
    iif(n.is_leaf_function_in_callsite_frame, ifnull(a.alloc_count, 0), 0) AS self_alloc_count
  FROM _callstacks_for_stack_profile_samples!(_ahp_sums) AS n
  LEFT JOIN _ahp_sums AS a USING (callsite_id)
  ORDER BY n.id
);
