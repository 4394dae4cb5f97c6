-- What the service batterystats of Android noted: states of the device as counters and events.

-- The state that a value of a counter stands for; NULL if it has no name.
CREATE PERFETTO FUNCTION android_battery_stats_counter_to_string(
  -- Name of the track of the counter.
  track STRING,
  -- The value.
  value DOUBLE
)
-- The state.
RETURNS STRING AS
SELECT
  CASE
    WHEN $track IN (
      'battery_stats.wifi_scan', 'battery_stats.wifi_radio', 'battery_stats.wifi_running',
      'battery_stats.wifi_full_lock', 'battery_stats.wifi_multicast', 'battery_stats.mobile_radio',
      'battery_stats.phone_in_call', 'battery_stats.wifi', 'battery_stats.video',
      'battery_stats.audio', 'battery_stats.camera', 'battery_stats.flashlight',
      'battery_stats.sensor', 'battery_stats.gps', 'battery_stats.ble_scan',
      'battery_stats.phone_scanning', 'battery_stats.usb_data', 'battery_stats.cellular_high_tx_power',
      'battery_stats.running', 'battery_stats.wake_lock', 'battery_stats.plugged',
      'battery_stats.charging', 'battery_stats.screen', 'battery_stats.screen_doze',
      'battery_stats.power_save'
    ) THEN CASE $value WHEN 0 THEN 'inactive' WHEN 1 THEN 'active' END
    WHEN $track = 'battery_stats.brightness' THEN
      CASE $value
        WHEN 0 THEN 'dark' WHEN 1 THEN 'dim' WHEN 2 THEN 'medium' WHEN 3 THEN 'light'
        WHEN 4 THEN 'bright'
      END
    WHEN $track = 'battery_stats.device_idle' THEN
      CASE $value WHEN 0 THEN 'off' WHEN 1 THEN 'light' WHEN 2 THEN 'full' END
    WHEN $track IN ('battery_stats.phone_signal_strength', 'battery_stats.wifi_signal_strength')
      AND $value BETWEEN 0 AND 4 THEN CAST($value AS INT) || '/4'
  END;

-- States from one change to the next.
CREATE PERFETTO VIEW android_battery_stats_state(
  -- Start of the state.
  ts TIMESTAMP,
  -- Its length; -1 for the last one.
  dur DURATION,
  -- The same; the last one ends with the trace.
  safe_dur DURATION,
  -- Name of the counter.
  track_name STRING,
  -- Its value.
  value LONG,
  -- What the value stands for.
  value_name STRING
) AS
SELECT
  ts, ifnull(next_ts - ts, -1) AS dur, ifnull(next_ts, trace_end()) - ts AS safe_dur, track_name,
  CAST(value AS INT) AS value,
  android_battery_stats_counter_to_string(track_name, value) AS value_name
FROM (
  SELECT
    c.ts, lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS next_ts,
    t.name AS track_name, c.value
  FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.type = 'battery_stats'
);

-- Events that last: they begin with '+', end with '-', and have a text and a number.
CREATE PERFETTO VIEW android_battery_stats_event_slices(
  -- Start of the event.
  ts TIMESTAMP,
  -- Its length; -1 if it does not end.
  dur DURATION,
  -- The same; what does not end, ends with the trace.
  safe_dur DURATION,
  -- Name of the kind of event.
  track_name STRING,
  -- Its text.
  str_value STRING,
  -- Its number.
  int_value LONG
) AS
WITH
  events AS (
    SELECT
      s.ts, t.name AS track_name, substr(s.name, 1, 1) AS edge,
      substr(s.name, instr(s.name, '=') + 1) AS rest
    FROM slice AS s JOIN track AS t ON t.id = s.track_id
    WHERE s.name GLOB '[+-]*=*' AND t.name GLOB 'battery_stats.*'
  ),
  edges AS (
    SELECT
      ts, edge, track_name,
      trim(substr(rest, instr(rest, ':') + 1), '"') AS str_value,
      CAST(substr(rest, 1, instr(rest, ':') - 1) AS INT) AS int_value
    FROM events
  ),
  pairs AS (
    SELECT
      *, lead(ts) OVER one_thing AS next_ts, lead(edge) OVER one_thing AS next_edge,
      row_number() OVER one_thing AS nr
    FROM edges
    WINDOW one_thing AS (PARTITION BY track_name, int_value, str_value ORDER BY ts)
  )
SELECT
  iif(edge = '+', ts, trace_start()) AS ts,
  CASE
    WHEN edge = '-' THEN ts - trace_start() WHEN next_edge = '-' THEN next_ts - ts ELSE -1
  END AS dur,
  CASE
    WHEN edge = '-' THEN ts - trace_start() WHEN next_edge = '-' THEN next_ts - ts
    ELSE trace_end() - ts
  END AS safe_dur,
  track_name, str_value, int_value
FROM pairs
WHERE edge = '+' OR nr = 1;
