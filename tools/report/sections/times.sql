INCLUDE PERFETTO MODULE orma.machines;
WITH used AS (
  SELECT t.cpu, t.machine_id, substr(t.name, 11) AS kind, max(c.value) - min(c.value) AS ns
  FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id
  WHERE t.type = 'cpustat' AND c.ts >= $from AND c.ts <= $to
  GROUP BY t.id
)
SELECT cpu,
  100.0 * sum(iif(kind = 'user_ns', ns, 0)) / sum(ns) AS user_pct,
  100.0 * sum(iif(kind = 'user_nice_ns', ns, 0)) / sum(ns) AS nice_pct,
  100.0 * sum(iif(kind = 'system_mode_ns', ns, 0)) / sum(ns) AS system_pct,
  100.0 * sum(iif(kind = 'io_wait_ns', ns, 0)) / sum(ns) AS iowait_pct,
  100.0 * sum(iif(kind = 'irq_ns', ns, 0)) / sum(ns) AS irq_pct,
  100.0 * sum(iif(kind = 'softirq_ns', ns, 0)) / sum(ns) AS softirq_pct,
  100.0 * sum(iif(kind = 'steal_ns', ns, 0)) / sum(ns) AS steal_pct,
  100.0 * sum(iif(kind = 'idle_ns', ns, 0)) / sum(ns) AS idle_pct,
  orma_machine_label(machine_id) AS machine
FROM used GROUP BY machine_id, cpu HAVING sum(ns) > 0 ORDER BY machine_id, cpu
