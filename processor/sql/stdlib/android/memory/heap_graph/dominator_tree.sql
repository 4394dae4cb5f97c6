-- What each object of a heap graph holds by itself: what would be free without it.

INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;

-- Counts and sizes are of the object and all that it dominates; depth is 1 for those that only
-- roots stand above.
CREATE PERFETTO TABLE heap_graph_dominator_tree(
  id LONG, idom_id LONG, dominated_obj_count LONG, dominated_size_bytes LONG,
  dominated_native_size_bytes LONG, depth LONG
) AS
SELECT
  CAST(c0 AS INT) AS id, CAST(c1 AS INT) AS idom_id, c2 AS dominated_obj_count, c3 AS dominated_size_bytes,
  c4 AS dominated_native_size_bytes, c5 AS depth
FROM __intrinsic_table_ptr(
  (
    SELECT __intrinsic_tree_dominator_summary(d.id, d.idom_id, o.self_size, o.native_size)
    FROM _raw_heap_graph_dominator_tree AS d JOIN heap_graph_object AS o USING (id)
  )
)
WHERE __intrinsic_table_ptr_bind(c0, 'id')
  AND __intrinsic_table_ptr_bind(c1, 'idom_id')
  AND __intrinsic_table_ptr_bind(c2, 'dominated_obj_count')
  AND __intrinsic_table_ptr_bind(c3, 'dominated_size_bytes')
  AND __intrinsic_table_ptr_bind(c4, 'dominated_native_size_bytes')
  AND __intrinsic_table_ptr_bind(c5, 'depth')
ORDER BY c0;
