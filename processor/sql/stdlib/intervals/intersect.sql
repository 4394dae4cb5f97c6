-- What intervals of several tables have in common.

-- A column as an argument of the aggregate: its name, then its value.
CREATE PERFETTO MACRO _ii_df_agg(
  -- The column, for its name.
  x ColumnName,
  -- The same, for its value.
  y ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($x), input.$y;

CREATE PERFETTO MACRO _ii_bind(place Expr, column Expr)
RETURNS Expr AS
__intrinsic_table_ptr_bind($place, __intrinsic_stringify!($column));

CREATE PERFETTO MACRO _ii_as(place Expr, column Expr)
RETURNS _ProjectionFragment AS
$place AS $column;

-- Place and name of the id column that one more table adds. The casts let SQLite index what the
-- ids are joined with.
CREATE PERFETTO MACRO _ii_id(id Expr, tab Expr)
RETURNS _ProjectionFragment AS
$id;

CREATE PERFETTO MACRO _ii_id_bind(place Expr, tab Expr)
RETURNS Expr AS
$place;

-- A table (id, ts, dur and the columns of the list) as a set of intervals.
CREATE PERFETTO MACRO _interval_agg(tab TableOrSubquery, agg_columns ColumnNameList)
RETURNS TableOrSubquery AS
(
  SELECT
    __intrinsic_interval_tree_intervals_agg(
      input.id,
      input.ts,
      input.dur
      __intrinsic_token_apply_prefix!(_ii_df_agg, $agg_columns, $agg_columns)
    )
  FROM (SELECT * FROM $tab ORDER BY ts) AS input
);

-- For all tables (t1, t2, ...), each with id, ts, dur and the partition columns: the pieces of
-- time that lie in an interval of each, within partitions of equal values. Columns: ts, dur,
-- id_0, id_1, ... and the partition columns.
CREATE PERFETTO MACRO _interval_intersect(tabs _TableNameList, agg_columns ColumnNameList)
RETURNS TableOrSubquery AS
(
  SELECT
    c0 AS ts,
    c1 AS dur
    __intrinsic_token_apply_prefix!(
      _ii_id,
      (
        CAST(c2 AS INT) AS id_0, CAST(c3 AS INT) AS id_1, CAST(c4 AS INT) AS id_2,
        CAST(c5 AS INT) AS id_3, CAST(c6 AS INT) AS id_4, CAST(c7 AS INT) AS id_5,
        CAST(c8 AS INT) AS id_6,
        CAST(c9 AS INT) AS id_7, CAST(c10 AS INT) AS id_8, CAST(c11 AS INT) AS id_9,
        CAST(c12 AS INT) AS id_10, CAST(c13 AS INT) AS id_11, CAST(c14 AS INT) AS id_12,
        CAST(c15 AS INT) AS id_13, CAST(c16 AS INT) AS id_14
      ),
      $tabs
    )
    __intrinsic_token_apply_prefix!(_ii_as, (c17, c18, c19, c20), $agg_columns)
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_intersect(
      __intrinsic_token_apply!(
        _interval_agg,
        $tabs,
        (
          $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
          $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
          $agg_columns, $agg_columns, $agg_columns
        )
      ),
      __intrinsic_stringify!($agg_columns)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'ts')
    AND __intrinsic_table_ptr_bind(c1, 'dur')
    __intrinsic_token_apply_and_prefix!(
      _ii_id_bind,
      (
        __intrinsic_table_ptr_bind(c2, 'id_0'), __intrinsic_table_ptr_bind(c3, 'id_1'),
        __intrinsic_table_ptr_bind(c4, 'id_2'), __intrinsic_table_ptr_bind(c5, 'id_3'),
        __intrinsic_table_ptr_bind(c6, 'id_4'), __intrinsic_table_ptr_bind(c7, 'id_5'),
        __intrinsic_table_ptr_bind(c8, 'id_6'), __intrinsic_table_ptr_bind(c9, 'id_7'),
        __intrinsic_table_ptr_bind(c10, 'id_8'), __intrinsic_table_ptr_bind(c11, 'id_9'),
        __intrinsic_table_ptr_bind(c12, 'id_10'), __intrinsic_table_ptr_bind(c13, 'id_11'),
        __intrinsic_table_ptr_bind(c14, 'id_12'), __intrinsic_table_ptr_bind(c15, 'id_13'),
        __intrinsic_table_ptr_bind(c16, 'id_14')
      ),
      $tabs
    )
    __intrinsic_token_apply_and_prefix!(_ii_bind, (c17, c18, c19, c20), $agg_columns)
);

-- The same for two tables whose columns have other names.
CREATE PERFETTO MACRO _interval_intersect_with_col_names(
  a TableOrSubquery, a_id ColumnName, a_ts ColumnName, a_dur ColumnName,
  b TableOrSubquery, b_id ColumnName, b_ts ColumnName, b_dur ColumnName,
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery AS
_interval_intersect!(
  (
    (SELECT $a_id AS id, $a_ts AS ts, $a_dur AS dur
       __intrinsic_token_apply_prefix!(_ii_as, $agg_columns, $agg_columns) FROM $a),
    (SELECT $b_id AS id, $b_ts AS ts, $b_dur AS dur
       __intrinsic_token_apply_prefix!(_ii_as, $agg_columns, $agg_columns) FROM $b)
  ),
  $agg_columns
);

-- The intervals of a table, cut to [ts, ts + dur). Columns: id, ts, dur.
CREATE PERFETTO MACRO _interval_intersect_single(
  ts Expr, dur Expr, intervals_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    _iis.id,
    max(_iis.ts, $ts) AS ts,
    min(_iis.ts + _iis.dur, $ts + $dur) - max(_iis.ts, $ts) AS dur
  FROM $intervals_table AS _iis
  WHERE _iis.ts < $ts + __intrinsic_closed_dur($dur)
    AND (_iis.ts + _iis.dur > $ts OR (_iis.dur = 0 AND _iis.ts >= $ts))
);

-- Cuts time at all starts and ends of the intervals (id, ts, dur). One row for each interval that
-- is active in a piece (group_id), and one for each that ends where the piece begins, with
-- interval_ends_at_ts set. Columns: ts, dur, group_id, id, interval_ends_at_ts.
CREATE PERFETTO MACRO interval_self_intersect(intervals TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _isi_input AS MATERIALIZED (SELECT id, ts, dur FROM $intervals WHERE dur IS NOT NULL),
    _isi_cuts AS (
      SELECT ts FROM _isi_input UNION SELECT ts + dur FROM _isi_input
    ),
    _isi_pieces AS MATERIALIZED (
      SELECT
        row_number() OVER (ORDER BY ts) AS id,
        ts,
        lead(ts, 1, ts) OVER (ORDER BY ts) - ts AS dur
      FROM _isi_cuts
    ),
    _isi_active AS (
      SELECT ts, dur, id_0 AS group_id, id_1 AS id, 0 AS interval_ends_at_ts
      FROM _interval_intersect!(
        (
          (SELECT id, ts, dur FROM _isi_pieces WHERE dur > 0),
          (SELECT id, ts, dur FROM _isi_input WHERE dur != 0)
        ),
        ()
      )
    ),
    _isi_ended AS (
      SELECT p.ts, p.dur, p.id AS group_id, i.id, 1 AS interval_ends_at_ts
      FROM _isi_input AS i JOIN _isi_pieces AS p ON p.ts = i.ts + i.dur
    )
  SELECT ts, dur, group_id, id, interval_ends_at_ts
  FROM (SELECT * FROM _isi_active UNION ALL SELECT * FROM _isi_ended)
  ORDER BY ts, interval_ends_at_ts, id
);
