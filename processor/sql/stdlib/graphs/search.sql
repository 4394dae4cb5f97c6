-- What can be reached in a graph.

-- From the start nodes (node_id) along the edges (source_node_id, dest_node_id), depth first.
-- Columns: node_id, parent_node_id (NULL for start nodes).
CREATE PERFETTO MACRO graph_reachable_dfs(graph_table TableOrSubquery, start_nodes TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT CAST(c0 AS INT) AS node_id, CAST(c1 AS INT) AS parent_node_id
  FROM __intrinsic_table_ptr(
    __intrinsic_dfs(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (SELECT __intrinsic_array_agg(t.node_id) FROM $start_nodes AS t)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
);

-- The same, breadth first.
CREATE PERFETTO MACRO graph_reachable_bfs(graph_table TableOrSubquery, start_nodes TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT CAST(c0 AS INT) AS node_id, CAST(c1 AS INT) AS parent_node_id
  FROM __intrinsic_table_ptr(
    __intrinsic_bfs(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (SELECT __intrinsic_array_agg(t.node_id) FROM $start_nodes AS t)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
);

-- For rows (node_id, node_parent_id, sort_key): the next one of the same parent. Columns:
-- node_id, next_node_id.
CREATE PERFETTO MACRO graph_next_sibling(graph_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    node_id,
    lead(node_id) OVER (PARTITION BY node_parent_id ORDER BY sort_key) AS next_node_id
  FROM $graph_table
);

-- From each root (root_node_id, root_target_weight) along the edges (source_node_id,
-- dest_node_id, edge_weight), depth first, until the weights taken exceed the target; the node
-- that exceeds it belongs to the result if the target is a floor. Columns: root_node_id, node_id,
-- parent_node_id.
CREATE PERFETTO MACRO graph_reachable_weight_bounded_dfs(
  graph_table TableOrSubquery, root_table TableOrSubquery, is_target_weight_floor Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    _grw_edges AS MATERIALIZED (SELECT * FROM $graph_table),
    _grw_roots AS MATERIALIZED (SELECT * FROM $root_table)
  SELECT d.root_node_id, d.node_id, d.parent_node_id
  FROM __intrinsic_dfs_weight_bounded(
    (SELECT __intrinsic_array_agg(source_node_id) FROM _grw_edges),
    (SELECT __intrinsic_array_agg(dest_node_id) FROM _grw_edges),
    (SELECT __intrinsic_array_agg(edge_weight) FROM _grw_edges),
    (SELECT __intrinsic_array_agg(root_node_id) FROM _grw_roots),
    (SELECT __intrinsic_array_agg(root_target_weight) FROM _grw_roots),
    $is_target_weight_floor
  ) AS d
);
