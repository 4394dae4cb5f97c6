-- Whether the battery was being charged.

INCLUDE PERFETTO MODULE counters.intervals;

-- From the start of the trace on: NULL until somebody said.
CREATE PERFETTO TABLE _android_battery_status AS
WITH
  samples AS MATERIALIZED (
    SELECT ts, dur, value
    FROM counter_leading_intervals!(
      (
        SELECT c.id, c.ts, 0 AS track_id, c.value
        FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
        WHERE t.name = 'BatteryStatus'
      )
    )
    WHERE dur > 0
  ),
  whole AS (
    SELECT
      trace_start() AS ts,
      ifnull((SELECT min(ts) FROM samples), trace_end()) - trace_start() AS dur,
      NULL AS value
    UNION ALL
    SELECT ts, dur, value FROM samples
  )
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, value
FROM whole
WHERE dur > 0
ORDER BY ts;

-- 'unknown' where nobody said.
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
ORDER BY ts;
