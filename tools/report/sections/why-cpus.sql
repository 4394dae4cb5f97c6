WITH freqs AS (
  SELECT t.cpu, min(c.value) / 1e3 AS min_mhz, max(c.value) / 1e3 AS max_mhz
  FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id
  WHERE t.type = 'cpu_frequency' AND c.ts >= $from AND c.ts < $end
  GROUP BY t.cpu
)
SELECT c.cpu, sum(p.dur) AS ran_ns, 100.0 * sum(p.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct,
  count(*) AS times, max(p.dur) AS longest_ns, p.ts AS at_ts, min_mhz, max_mhz
FROM orma_why_piece AS p
JOIN cpu AS c ON c.ucpu = p.ucpu
LEFT JOIN freqs AS f ON f.cpu = c.cpu
WHERE p.utid = p.root_utid AND p.state = 'ran'
GROUP BY c.ucpu ORDER BY c.ucpu
