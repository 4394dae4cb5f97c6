-- What batteries said of themselves.

CREATE PERFETTO FUNCTION _android_battery_values(name STRING)
RETURNS TABLE(ts TIMESTAMP, value DOUBLE) AS
SELECT c.ts, c.value
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name = $name;

-- One row for each time at which any of the values was read; the others are NULL.
CREATE PERFETTO VIEW android_battery_charge(
  ts TIMESTAMP, current_avg_ua DOUBLE, capacity_percent DOUBLE, charge_uah DOUBLE,
  current_ua DOUBLE, voltage_uv DOUBLE, energy_counter_uwh DOUBLE, power_mw DOUBLE
) AS
SELECT
  a.ts, average.value AS current_avg_ua, capacity.value AS capacity_percent,
  charge.value AS charge_uah, now.value AS current_ua, voltage.value AS voltage_uv,
  energy.value AS energy_counter_uwh, power.value AS power_mw
FROM (
  SELECT DISTINCT c.ts
  FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB 'batt.*'
) AS a
LEFT JOIN _android_battery_values('batt.capacity_pct') AS capacity USING (ts)
LEFT JOIN _android_battery_values('batt.charge_uah') AS charge USING (ts)
LEFT JOIN _android_battery_values('batt.current.avg_ua') AS average USING (ts)
LEFT JOIN _android_battery_values('batt.current_ua') AS now USING (ts)
LEFT JOIN _android_battery_values('batt.voltage_uv') AS voltage USING (ts)
LEFT JOIN _android_battery_values('batt.energy_counter_uwh') AS energy USING (ts)
LEFT JOIN _android_battery_values('batt.power_mw') AS power USING (ts)
ORDER BY a.ts;
