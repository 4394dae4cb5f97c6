-- Interrupts, softirqs and timers on cpus.
CREATE PERFETTO VIEW orma_interrupt(
  -- Alias for `slice.id`.
  id LONG,
  -- When the handler began.
  ts TIMESTAMP,
  -- How long it ran.
  dur DURATION,
  -- The cpu it ran on.
  cpu LONG,
  -- `irq`, `softirq` or `timer`.
  kind STRING,
  -- The handler.
  name STRING
) AS
SELECT
  s.id, s.ts, s.dur, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu,
  CASE t.type WHEN 'cpu_irq' THEN 'irq' WHEN 'cpu_softirq' THEN 'softirq' ELSE 'timer' END AS kind,
  s.name
FROM slice AS s
JOIN track AS t ON s.track_id = t.id
WHERE t.type IN ('cpu_irq', 'cpu_softirq', 'cpu_hrtimer') AND s.dur >= 0;
