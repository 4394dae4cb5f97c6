-- What a comparison of two traces needs of each.

-- For items (name, ts, dur, self_dur), between two times that are cut into ten blocks: a row for each
-- name (nr is NULL) and for each block of it (nr: 0 to 9).
CREATE PERFETTO MACRO _orma_diff_blocks(items TableOrSubquery, begin Expr, finish Expr)
RETURNS TableOrSubquery AS
(
  SELECT
    name, NULL AS nr, count(*) AS n, sum(dur) AS total, percentile(dur, 50) AS median,
    percentile(dur, 99) AS p99, NULL AS self_total, NULL AS self_median
  FROM $items
  GROUP BY name
  UNION ALL
  SELECT
    name,
    max(0, min(9, CAST((ts - $begin) * 10.0 / max(1, $finish - $begin) AS INT))) AS nr,
    count(*) AS n, sum(dur) AS total, percentile(dur, 50) AS median, NULL AS p99,
    sum(self_dur) AS self_total, percentile(self_dur, 50) AS self_median
  FROM $items
  GROUP BY name, nr
);

-- The same for items that are runs of programs: of which there may be few, and which a block of time says
-- nothing of. They are dealt out to ten blocks in their order. Columns of $items: name, ts, dur, unknown_dur.
CREATE PERFETTO MACRO _orma_diff_runs(items TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    name, NULL AS nr, count(*) AS n, sum(dur) AS total, percentile(dur, 50) AS median,
    percentile(dur, 99) AS p99, sum(unknown_dur) AS unknown
  FROM $items
  GROUP BY name
  UNION ALL
  SELECT
    name, nr, count(*) AS n, sum(dur) AS total, percentile(dur, 50) AS median, NULL AS p99,
    NULL AS unknown
  FROM (
    SELECT *, (row_number() OVER (PARTITION BY name ORDER BY ts) - 1) % 10 AS nr FROM $items
  )
  GROUP BY name, nr
);
