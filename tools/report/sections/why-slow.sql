WITH
  limits AS (SELECT percentile(dur, 90) AS slow FROM orma_why_interval),
  sides AS (
    SELECT id, dur >= (SELECT slow FROM limits) AS slow FROM orma_why_interval
  ),
  counts AS (SELECT total(slow) AS slow, total(NOT slow) AS fast FROM sides),
  sums AS (
    SELECT kind, who, total(iif(slow, dur, 0)) AS slow, total(iif(slow, 0, dur)) AS fast
    FROM orma_why_reason AS r JOIN sides AS s ON s.id = r.interval_id
    GROUP BY kind, who
  )
SELECT _orma_why_cause(kind, who) AS cause,
  CAST(s.slow / c.slow AS INT) AS in_slow_ns,
  CAST(s.fast / c.fast AS INT) AS in_others_ns,
  CAST(s.slow / c.slow - s.fast / c.fast AS INT) AS more_ns,
  kind AS _kind, who AS _who
FROM sums AS s JOIN counts AS c
WHERE c.slow > 0 AND c.fast > 0 AND more_ns > 0
ORDER BY more_ns DESC LIMIT $top
