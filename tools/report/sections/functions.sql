INCLUDE PERFETTO MODULE orma.samples;
WITH
  leaves AS (
    SELECT callsite_id, counted, sum(weight) AS weight FROM orma_stack_weight
    WHERE iif(ts IS NULL, $from = trace_start() AND $to = trace_end(), ts >= $from AND ts < $end)
      $owners
    GROUP BY callsite_id, counted
  ),
  sums AS (SELECT counted AS what, sum(weight) AS whole FROM leaves GROUP BY counted)
SELECT function, module, counted, CAST(self AS INT) AS self, 100.0 * self / whole AS self_pct,
  CAST(total AS INT) AS total, 100.0 * total / whole AS total_pct
FROM _orma_function_sums!(leaves) JOIN sums ON what = counted
WHERE whole > 0
ORDER BY self_pct DESC, total_pct DESC, function, module, counted LIMIT $top
