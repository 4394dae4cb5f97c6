-- Idle states of cpus.

INCLUDE PERFETTO MODULE wattson.device_infos;

-- A track of idle states, if there is any.
CREATE PERFETTO VIEW _wattson_cpuidle_counters_exist AS
SELECT id FROM cpu_counter_track WHERE type = 'cpu_idle' LIMIT 1;

-- What the scheduler tells of the same: between two runs of the idle task a cpu is busy, and in them it
-- is idle, at state 1, as deeper ones are not known. What was before the first run and after the
-- last one is not known.
CREATE PERFETTO VIEW _idle_of_sched AS
WITH
  idle AS (
    SELECT s.ts, s.cpu, s.ucpu, lag(s.ts + s.dur) OVER (PARTITION BY s.ucpu ORDER BY s.ts) AS end_before
    FROM sched AS s JOIN thread AS t ON t.id = s.utid
    WHERE t.is_idle
  )
SELECT end_before AS ts, 4294967295 AS value, cpu, ucpu FROM idle WHERE end_before IS NOT NULL
UNION ALL
SELECT ts, 1, cpu, ucpu FROM idle WHERE end_before IS NOT NULL;

-- Changes of the idle state, with the change before; those of the scheduler if there are no others.
CREATE PERFETTO TABLE _unified_idle_state AS
WITH changes AS (
  SELECT c.ts, CAST(c.value AS INT) AS idle, t.cpu, c.track_id AS place
  FROM counter AS c JOIN cpu_counter_track AS t ON t.id = c.track_id
  WHERE t.type = 'cpu_idle'
  UNION ALL
  SELECT ts, value, cpu, ucpu FROM _idle_of_sched
  WHERE NOT EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist)
)
SELECT
  ts, lag(ts, 1, trace_start()) OVER one_place AS prev_ts, idle, lag(idle) OVER one_place AS idle_prev,
  cpu
FROM changes
WINDOW one_place AS (PARTITION BY place ORDER BY ts)
ORDER BY place, ts;

-- For cpus of a known device, when deep idle begins earlier than the kernel says.
CREATE PERFETTO VIEW _filtered_deep_idle_offsets AS
SELECT o.cpu, o.offset_ns
FROM _device_cpu_deep_idle_offsets AS o JOIN _wattson_device AS d ON d.name = o.device;

-- The whole trace for each cpu of a known device: its idle state as measured, -1 while it is not
-- idle; NULL where nothing is known.
CREATE PERFETTO TABLE _adjusted_deep_idle AS
WITH
  states AS (
    SELECT
      u.cpu,
      iif(
        u.idle_prev IS 4294967295 AND u.idle != 4294967295 AND u.idle >= (SELECT idle FROM _deepest_idle),
        min(u.ts, max(u.prev_ts, u.ts - o.offset_ns)), u.ts
      ) AS ts,
      ifnull(
        (SELECT m.override_idle FROM _idle_state_map_override AS m WHERE m.nominal_idle = u.idle),
        iif(u.idle = 4294967295, -1, u.idle)
      ) AS idle
    FROM _unified_idle_state AS u JOIN _filtered_deep_idle_offsets AS o USING (cpu)
    UNION ALL
    SELECT cpu, trace_start(), NULL FROM _filtered_deep_idle_offsets
  ),
  spans AS (
    SELECT
      ts,
      lead(ts, 1, trace_end()) OVER (PARTITION BY cpu ORDER BY ts, idle IS NOT NULL) - ts AS dur, cpu,
      idle
    FROM states
  )
SELECT ts, dur, cpu, idle FROM spans WHERE dur > 0 ORDER BY idle IS NOT NULL, cpu, ts;
