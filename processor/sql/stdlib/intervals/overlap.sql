-- Intervals that lie on top of one another: how many, merged, and as a flat sequence.

INCLUDE PERFETTO MODULE intervals.intersect;

CREATE PERFETTO MACRO _io_column(column ColumnName)
RETURNS _ProjectionFragment AS
$column;

-- How many segments are active, wherever that may change. Columns: ts, value. A segment of
-- duration -1 never ends.
CREATE PERFETTO MACRO intervals_overlap_count(
  segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _ioc_steps AS (
      SELECT $ts_column AS ts, 1 AS step FROM $segments
      UNION ALL
      SELECT $ts_column + $dur_column, -1 FROM $segments WHERE $dur_column != -1
    ),
    _ioc_moments AS (SELECT ts, sum(step) AS step FROM _ioc_steps GROUP BY ts)
  SELECT ts, sum(step) OVER (ORDER BY ts) AS value
  FROM _ioc_moments
  ORDER BY ts
);

-- The same within groups. Columns: ts, value, group_name.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName, group_column ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _ioc_steps AS (
      SELECT $ts_column AS ts, 1 AS step, $group_column AS group_name FROM $segments
      UNION ALL
      SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column != -1
    ),
    _ioc_moments AS (
      SELECT ts, sum(step) AS step, group_name FROM _ioc_steps GROUP BY ts, group_name
    )
  SELECT ts, sum(step) OVER (PARTITION BY group_name ORDER BY ts) AS value, group_name
  FROM _ioc_moments
  ORDER BY ts, group_name
);

-- Intervals that overlap, or are at most epsilon apart, as one. Columns: ts, dur.
CREATE PERFETTO MACRO interval_merge_overlapping(intervals TableOrSubquery, epsilon Expr)
RETURNS TableOrSubquery AS
(
  WITH
    _imo_seen AS (
      SELECT
        ts,
        ts + dur AS ts_end,
        max(ts + dur) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM $intervals
    ),
    _imo_runs AS (
      SELECT
        ts,
        ts_end,
        sum(before IS NULL OR ts > before + ($epsilon))
          OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS run
      FROM _imo_seen
    )
  SELECT min(ts) AS ts, max(ts_end) - min(ts) AS dur
  FROM _imo_runs
  GROUP BY run
  ORDER BY ts
);

-- Intervals of equal partition columns that overlap or touch, as one. Columns: ts, dur and the
-- partition columns.
CREATE PERFETTO MACRO interval_merge_overlapping_partitioned(
  intervals TableOrSubquery, partition_columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  WITH
    _imo_seen AS (
      SELECT
        *,
        ts + dur AS _imo_end,
        max(ts + dur) OVER (
          PARTITION BY __intrinsic_token_apply!(_io_column, $partition_columns)
          ORDER BY ts
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS _imo_before
      FROM $intervals
    ),
    _imo_runs AS (
      SELECT
        *,
        sum(_imo_before IS NULL OR ts > _imo_before) OVER (
          PARTITION BY __intrinsic_token_apply!(_io_column, $partition_columns)
          ORDER BY ts
          ROWS UNBOUNDED PRECEDING
        ) AS _imo_run
      FROM _imo_seen
    )
  SELECT
    min(ts) AS ts,
    max(_imo_end) - min(ts) AS dur
    __intrinsic_token_apply_prefix!(_io_column, $partition_columns)
  FROM _imo_runs
  GROUP BY __intrinsic_token_apply!(_io_column, $partition_columns), _imo_run
);

-- One row: whether any two intervals of the table overlap. Column: has_overlaps.
CREATE PERFETTO MACRO _intervals_overlap_in_table(intervals TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT coalesce(max(ts < before), 0) AS has_overlaps
  FROM (
    SELECT
      ts,
      max(ts + dur) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM $intervals
  )
);

-- Roots (id, ts, dur) and what lies in them (root_id, id, parent_id, ts, dur) in one table.
CREATE PERFETTO MACRO _intervals_merge_root_and_children(
  roots_table TableOrSubquery, children_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT id AS root_id, id, NULL AS parent_id, ts, dur FROM $roots_table
  UNION ALL
  SELECT root_id, id, parent_id, ts, dur FROM $children_table
);

-- The same where children belong to the roots that they meet in time and whose key is theirs;
-- roots without any are left out.
CREATE PERFETTO MACRO _intervals_merge_root_and_children_by_intersection(
  roots_table TableOrSubquery, children_table TableOrSubquery, key ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _imr_roots AS MATERIALIZED (
      SELECT CAST(row_number() OVER () AS INT) AS no, id, ts, dur, $key FROM $roots_table
    ),
    _imr_children AS MATERIALIZED (
      SELECT CAST(row_number() OVER () AS INT) AS no, id, parent_id, ts, dur, $key FROM $children_table
    ),
    _imr_met AS MATERIALIZED (
      SELECT
        ii.ts, ii.dur, r.no AS root_no, r.id AS root_id, c.id, c.ts AS child_ts, ii.$key AS $key,
        -- What lies directly in the root, whatever its parent was.
        coalesce(c.parent_id, r.id) AS parent_id
      FROM _interval_intersect!(
        (
          (SELECT no AS id, ts, dur, $key FROM _imr_roots),
          (SELECT no AS id, ts, dur, $key FROM _imr_children)
        ),
        ($key)
      ) AS ii
      JOIN _imr_roots AS r ON r.no = ii.id_0
      JOIN _imr_children AS c ON c.no = ii.id_1
    )
  SELECT root_id, id, parent_id, ts, dur, $key FROM _imr_met
  UNION ALL
  SELECT id AS root_id, id, NULL AS parent_id, ts, dur, $key
  FROM _imr_roots WHERE no IN (SELECT root_no FROM _imr_met)
);

-- At each moment of a root (root_id, id, parent_id, ts, dur) the innermost interval. Columns:
-- ts, dur, id, root_id.
CREATE PERFETTO MACRO _intervals_flatten(children_with_roots_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _ifl_input AS (
      SELECT root_id, id, parent_id, ts, ts + dur AS ts_end
      FROM $children_with_roots_table
      WHERE dur > 0
    ),
    -- From a start on it is the interval itself, from an end on its parent. At the same moment
    -- ends come first, inner ones before outer ones; then starts, outer ones first.
    _ifl_events AS (
      SELECT root_id, ts, id, 1 AS starts, -ts_end AS nesting, id AS tie FROM _ifl_input
      UNION ALL
      SELECT root_id, ts_end, parent_id, 0, -ts, -id FROM _ifl_input
    ),
    _ifl_pieces AS (
      SELECT
        ts,
        lead(ts) OVER (PARTITION BY root_id ORDER BY ts, starts, nesting, tie) - ts AS dur,
        id,
        root_id
      FROM _ifl_events
    )
  SELECT ts, dur, id, root_id FROM _ifl_pieces WHERE dur > 0 AND id IS NOT NULL
);
