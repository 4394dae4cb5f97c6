INCLUDE PERFETTO MODULE orma.irqs;
INCLUDE PERFETTO MODULE orma.machines;
SELECT kind, name, cpu, count(*) AS times, sum(dur) AS total_ns,
  100.0 * sum(dur) / ($to - $from) AS share_pct,
  CAST(avg(dur) AS INT) AS mean_ns, max(dur) AS max_ns, ts AS at_ts,
  orma_machine_label(machine_id) AS machine
FROM orma_interrupt WHERE ts >= $from AND ts < $end
GROUP BY kind, name, cpu, machine_id ORDER BY total_ns DESC LIMIT $top
