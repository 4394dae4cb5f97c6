INCLUDE PERFETTO MODULE orma.machines;
WITH freqs AS (
  SELECT t.cpu, t.machine_id, min(c.value) / 1e3 AS min_mhz, max(c.value) / 1e3 AS max_mhz
  FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id
  WHERE t.type = 'cpu_frequency' AND c.ts >= $from AND c.ts < $end
  GROUP BY t.cpu, t.machine_id
)
SELECT c.cpu, sum(p.dur) AS ran_ns, 100.0 * sum(p.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct,
  count(*) AS times, max(p.dur) AS longest_ns, p.ts AS at_ts, min_mhz, max_mhz,
  orma_machine_label(c.machine_id) AS machine
FROM orma_why_piece AS p
JOIN cpu AS c ON c.ucpu = p.ucpu
LEFT JOIN freqs AS f ON f.cpu = c.cpu AND f.machine_id IS c.machine_id
WHERE p.utid = p.root_utid AND p.state = 'ran'
GROUP BY c.ucpu ORDER BY c.ucpu
