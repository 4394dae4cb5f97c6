-- Power of cpus and of the graphics processor by thread.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;
INCLUDE PERFETTO MODULE wattson.ui.continuous_estimates;
INCLUDE PERFETTO MODULE wattson.utils;

-- The cpus of a known device.
CREATE PERFETTO TABLE _wattson_cpus AS
SELECT cpu FROM _dev_cpu_policy_map ORDER BY cpu;

-- Power of each cpu of the device, and of what they share (cpu -1), from one change to the next.
CREATE PERFETTO TABLE _unioned_wattson_estimates_mw AS
SELECT ts, dur, cpu, estimated_mw
FROM (
  SELECT ts, dur, 0 AS cpu, cpu0_mw AS estimated_mw FROM _system_state_cpu0_mw
  UNION ALL
  SELECT ts, dur, 1, cpu1_mw FROM _system_state_cpu1_mw
  UNION ALL
  SELECT ts, dur, 2, cpu2_mw FROM _system_state_cpu2_mw
  UNION ALL
  SELECT ts, dur, 3, cpu3_mw FROM _system_state_cpu3_mw
  UNION ALL
  SELECT ts, dur, 4, cpu4_mw FROM _system_state_cpu4_mw
  UNION ALL
  SELECT ts, dur, 5, cpu5_mw FROM _system_state_cpu5_mw
  UNION ALL
  SELECT ts, dur, 6, cpu6_mw FROM _system_state_cpu6_mw
  UNION ALL
  SELECT ts, dur, 7, cpu7_mw FROM _system_state_cpu7_mw
)
WHERE cpu IN (SELECT cpu FROM _wattson_cpus)
UNION ALL
SELECT ts, dur, -1, dsu_scu_mw FROM _system_state_dsu_scu_mw;

-- Power of each cpu while a thread ran on it.
CREATE PERFETTO TABLE _estimates_w_tasks_attribution AS
SELECT
  ii.ts, ii.dur, t.cpu, e.estimated_mw, t.thread_name, t.process_name, t.package_name, t.tid,
  t.pid, t.uid, t.utid, t.upid
FROM _interval_intersect!(
  (_ii_subquery!(_unioned_wattson_estimates_mw), _ii_subquery!(_wattson_task_slices)), (cpu)
) AS ii
JOIN _unioned_wattson_estimates_mw AS e ON e._auto_id = ii.id_0
JOIN _wattson_task_slices AS t ON t._auto_id = ii.id_1
ORDER BY ii.ts;

-- Times in which users kept the graphics processor busy, and how many did.
CREATE PERFETTO TABLE _gpu_tasks_attribution AS
SELECT
  max(t.ts, n.ts) AS ts, min(t.ts + t.dur, n.ts + n.dur) - max(t.ts, n.ts) AS dur, t.uid,
  t.gpu_id, n.active_tasks
FROM _gpu_tasks AS t
JOIN _gpu_active_task_count AS n ON n.ts < t.ts + t.dur AND n.ts + n.dur > t.ts
ORDER BY ts;

-- Power of the graphics processor by user: all that were at work share it.
CREATE PERFETTO TABLE _gpu_estimates_w_tasks_attribution AS
SELECT
  max(t.ts, g.ts) AS ts, min(t.ts + t.dur, g.ts + g.dur) - max(t.ts, g.ts) AS dur, t.uid,
  g.gpu_mw / nullif(t.active_tasks, 0) AS estimated_mw
FROM _gpu_tasks_attribution AS t
JOIN _gpu_estimates_mw AS g ON g.ts < t.ts + t.dur AND g.ts + g.dur > t.ts
ORDER BY ts;
