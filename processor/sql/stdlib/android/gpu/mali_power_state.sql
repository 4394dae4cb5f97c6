-- Power states of graphics processors by Mali.

-- From one change of the state to the next.
CREATE PERFETTO TABLE android_mali_gpu_power_state(
  -- Start of the state.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- 0 off, 1 idle, 2 at work.
  power_state LONG
) AS
SELECT
  c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  CAST(c.value AS INT) AS power_state
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
WHERE t.type = 'mali_gpu_power_state'
ORDER BY c.ts;
