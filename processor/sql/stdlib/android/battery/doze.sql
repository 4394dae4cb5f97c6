-- Idle modes of Android: what it lets apps do while nobody uses the device.

INCLUDE PERFETTO MODULE counters.intervals;

-- Deep idle: the device lies still.
CREATE PERFETTO TABLE android_deep_idle_state(
  -- The sample.
  id LONG,
  -- Start of the state.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The state.
  deep_idle_state STRING
) AS
SELECT
  id, ts, dur,
  CASE value
    WHEN 0 THEN 'active' WHEN 1 THEN 'inactive' WHEN 2 THEN 'idle_pending' WHEN 3 THEN 'sensing'
    WHEN 4 THEN 'locating' WHEN 5 THEN 'idle' WHEN 6 THEN 'idle_maintenance'
    WHEN 7 THEN 'quick_doze_delay' ELSE 'unmapped'
  END AS deep_idle_state
FROM counter_leading_intervals!(
  (
    SELECT c.* FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'DozeDeepState'
  )
)
ORDER BY ts;

-- Light idle: the screen is off.
CREATE PERFETTO TABLE android_light_idle_state(
  -- The sample.
  id LONG,
  -- Start of the state.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The state.
  light_idle_state STRING
) AS
SELECT
  id, ts, dur,
  CASE value
    WHEN 0 THEN 'active' WHEN 1 THEN 'inactive' WHEN 4 THEN 'idle'
    WHEN 5 THEN 'waiting_for_network' WHEN 6 THEN 'idle_maintenance' WHEN 7 THEN 'override'
    ELSE 'unmapped'
  END AS light_idle_state
FROM counter_leading_intervals!(
  (
    SELECT c.* FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'DozeLightState'
  )
)
ORDER BY ts;
