-- Intervals from moments at which something starts and moments at which it ends.

-- Each row of `starts` (ts) with the first row of `ends` (ts) that is later; starts without an
-- end are left out. Columns: ts, dur.
CREATE PERFETTO MACRO _interval_create(starts TableOrSubquery, ends TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT c0 AS ts, c1 AS dur
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_create(
      (SELECT __intrinsic_timestamp_set_agg(a.ts) FROM $starts AS a),
      (SELECT __intrinsic_timestamp_set_agg(b.ts) FROM $ends AS b)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
);
