-- Intervals seen from afar: what each interval of time holds.

-- For intervals (id, ts, dur; dur -1 lasts until the end of the trace) and intervals of `bucket`
-- ns from `start` on: how many intervals touch each, how much of it they cover together (more
-- than all of it where they overlap), and the one that covers most. Columns: ts, dur, count,
-- total_dur, longest_id, longest_dur. Intervals that nothing touches have no row.
CREATE PERFETTO MACRO _intervals_mipmap(
  intervals TableOrSubquery, start Expr, bucket Expr
)
RETURNS TableOrSubquery AS
(
  WITH RECURSIVE
    _imm_input AS MATERIALIZED (
      SELECT id, max(ts, $start) AS ts, iif(dur = -1, trace_end(), ts + dur) AS ts_end
      FROM $intervals
      WHERE dur >= -1 AND iif(dur = -1, trace_end(), ts + dur) >= $start
    ),
    _imm_parts(id, bucket_no, ts, ts_end) AS (
      SELECT id, (ts - ($start)) / ($bucket), ts, ts_end FROM _imm_input
      UNION ALL
      SELECT id, bucket_no + 1, ($start) + (bucket_no + 1) * ($bucket), ts_end
      FROM _imm_parts
      WHERE ($start) + (bucket_no + 1) * ($bucket) < ts_end
    ),
    _imm_cut AS (
      SELECT id, bucket_no, min(ts_end, ($start) + (bucket_no + 1) * ($bucket)) - ts AS dur
      FROM _imm_parts
    )
  SELECT
    ($start) + bucket_no * ($bucket) AS ts,
    ($bucket) AS dur,
    count(*) AS count,
    sum(dur) AS total_dur,
    id AS longest_id,
    max(dur) AS longest_dur
  FROM _imm_cut
  GROUP BY bucket_no
);
