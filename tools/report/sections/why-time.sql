SELECT kind AS it, sum(dur) AS time_ns,
  100.0 * sum(dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct, count(*) AS times,
  CAST(avg(dur) AS INT) AS mean_ns, max(dur) AS longest_ns, ts AS at_ts
FROM orma_why_reason GROUP BY kind ORDER BY time_ns DESC
