-- Whether the battery was being charged.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _android_battery_status AS
SELECT *
FROM counter_leading_intervals!(
  (
    SELECT c.id, c.ts, 0 AS track_id, c.value
    FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'BatteryStatus'
  )
)
WHERE dur > 0;

-- One row 'unknown' where nobody said.
CREATE PERFETTO TABLE android_charging_states(
  id LONG, ts TIMESTAMP, dur DURATION, short_charging_state STRING, charging_state STRING
) AS
SELECT
  id, ts, dur,
  CASE value
    WHEN 2 THEN 'charging'
    WHEN 3 THEN 'discharging'
    WHEN 4 THEN 'not_charging'
    WHEN 5 THEN 'full'
    ELSE 'unknown'
  END AS short_charging_state,
  CASE value
    WHEN 2 THEN 'Charging'
    WHEN 3 THEN 'Discharging'
    WHEN 4 THEN 'Not charging'
    WHEN 5 THEN 'Full'
    ELSE 'Unknown'
  END AS charging_state
FROM _android_battery_status
UNION ALL
SELECT 0, trace_start(), trace_dur(), 'unknown', 'Unknown'
WHERE NOT EXISTS (SELECT 1 FROM _android_battery_status)
ORDER BY ts;
