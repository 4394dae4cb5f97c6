-- Jobs of apps, and what the device did while they ran.

INCLUDE PERFETTO MODULE android.battery.charging_states;
INCLUDE PERFETTO MODULE android.screen_state;

CREATE PERFETTO VIEW _android_charging_names AS
SELECT ts, dur, charging_state FROM android_charging_states;

CREATE PERFETTO VIEW _android_screen_names AS
SELECT ts, dur, screen_state FROM android_screen_state;

CREATE VIRTUAL TABLE _charging_beside_screen USING SPAN_OUTER_JOIN(
  _android_charging_names, _android_screen_names
);

-- Whether the battery was being charged, and what the screen showed.
CREATE PERFETTO TABLE _charging_screen_states AS
SELECT
  row_number() OVER (ORDER BY ts) AS id, ts, dur, charging_state, screen_state
FROM _charging_beside_screen
ORDER BY ts;
