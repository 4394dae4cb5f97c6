-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Tracks of counters of a cpu.
CREATE PERFETTO TABLE cpu_counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING,
  -- The cpu in its machine.
  cpu LONG
);

-- Tracks of counters of a graphics processor.
CREATE PERFETTO TABLE gpu_counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING,
  -- The graphics processor, of all machines.
  ugpu LONG,
  -- The graphics processor in its machine.
  gpu_id LONG
);

-- Tracks of hardware counters that a profiler read.
CREATE PERFETTO TABLE perf_counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING,
  -- The session.
  perf_session_id LONG,
  -- The cpu in its machine.
  cpu LONG,
  is_timebase BOOL
);

-- Tracks of counters of a process.
CREATE PERFETTO TABLE process_counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING,
  -- The process, of all machines.
  upid LONG
);

-- Tracks of counters of a thread.
CREATE PERFETTO TABLE thread_counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id JOINID(track.id),
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING,
  -- The thread, of all machines.
  utid LONG
);

-- Tracks of counters.
CREATE PERFETTO VIEW counter_track(
  -- Number of the row.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- What kind of thing it is.
  type STRING,
  -- Args that tell it from others of its type.
  dimension_arg_set_id ARGSETID,
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- What it means.
  description STRING
);

-- Samples of counters with the names of their tracks.
CREATE PERFETTO VIEW counters(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its value.
  value DOUBLE,
  -- Its args: a set of the table args.
  arg_set_id LONG,
  -- Its name.
  name STRING,
  -- Unit of the values.
  unit STRING
);
*/
