-- Intervals with rows for what lies between them.

CREATE PERFETTO MACRO _ifg_column(column ColumnName)
RETURNS _ProjectionFragment AS
$column;

CREATE PERFETTO MACRO _ifg_null(column ColumnName)
RETURNS _ProjectionFragment AS
NULL AS $column;

-- For each combination of the group columns: the intervals, and the time of the trace between
-- them, where the value columns are NULL. An empty table gives one row for the whole trace.
CREATE PERFETTO MACRO _intervals_fill_gaps(
  group_columns ColumnNameList, value_columns ColumnNameList, intervals TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    _ifg_seen AS MATERIALIZED (
      SELECT
        *,
        lag(ts + dur, 1, trace_start()) OVER (
          PARTITION BY __intrinsic_token_apply!(_ifg_column, $group_columns) ORDER BY ts
        ) AS _ifg_before,
        lead(ts) OVER (
          PARTITION BY __intrinsic_token_apply!(_ifg_column, $group_columns) ORDER BY ts
        ) IS NULL AS _ifg_last
      FROM $intervals
    )
  SELECT ts, dur,
    __intrinsic_token_apply!(_ifg_column, $group_columns)
    __intrinsic_token_apply_prefix!(_ifg_column, $value_columns)
  FROM _ifg_seen
  UNION ALL
  SELECT _ifg_before, ts - _ifg_before,
    __intrinsic_token_apply!(_ifg_column, $group_columns)
    __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
  FROM _ifg_seen WHERE ts > _ifg_before
  UNION ALL
  SELECT ts + dur, trace_end() - ts - dur,
    __intrinsic_token_apply!(_ifg_column, $group_columns)
    __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
  FROM _ifg_seen WHERE _ifg_last AND ts + dur < trace_end()
  UNION ALL
  SELECT trace_start(), trace_dur(),
    __intrinsic_token_apply!(_ifg_null, $group_columns)
    __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
  WHERE NOT EXISTS (SELECT 1 FROM _ifg_seen)
);
