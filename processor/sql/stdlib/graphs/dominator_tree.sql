-- Who stands between a node and the root.

-- For edges (source_node_id, dest_node_id), all within reach of the root: the last node that
-- every way from the root to a node goes through. Columns: node_id, dominator_node_id.
CREATE PERFETTO MACRO graph_dominator_tree(graph_table TableOrSubquery, root_node_id Expr)
RETURNS TableOrSubquery AS
(
  SELECT CAST(c0 AS INT) AS node_id, CAST(c1 AS INT) AS dominator_node_id
  FROM __intrinsic_table_ptr(
    (
      SELECT __intrinsic_dominator_tree(g.source_node_id, g.dest_node_id, $root_node_id)
      FROM $graph_table AS g
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'dominator_node_id')
);
