INCLUDE PERFETTO MODULE orma.samples;
WITH
  leaves AS (
    SELECT callsite_id AS leaf, counted, sum(weight) AS weight FROM orma_stack_weight
    WHERE iif(ts IS NULL, $from = trace_start() AND $to = trace_end(), ts >= $from AND ts < $end)
      $owners
    GROUP BY callsite_id, counted
  ),
  sums AS (SELECT counted AS what, sum(weight) AS whole FROM leaves GROUP BY counted),
  functions AS (
    SELECT function, module, counted, total(iif(is_leaf, weight, 0)) AS self, sum(weight) AS total
    FROM leaves JOIN _orma_stack_function USING (leaf) GROUP BY function, module, counted
  )
SELECT function, nullif(module, '') AS module, counted, CAST(self AS INT) AS self, 100.0 * self / whole AS self_pct,
  CAST(total AS INT) AS total, 100.0 * total / whole AS total_pct
FROM functions JOIN sums ON what = counted
WHERE whole > 0
ORDER BY self_pct DESC, total_pct DESC, function, module LIMIT $top
