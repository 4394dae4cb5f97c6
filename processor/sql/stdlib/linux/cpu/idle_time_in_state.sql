-- Idle residency as the kernel sums it up, as shares of the time between two readings.

-- time_slice and total_residency are in us.
CREATE PERFETTO TABLE _linux_per_cpu_residency AS
SELECT
  c.ts,
  t.machine_id,
  extract_arg(t.dimension_arg_set_id, 'state') AS state,
  extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu,
  c.value - lag(c.value) OVER readings AS total_residency,
  (c.ts - lag(c.ts) OVER readings) / 1000 AS time_slice
FROM counter AS c JOIN track AS t ON c.track_id = t.id
WHERE t.type = 'cpu_idle_state'
WINDOW readings AS (PARTITION BY c.track_id ORDER BY c.ts);

-- C0 is what is left: the time in no idle state.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  ts TIMESTAMP, machine_id JOINID(machine.id), state STRING, cpu LONG, idle_percentage DOUBLE,
  total_residency DOUBLE, time_slice LONG
) AS
SELECT
  ts, machine_id, state, cpu,
  min(100.0, total_residency / time_slice * 100) AS idle_percentage,
  total_residency,
  time_slice
FROM _linux_per_cpu_residency
WHERE time_slice > 0
UNION ALL
SELECT
  ts, machine_id, 'C0' AS state, cpu,
  max(0.0, (time_slice - idle) / time_slice * 100) AS idle_percentage,
  time_slice - idle AS total_residency,
  time_slice
FROM (
  SELECT ts, machine_id, cpu, time_slice, sum(total_residency) AS idle
  FROM _linux_per_cpu_residency
  WHERE time_slice > 0
  GROUP BY cpu, machine_id, ts
  ORDER BY ts, cpu
);
