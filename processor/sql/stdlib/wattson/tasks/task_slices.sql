-- What runs on each cpu: threads, and the interrupts between them.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.utils;

-- What is left of spans (id, ts, dur) where cuts (id of the span, ts, dur) are taken out.
CREATE PERFETTO MACRO _without_cuts(spans TableOrSubquery, cuts TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT id, ts, dur
  FROM (
    SELECT
      id, edge AS ts, lead(edge) OVER (PARTITION BY id ORDER BY edge, is_start) - edge AS dur,
      is_start
    FROM (
      SELECT id, ts AS edge, 1 AS is_start FROM $spans
      UNION ALL
      SELECT id, ts + dur, 0 FROM $spans
      UNION ALL
      SELECT id, ts, 0 FROM $cuts
      UNION ALL
      SELECT id, ts + dur, 1 FROM $cuts
    )
  )
  WHERE is_start AND dur > 0
);

-- Interrupts of devices, without those inside of others.
CREATE PERFETTO VIEW _hard_irq_flattened_slices AS
SELECT s.ts, s.dur, s.name AS hard_irq_name, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_irq' AND s.depth = 0 AND s.dur > 0;

-- What interrupts left to be done.
CREATE PERFETTO VIEW _soft_irq_slices AS
SELECT s.ts, s.dur, s.name AS soft_irq_name, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_softirq' AND s.dur > 0;

CREATE PERFETTO TABLE _soft_irqs AS SELECT * FROM _soft_irq_slices ORDER BY ts;

CREATE PERFETTO TABLE _hard_irqs AS SELECT * FROM _hard_irq_flattened_slices ORDER BY ts;

-- Where one of the first kind cut one of the second: number of that, place of the cut.
CREATE PERFETTO TABLE _soft_irq_cuts AS
SELECT ii.id_0 AS id, ii.ts, ii.dur
FROM _interval_intersect!(
  (_ii_subquery!(_soft_irqs), _ii_subquery!(_hard_irqs)), (cpu)
) AS ii
ORDER BY ii.id_0, ii.ts;

-- Both; an interrupt of a device cuts what it interrupts.
CREATE PERFETTO VIEW _all_irqs_flattened_slices AS
SELECT ts, dur, cpu, irq_name, hash(irq_name) AS irq_id
FROM (
  SELECT ts, dur, cpu, hard_irq_name AS irq_name FROM _hard_irq_flattened_slices
  UNION ALL
  SELECT p.ts AS ts, p.dur AS dur, s.cpu, s.soft_irq_name
  FROM _without_cuts!(_ii_subquery!(_soft_irqs), _soft_irq_cuts) AS p
  JOIN _soft_irqs AS s ON s._auto_id = p.id
)
ORDER BY ts;

-- Threads on cpus, with all that is known of them.
CREATE PERFETTO TABLE _task_wo_irq_infos AS
SELECT
  s.ts, s.dur, s.cpu, t.utid, t.upid, t.tid, p.pid, p.uid, t.name AS thread_name,
  m.process_name, m.package_name
FROM sched AS s
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
LEFT JOIN android_process_metadata AS m USING (upid)
WHERE s.dur > 0
ORDER BY t.utid, s.ts;

CREATE PERFETTO TABLE _irqs AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS id, * FROM _all_irqs_flattened_slices ORDER BY ts;

CREATE PERFETTO TABLE _task_cuts AS
SELECT ii.id_0 AS id, ii.ts, ii.dur, ii.id_1 AS irq
FROM _interval_intersect!((_ii_subquery!(_task_wo_irq_infos), _irqs), (cpu)) AS ii
ORDER BY ii.id_0, ii.ts;

-- The same, cut by interrupts, which stand for themselves.
CREATE PERFETTO TABLE _all_tasks_flattened_slices AS
SELECT
  p.ts AS ts, p.dur AS dur, t.cpu, t.utid, t.upid, t.tid, t.pid, t.uid, t.thread_name, t.process_name,
  t.package_name, 0 AS is_irq
FROM _without_cuts!(_ii_subquery!(_task_wo_irq_infos), _task_cuts) AS p
JOIN _task_wo_irq_infos AS t ON t._auto_id = p.id
UNION ALL
SELECT
  c.ts, c.dur, i.cpu, i.irq_id, NULL, NULL, NULL, NULL, i.irq_name, i.irq_name, NULL, 1
FROM _task_cuts AS c JOIN _irqs AS i ON i.id = c.irq
ORDER BY cpu, ts;

-- Times in which a cpu of a known device is not idle; `group_id`: their number among all states.
CREATE PERFETTO TABLE _idle_exits AS
SELECT ts, dur, cpu, idle, _auto_id AS group_id
FROM _adjusted_deep_idle
WHERE idle = -1
ORDER BY cpu, ts;

-- Threads while their cpu is not idle, with the number of that time.
CREATE PERFETTO TABLE _active_state_w_tasks AS
SELECT
  ii.ts, ii.dur, t.cpu, t.utid, t.upid, t.tid, t.pid, t.uid, t.thread_name, t.process_name,
  t.package_name, t.is_irq, e._auto_id AS idle_group
FROM _interval_intersect!(
  (_ii_subquery!(_all_tasks_flattened_slices), _ii_subquery!(_idle_exits)), (cpu)
) AS ii
JOIN _all_tasks_flattened_slices AS t ON t._auto_id = ii.id_0
JOIN _idle_exits AS e ON e._auto_id = ii.id_1
ORDER BY ii.ts;

-- The first thread in each of them, or its start if none ran.
CREATE PERFETTO TABLE _task_causing_idle_exit AS
SELECT
  coalesce(min(ts) FILTER (WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)), min(ts))
    AS boundary_ts,
  idle_group
FROM _active_state_w_tasks
GROUP BY idle_group
ORDER BY idle_group;

-- What is made answerable for the power of each cpu: the thread that runs; for a cpu that wakes up
-- before a thread runs, that thread.
CREATE PERFETTO TABLE _wattson_task_slices AS
SELECT
  ts, dur, cpu, utid, upid, tid, pid, uid, thread_name, process_name, package_name
FROM _active_state_w_tasks
ORDER BY cpu, ts;
