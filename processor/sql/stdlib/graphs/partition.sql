-- A tree regrouped by a key.

-- For a tree (id, parent_id, group_key): the same nodes under the nearest ancestor of their
-- group, so that each group is a forest of its own. Columns: id, parent_id, group_key.
CREATE PERFETTO MACRO tree_structural_partition_by_group(tree_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT CAST(c0 AS INT) AS id, CAST(c1 AS INT) AS parent_id, CAST(c2 AS INT) AS group_key
  FROM __intrinsic_table_ptr(
    (
      SELECT __intrinsic_structural_tree_partition(t.id, t.parent_id, t.group_key)
      FROM $tree_table AS t
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
    AND __intrinsic_table_ptr_bind(c2, 'group_key')
);
