-- When the machine was suspended.

-- Where the recorder told of whole suspends ("minimal"), these; else what the kernel's steps say.
CREATE PERFETTO TABLE _android_suspends AS
WITH
  minimal AS (
    SELECT s.ts, s.dur
    FROM slice AS s JOIN track AS t ON t.id = s.track_id
    WHERE t.type = 'suspend_resume_minimal' AND s.dur > 0
  ),
  steps AS (
    SELECT s.ts, s.dur
    FROM slice AS s JOIN track AS t ON t.id = s.track_id
    WHERE t.type = 'suspend_resume' AND s.name IN ('syscore_resume(0)', 'timekeeping_freeze(0)')
      AND s.dur != -1 AND NOT EXISTS (SELECT 1 FROM minimal)
  )
SELECT * FROM minimal
UNION ALL
SELECT * FROM steps
ORDER BY ts;

-- The whole trace as intervals that are 'awake' or 'suspended'.
CREATE PERFETTO TABLE android_suspend_state(
  -- Start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The machine: that of the trace.
  machine_id JOINID(machine.id),
  -- 'awake' or 'suspended'.
  power_state STRING
) AS
WITH awake AS (
  SELECT
    trace_start() AS ts,
    coalesce((SELECT min(ts) FROM _android_suspends), trace_end()) - trace_start() AS dur
  UNION ALL
  SELECT ts + dur AS ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts - dur AS dur
  FROM _android_suspends
)
SELECT ts, dur, 0 AS machine_id, 'awake' AS power_state FROM awake
WHERE dur > 0
UNION ALL
SELECT ts, dur, 0 AS machine_id, 'suspended' AS power_state FROM _android_suspends
ORDER BY ts;

-- How long something took, not counting the time in which the machine was suspended.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(ts TIMESTAMP, dur DURATION)
RETURNS LONG AS
SELECT to_monotonic($ts + $dur) - to_monotonic($ts);
