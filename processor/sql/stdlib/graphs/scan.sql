-- Values that are carried along the edges of a graph.

CREATE PERFETTO MACRO _graph_scan_pair(column ColumnName, same ColumnName)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column), first_rows.$same;

CREATE PERFETTO MACRO _graph_scan_as(place Expr, column ColumnName)
RETURNS _ProjectionFragment AS
$place AS $column;

CREATE PERFETTO MACRO _graph_scan_bind(place Expr, column ColumnName)
RETURNS Expr AS
__intrinsic_table_ptr_bind($place, __intrinsic_stringify!($column));

-- Begins with the rows of init_table (id and the columns of the list) and goes along the edges
-- (source_node_id, dest_node_id): for the nodes that come next, step_query reads $table, where
-- each row of a node before them stands under their id, and gives their rows. Columns: id and
-- those of the list.
CREATE PERFETTO MACRO _graph_scan(
  graph_table TableOrSubquery,
  init_table TableOrSubquery,
  scan_columns ColumnNameList,
  step_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    CAST(c0 AS INT) AS id
    __intrinsic_token_apply_prefix!(
      _graph_scan_as, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12), $scan_columns
    )
  FROM __intrinsic_table_ptr(
    __intrinsic_graph_scan(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (
        SELECT
          __intrinsic_row_dataframe_agg(
            'id', first_rows.id
            __intrinsic_token_apply_prefix!(_graph_scan_pair, $scan_columns, $scan_columns)
          )
        FROM $init_table AS first_rows
      ),
      __intrinsic_stringify_ignore_table!($step_query),
      __intrinsic_stringify!($scan_columns)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'id')
    __intrinsic_token_apply_and_prefix!(
      _graph_scan_bind, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12), $scan_columns
    )
);

-- The same where the query puts the rows of all nodes that lead to a node together: it sees all
-- of them at once.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  graph_table TableOrSubquery,
  init_table TableOrSubquery,
  agg_columns ColumnNameList,
  agg_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    CAST(c0 AS INT) AS id
    __intrinsic_token_apply_prefix!(
      _graph_scan_as, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12), $agg_columns
    )
  FROM __intrinsic_table_ptr(
    __intrinsic_graph_aggregating_scan(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (
        SELECT
          __intrinsic_row_dataframe_agg(
            'id', first_rows.id
            __intrinsic_token_apply_prefix!(_graph_scan_pair, $agg_columns, $agg_columns)
          )
        FROM $init_table AS first_rows
      ),
      __intrinsic_stringify_ignore_table!($agg_query),
      __intrinsic_stringify!($agg_columns)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'id')
    __intrinsic_token_apply_and_prefix!(
      _graph_scan_bind, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12), $agg_columns
    )
);
