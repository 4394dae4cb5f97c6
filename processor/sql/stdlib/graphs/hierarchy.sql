-- Ancestors and descendants in tables with id and parent_id.

INCLUDE PERFETTO MODULE graphs.search;

-- Each of the nodes (id) and all that stand above them in the tree (id, parent_id). Columns: id.
CREATE PERFETTO MACRO _tree_reachable_ancestors_or_self(
  tree_table TableOrSubquery, init_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT node_id AS id, parent_node_id
  FROM graph_reachable_bfs!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM $tree_table WHERE parent_id IS NOT NULL),
    (SELECT id AS node_id FROM $init_table)
  )
);
