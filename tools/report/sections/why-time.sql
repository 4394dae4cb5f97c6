SELECT
  CASE kind
    WHEN 'slept in' THEN 'slept'
    WHEN 'waiting in' THEN 'blocked'
    WHEN 'blocked on' THEN 'blocked on others'
    WHEN 'CPU taken' THEN 'waited for a CPU'
    ELSE kind
  END || iif(inferred, ', inferred', '') AS state,
  sum(dur) AS time_ns,
  100.0 * sum(dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct, count(*) AS times,
  CAST(avg(dur) AS INT) AS mean_ns, max(dur) AS longest_ns, ts AS at_ts,
  kind AS _kind, inferred AS _inferred
FROM orma_why_reason GROUP BY kind, inferred ORDER BY time_ns DESC
