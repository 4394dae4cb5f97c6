-- When cpus were taken out, and when the machine was suspended.

INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- Times in which a cpu was out.
CREATE PERFETTO TABLE _cpu_hotplug_offline AS
SELECT s.ts, s.dur, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu, 1 AS offline
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_hotplug' AND s.name = 'offline' AND s.dur > 0
ORDER BY s.ts;

-- The whole trace for each cpu of a known device: out or not.
CREATE PERFETTO TABLE _gapless_hotplug_slices AS
WITH
  edges AS (
    SELECT trace_start() AS ts, cpu, 0 AS offline FROM _dev_cpu_policy_map
    UNION ALL
    SELECT ts, cpu, 1 FROM _cpu_hotplug_offline
    UNION ALL
    SELECT ts + dur, cpu, 0 FROM _cpu_hotplug_offline
  ),
  spans AS (
    SELECT
      ts, lead(ts, 1, trace_end()) OVER (PARTITION BY cpu ORDER BY ts, offline) - ts AS dur, cpu,
      offline
    FROM edges
    WHERE cpu IN (SELECT cpu FROM _dev_cpu_policy_map)
  )
SELECT ts, dur, cpu, offline FROM spans WHERE dur > 0 ORDER BY ts, cpu;

-- The whole trace: suspended or not.
CREATE PERFETTO TABLE _gapless_suspend_slices AS
SELECT ts, dur, power_state = 'suspended' AS suspended
FROM android_suspend_state
ORDER BY ts;
