-- Counter samples as intervals.

-- For samples (id, ts, track_id, value): how long each holds, the value after it and the change
-- since the one before it, on its track. Of a run of equal values the first and the last row
-- stay. Columns: id, ts, dur, track_id, value, next_value, delta_value.
CREATE PERFETTO MACRO counter_leading_intervals(counter_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    CAST(c0 AS INT) AS id, c1 AS ts, c2 AS dur, CAST(c3 AS INT) AS track_id, c4 AS value,
    c5 AS next_value, c6 AS delta_value
  FROM __intrinsic_table_ptr(
    __intrinsic_counter_intervals(
      'leading',
      trace_end(),
      (
        SELECT __intrinsic_counter_per_track_agg(samples.id, samples.ts, samples.track_id, samples.value)
        FROM (SELECT * FROM $counter_table ORDER BY ts) AS samples
      )
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'id')
    AND __intrinsic_table_ptr_bind(c1, 'ts')
    AND __intrinsic_table_ptr_bind(c2, 'dur')
    AND __intrinsic_table_ptr_bind(c3, 'track_id')
    AND __intrinsic_table_ptr_bind(c4, 'value')
    AND __intrinsic_table_ptr_bind(c5, 'next_value')
    AND __intrinsic_table_ptr_bind(c6, 'delta_value')
);
