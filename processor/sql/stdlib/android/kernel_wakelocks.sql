-- Locks of the kernel and of native programs that keep the machine awake.

INCLUDE PERFETTO MODULE android.suspend;

-- The tracks: their counters are the time that the lock was held, in ms.
CREATE PERFETTO TABLE _kernel_wakelock_track AS
SELECT
  id,
  extract_arg(dimension_arg_set_id, 'wakelock_name') AS name,
  extract_arg(dimension_arg_set_id, 'wakelock_type') AS type
FROM counter_track
WHERE type = 'android_kernel_wakelock'
ORDER BY id;

-- Samples with those that follow.
CREATE PERFETTO TABLE _android_kernel_wakelocks_base AS
SELECT ts, dur, name, type, (next_value - value) * 1e6 AS held_dur
FROM (
  SELECT
    c.ts, lead(c.ts) OVER lock_samples - c.ts AS dur, t.name, t.type, c.value,
    lead(c.value) OVER lock_samples AS next_value
  FROM counter AS c JOIN _kernel_wakelock_track AS t ON t.id = c.track_id
  WINDOW lock_samples AS (PARTITION BY c.track_id ORDER BY c.ts)
)
WHERE next_value IS NOT NULL
ORDER BY ts;

-- How long each lock was held from one sample to the next.
CREATE PERFETTO TABLE android_kernel_wakelocks(
  -- Time of the sample.
  ts TIMESTAMP,
  -- Until the next one.
  dur DURATION,
  -- How much of that time the machine was not suspended.
  awake_dur DURATION,
  -- Name of the lock.
  name STRING,
  -- 'kernel' or 'native'.
  type STRING,
  -- How long it was held.
  held_dur DURATION,
  -- The same as a part of awake_dur.
  held_ratio DOUBLE
) AS
SELECT
  ts, dur, awake_dur, name, type, CAST(held_dur AS INT) AS held_dur,
  min(max(held_dur * 1.0 / nullif(awake_dur, 0), 0.0), 1.0) AS held_ratio
FROM (
  SELECT
    b.ts, b.dur, b.name, b.type, b.held_dur,
    _extract_duration_without_suspend(b.ts, b.dur) AS awake_dur
  FROM _android_kernel_wakelocks_base AS b
)
ORDER BY ts, name, type;
