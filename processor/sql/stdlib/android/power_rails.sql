-- Energy that parts of the device use, by the rails that feed them.

-- The rails and what they feed.
CREATE PERFETTO TABLE android_power_rails_metadata(
  -- Name of the track.
  power_rail_name STRING,
  -- Name in the hardware.
  raw_power_rail_name STRING,
  -- Name for people, where one is known.
  friendly_name STRING,
  -- The track.
  track_id JOINID(track.id),
  -- The part of the device that it feeds.
  subsystem_name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT
  name AS power_rail_name,
  extract_arg(source_arg_set_id, 'raw_name') AS raw_power_rail_name,
  iif(name GLOB 'power.rails.*', substr(name, 13), NULL) AS friendly_name,
  id AS track_id,
  extract_arg(source_arg_set_id, 'subsystem_name') AS subsystem_name,
  machine_id
FROM counter_track
WHERE type = 'power_rails'
ORDER BY id;

-- Samples of the energy since boot, in microwatt seconds.
CREATE PERFETTO TABLE android_power_rails_counters(
  -- The sample.
  id ID(counter.id),
  -- Its time.
  ts TIMESTAMP,
  -- Until the next one; of the last one until the end of the trace.
  dur DURATION,
  -- Name of the track.
  power_rail_name STRING,
  -- Name in the hardware.
  raw_power_rail_name STRING,
  -- Energy since boot.
  energy_since_boot DOUBLE,
  -- The same at the next sample of another value.
  energy_since_boot_at_end DOUBLE,
  -- Power until then, in mW.
  average_power DOUBLE,
  -- Energy since the sample before.
  energy_delta DOUBLE,
  -- The track.
  track_id JOINID(track.id),
  -- Energy since boot; the older name.
  value DOUBLE
) AS
SELECT
  c.id, c.ts, c.dur, m.power_rail_name, m.raw_power_rail_name, c.value AS energy_since_boot,
  c.next_value AS energy_since_boot_at_end,
  1e6 * (c.next_value - c.value) / nullif(c.dur, 0) AS average_power,
  c.delta_value AS energy_delta, c.track_id, c.value
FROM (
  SELECT
    c.id, c.ts, c.track_id, c.value,
    lead(c.ts, 1, trace_end()) OVER rail - c.ts AS dur,
    lead(c.value) OVER rail AS next_value,
    c.value - lag(c.value) OVER rail AS delta_value
  FROM counter AS c
  WHERE c.track_id IN (SELECT track_id FROM android_power_rails_metadata)
  WINDOW rail AS (PARTITION BY c.track_id ORDER BY c.ts, c.id)
) AS c
JOIN android_power_rails_metadata AS m USING (track_id)
ORDER BY c.track_id, c.ts, c.id;
