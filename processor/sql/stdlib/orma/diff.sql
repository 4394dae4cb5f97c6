-- What a comparison of two traces needs of each.

-- For items (name, ts, dur): a row for each name, with its number, sum, median and p99; and of the
-- tenths of the trace in which it is: how many, and the sums (s) and sums of squares (q) of their
-- totals (0), means (1) and medians (2).
CREATE PERFETTO MACRO _orma_diff_sums(items TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _od_block AS (
      SELECT
        name, count(*) AS n, sum(dur) AS total, avg(dur) AS mean, percentile(dur, 50) AS median,
        min(9, CAST((ts - trace_start()) * 10.0 / (trace_end() - trace_start()) AS INT)) AS nr
      FROM $items
      GROUP BY name, nr
    ),
    _od_spread AS (
      SELECT
        name, count(*) AS blocks, total(total) AS s0, total(1.0 * total * total) AS q0,
        total(mean) AS s1, total(mean * mean) AS q1, total(median) AS s2,
        total(median * median) AS q2
      FROM _od_block
      GROUP BY name
    )
  SELECT
    k.name, count(*) AS n, total(k.dur) AS total, percentile(k.dur, 50) AS median,
    percentile(k.dur, 99) AS p99, blocks, s0, q0, s1, q1, s2, q2
  FROM $items AS k JOIN _od_spread AS s ON s.name = k.name
  GROUP BY k.name
);
