-- Intervals with rows for what lies between them.

CREATE PERFETTO MACRO _ifg_column(column ColumnName)
RETURNS _ProjectionFragment AS
$column;

CREATE PERFETTO MACRO _ifg_null(column ColumnName)
RETURNS _ProjectionFragment AS
NULL;

-- For each combination of the group columns: the intervals, and the time of the trace between
-- them, where the value columns are NULL. A group of nothing but NULL intervals, and an empty
-- table, give one row for the whole trace; (NULL) stands for no groups. Ordered by ts.
CREATE PERFETTO MACRO _intervals_fill_gaps(
  -- What tells the groups apart.
  group_columns ColumnNameList,
  -- What the intervals carry.
  value_columns ColumnNameList,
  -- Intervals: ts, dur and these columns.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    _ifg_all AS MATERIALIZED (SELECT * FROM $intervals),
    _ifg_seen AS MATERIALIZED (
      SELECT
        *,
        lag(ts + dur, 1, trace_start()) OVER (
          PARTITION BY __intrinsic_token_apply!(_ifg_column, $group_columns) ORDER BY ts
        ) AS _ifg_before,
        lead(ts) OVER (
          PARTITION BY __intrinsic_token_apply!(_ifg_column, $group_columns) ORDER BY ts
        ) IS NULL AS _ifg_last
      FROM _ifg_all
      WHERE ts IS NOT NULL AND dur IS NOT NULL
    ),
    _ifg_filled AS (
      SELECT ts, dur,
        __intrinsic_token_apply!(_ifg_column, $group_columns)
        __intrinsic_token_apply_prefix!(_ifg_column, $value_columns)
      FROM _ifg_seen
      UNION ALL
      SELECT _ifg_before, ts - _ifg_before,
        __intrinsic_token_apply!(_ifg_column, $group_columns)
        __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
      FROM _ifg_seen
      UNION ALL
      SELECT ts + dur, trace_end() - ts - dur,
        __intrinsic_token_apply!(_ifg_column, $group_columns)
        __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
      FROM _ifg_seen WHERE _ifg_last
      UNION ALL
      SELECT trace_start(), trace_dur(),
        __intrinsic_token_apply!(_ifg_column, $group_columns)
        __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
      FROM _ifg_all
      GROUP BY __intrinsic_token_apply!(_ifg_column, $group_columns)
      HAVING max(ts + dur) IS NULL
      UNION ALL
      SELECT trace_start(), trace_dur(),
        __intrinsic_token_apply!(_ifg_null, $group_columns)
        __intrinsic_token_apply_prefix!(_ifg_null, $value_columns)
      WHERE NOT EXISTS (SELECT 1 FROM _ifg_all)
    )
  SELECT * FROM _ifg_filled WHERE dur > 0 ORDER BY ts
);
