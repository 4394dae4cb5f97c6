-- What the kernel itself did on cpus.

CREATE PERFETTO TABLE _orma_interrupt_track AS
SELECT id, type, machine_id, extract_arg(dimension_arg_set_id, 'cpu') AS cpu
FROM track
WHERE type IN ('cpu_irq', 'cpu_softirq', 'cpu_hrtimer')
ORDER BY id;

-- Interrupts, softirqs and timers on cpus.
CREATE PERFETTO VIEW orma_interrupt(
  -- Alias for `slice.id`.
  id LONG,
  -- When the handler began.
  ts TIMESTAMP,
  -- How long it ran.
  dur DURATION,
  -- The number of the cpu it ran on.
  cpu LONG,
  -- `irq`, `softirq` or `timer`.
  kind STRING,
  -- The handler.
  name STRING,
  -- The cpu: `cpu.id`. Two machines have cpus of one number.
  ucpu LONG,
  -- The machine.
  machine_id LONG
) AS
SELECT
  s.id, s.ts, s.dur, t.cpu,
  CASE t.type WHEN 'cpu_irq' THEN 'irq' WHEN 'cpu_softirq' THEN 'softirq' ELSE 'timer' END AS kind,
  s.name, c.ucpu, t.machine_id
FROM slice AS s
JOIN _orma_interrupt_track AS t ON s.track_id = t.id
LEFT JOIN cpu AS c ON c.cpu = t.cpu AND c.machine_id IS t.machine_id
WHERE s.dur >= 0;
