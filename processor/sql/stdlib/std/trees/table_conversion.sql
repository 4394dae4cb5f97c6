-- Tables as trees, and back.

CREATE PERFETTO MACRO _tree_column_pair(column ColumnName, same ColumnName)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column), tree_rows.$same;

CREATE PERFETTO MACRO _tree_column_as(place Expr, column ColumnName)
RETURNS _ProjectionFragment AS
$place AS $column;

CREATE PERFETTO MACRO _tree_column_bind(place Expr, column ColumnName)
RETURNS Expr AS
__intrinsic_table_ptr_bind($place, __intrinsic_stringify!($column));

-- A tree of the rows (id, parent_id and the columns of the list).
CREATE PERFETTO MACRO _tree_from_table(source_table TableOrSubquery, columns ColumnNameList)
RETURNS Expr AS
(
  SELECT __intrinsic_tree_from_table(
    'id', tree_rows.id, 'parent_id', tree_rows.parent_id
    __intrinsic_token_apply_prefix!(_tree_column_pair, $columns, $columns)
  )
  FROM $source_table AS tree_rows
);

-- The nodes of a tree. Columns: _tree_id and _tree_parent_id (dense numbers), id, parent_id and
-- those of the list.
CREATE PERFETTO MACRO _tree_to_table(tree Expr, columns ColumnNameList)
RETURNS TableOrSubquery AS
(
  SELECT CAST(c0 AS INT) AS _tree_id, CAST(c1 AS INT) AS _tree_parent_id, CAST(c2 AS INT) AS id,
    CAST(c3 AS INT) AS parent_id
    __intrinsic_token_apply_prefix!(
      _tree_column_as, (c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15), $columns
    )
  FROM __intrinsic_table_ptr(__intrinsic_tree_to_table($tree))
  WHERE __intrinsic_table_ptr_bind(c0, '_tree_id')
    AND __intrinsic_table_ptr_bind(c1, '_tree_parent_id')
    AND __intrinsic_table_ptr_bind(c2, 'id')
    AND __intrinsic_table_ptr_bind(c3, 'parent_id')
    __intrinsic_token_apply_and_prefix!(
      _tree_column_bind, (c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15), $columns
    )
);
