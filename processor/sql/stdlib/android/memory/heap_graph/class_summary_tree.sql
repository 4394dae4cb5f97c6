-- Heap graphs as trees of classes, with what whole subtrees add up to.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;

CREATE PERFETTO TABLE android_heap_graph_class_summary_tree(
  upid JOINID(process.id), graph_sample_ts TIMESTAMP, id LONG, parent_id LONG, name STRING,
  root_type STRING, self_count LONG, self_size LONG, cumulative_count LONG, cumulative_size LONG
) AS
SELECT
  t.upid, t.graph_sample_ts, t.id, t.parent_id, t.name, t.root_type, t.self_count, t.self_size,
  s.c2 AS cumulative_count, s.c1 AS cumulative_size
FROM _heap_graph_class_tree AS t
JOIN (
  SELECT c0, c1, c2
  FROM __intrinsic_table_ptr(
    (
      SELECT __intrinsic_tree_dominator_summary(id, parent_id, self_size, self_count)
      FROM _heap_graph_class_tree
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'id')
    AND __intrinsic_table_ptr_bind(c1, 'dominated_size_bytes')
    AND __intrinsic_table_ptr_bind(c2, 'dominated_native_size_bytes')
) AS s ON s.c0 = t.id
ORDER BY t.id;
