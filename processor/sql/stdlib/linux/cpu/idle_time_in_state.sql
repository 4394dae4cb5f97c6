-- Idle residency as the kernel sums it up, as shares of the time between two readings.

-- total_residency and time_slice are in us.
CREATE PERFETTO TABLE _linux_per_cpu_residency AS
WITH
  readings AS (
    SELECT
      c.ts,
      t.machine_id,
      extract_arg(t.dimension_arg_set_id, 'state') AS state,
      extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu,
      c.value - lag(c.value) OVER before AS total_residency,
      (c.ts - lag(c.ts) OVER before) / 1000 AS time_slice
    FROM counter AS c JOIN track AS t ON c.track_id = t.id
    WHERE t.type = 'cpu_idle_state'
    WINDOW before AS (PARTITION BY c.track_id ORDER BY c.ts)
  )
SELECT * FROM readings WHERE time_slice IS NOT NULL;

-- How long each cpu was in each idle state, from one reading to the next. C0 is what is left: the
-- time in no idle state.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  -- When the later reading was made.
  ts TIMESTAMP,
  -- The machine of the cpu.
  machine_id JOINID(machine.id),
  -- The idle state, as the kernel calls it; C0 is none of them.
  state STRING,
  -- The cpu.
  cpu LONG,
  -- The share of the time slice in that state, in percent.
  idle_percentage DOUBLE,
  -- The time in that state, in us.
  total_residency DOUBLE,
  -- The time between the readings, in us.
  time_slice LONG
) AS
WITH
  idle AS (
    SELECT
      ts, machine_id, cpu, time_slice,
      max(0.0, time_slice - sum(total_residency)) AS total_residency
    FROM _linux_per_cpu_residency
    GROUP BY ts, cpu, machine_id
  )
SELECT
  ts, machine_id, state, cpu,
  min(100.0, total_residency * 100.0 / time_slice) AS idle_percentage,
  total_residency,
  time_slice
FROM _linux_per_cpu_residency
UNION ALL
SELECT
  ts, machine_id, 'C0' AS state, cpu,
  min(100.0, total_residency * 100.0 / time_slice) AS idle_percentage,
  total_residency,
  time_slice
FROM idle;

-- The same for all cpus of a machine together.
CREATE PERFETTO TABLE linux_cpu_idle_time_in_state_counters(
  -- When the later reading was made.
  ts TIMESTAMP,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The idle state, as the kernel calls it; C0 is none of them.
  state STRING,
  -- The share of all time slices in that state, in percent.
  idle_percentage DOUBLE,
  -- The time in that state, in us, added up.
  total_residency DOUBLE,
  -- The time between the readings, in us, added up.
  time_slice LONG
) AS
SELECT
  ts, machine_id, state,
  min(100.0, sum(total_residency) * 100.0 / sum(time_slice)) AS idle_percentage,
  sum(total_residency) AS total_residency,
  sum(time_slice) AS time_slice
FROM linux_per_cpu_idle_time_in_state_counters
GROUP BY ts, state, machine_id;
