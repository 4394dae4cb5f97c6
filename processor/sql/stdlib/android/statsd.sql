-- What statsd counted while the trace was recorded.

-- Its events.
CREATE PERFETTO VIEW android_statsd_atoms(
  -- The slice.
  id LONG,
  -- Its time.
  ts TIMESTAMP,
  -- Its length: 0.
  dur DURATION,
  -- Its args: the atom.
  arg_set_id ARGSETID,
  -- Alias for `slice.thread_instruction_count`.
  thread_instruction_count LONG,
  -- Alias for `slice.thread_instruction_delta`.
  thread_instruction_delta LONG,
  -- The track.
  track_id JOINID(track.id),
  -- Alias for `slice.category`.
  category STRING,
  -- Name of the atom.
  name STRING,
  -- Alias for `slice.depth`.
  depth LONG,
  -- Alias for `slice.parent_id`.
  parent_id JOINID(slice.id),
  -- Alias for `slice.thread_ts`.
  thread_ts TIMESTAMP,
  -- Alias for `slice.thread_dur`.
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.arg_set_id, s.thread_instruction_count, s.thread_instruction_delta,
  s.track_id, s.category, s.name, s.depth, s.parent_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.name = 'Statsd Atoms';

-- Triggers of tracing among them.
CREATE PERFETTO TABLE _android_statsd_perfetto_triggers(
  -- The time.
  ts TIMESTAMP,
  -- The trigger.
  trigger_name STRING
) AS
SELECT ts, extract_arg(arg_set_id, 'perfetto_trigger.trigger_name') AS trigger_name
FROM android_statsd_atoms
WHERE name = 'perfetto_trigger'
ORDER BY ts;
