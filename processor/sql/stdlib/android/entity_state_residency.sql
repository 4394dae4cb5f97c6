-- How long parts of the device were in which of their states.

-- Samples of the time that an entity spent in a state since boot, with those that follow.
CREATE PERFETTO TABLE android_entity_state_residency(
  -- The sample.
  id ID(counter.id),
  -- Its time.
  ts TIMESTAMP,
  -- Until the next one.
  dur DURATION,
  -- The part of the device.
  entity_name STRING,
  -- Its state.
  state_name STRING,
  -- The name of the track.
  raw_name STRING,
  -- Time in the state since boot.
  state_time_since_boot DURATION,
  -- The same at the next sample.
  state_time_since_boot_at_end DURATION,
  -- The part of the time between both that was spent in the state.
  state_time_ratio DOUBLE,
  -- The track.
  track_id JOINID(track.id)
) AS
WITH samples AS (
  SELECT
    c.id, c.ts, lead(c.ts) OVER track_samples - c.ts AS dur,
    extract_arg(t.dimension_arg_set_id, 'entity_name') AS entity_name,
    extract_arg(t.dimension_arg_set_id, 'state_name') AS state_name,
    t.name AS raw_name,
    CAST(c.value * 1e6 AS INT) AS state_time_since_boot,
    CAST(lead(c.value) OVER track_samples * 1e6 AS INT) AS state_time_since_boot_at_end,
    c.track_id
  FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.type = 'entity_state'
  WINDOW track_samples AS (PARTITION BY c.track_id ORDER BY c.ts)
)
SELECT
  id, ts, dur, entity_name, state_name, raw_name, state_time_since_boot,
  state_time_since_boot_at_end,
  (state_time_since_boot_at_end - state_time_since_boot) * 1.0 / nullif(dur, 0) AS state_time_ratio,
  track_id
FROM samples
ORDER BY track_id, ts;
