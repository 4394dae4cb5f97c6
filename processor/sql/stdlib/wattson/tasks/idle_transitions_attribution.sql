-- What it costs that cpus wake up, by the thread they wake up for.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.tasks.attribution;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;
INCLUDE PERFETTO MODULE wattson.utils;

-- From the end of idle to the first thread that runs: that thread answers for it.
CREATE PERFETTO TABLE _idle_w_tasks AS
SELECT e.ts, c.boundary_ts - e.ts AS dur, e.cpu, t.utid, t.upid, t.uid
FROM _task_causing_idle_exit AS c
JOIN _idle_exits AS e ON e._auto_id = c.idle_group
JOIN _active_state_w_tasks AS t ON t.idle_group = c.idle_group AND t.ts = c.boundary_ts
WHERE c.boundary_ts > e.ts
ORDER BY e.cpu, e.ts;

-- The power in these times.
CREATE PERFETTO TABLE _idle_transition_cost AS
SELECT ii.ts, ii.dur, i.cpu, i.utid, i.upid, i.uid, e.estimated_mw
FROM _interval_intersect!(
  (_ii_subquery!(_unioned_wattson_estimates_mw), _ii_subquery!(_idle_w_tasks)), (cpu)
) AS ii
JOIN _unioned_wattson_estimates_mw AS e ON e._auto_id = ii.id_0
JOIN _idle_w_tasks AS i ON i._auto_id = ii.id_1
ORDER BY ii.ts;

-- The energy of these times in one time.
CREATE PERFETTO FUNCTION _filter_idle_attribution(
  -- Start of the time.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- Energy in mWs.
  idle_cost_mws DOUBLE,
  -- The thread.
  utid JOINID(thread.id),
  -- Its process.
  upid JOINID(process.id),
  -- Its user.
  uid LONG,
  -- The cpu.
  cpu JOINID(cpu.id)
) AS
SELECT
  sum(c.estimated_mw * (min(c.ts + c.dur, $ts + $dur) - max(c.ts, $ts))) / 1e9 AS idle_cost_mws,
  c.utid, c.upid, c.uid, c.cpu
FROM _idle_transition_cost AS c
WHERE c.ts < $ts + $dur AND c.ts + c.dur > $ts
GROUP BY c.utid, c.upid, c.uid, c.cpu;
