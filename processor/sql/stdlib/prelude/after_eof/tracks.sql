-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Tracks of a cpu.
CREATE PERFETTO TABLE cpu_track(
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
  -- The cpu in its machine.
  cpu LONG
);

-- Tracks of a graphics processor.
CREATE PERFETTO TABLE gpu_track(
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
  -- Args that tell it from others of its type.
  dimension_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  scope STRING,
  -- What it means.
  description STRING,
  context_id LONG
);

-- Tracks of a process.
CREATE PERFETTO TABLE process_track(
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
  -- The process, of all machines.
  upid JOINID(process.id)
);

-- Tracks of a thread.
CREATE PERFETTO TABLE thread_track(
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
  -- The thread, of all machines.
  utid JOINID(thread.id)
);

-- What events belong to: threads, processes, cpus and all else.
CREATE PERFETTO VIEW track(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  -- What kind of thing it is.
  type STRING,
  -- Args that tell it from others of its type.
  dimension_arg_set_id ARGSETID,
  -- What it is part of.
  parent_id JOINID(track.id),
  -- Args that its source gave.
  source_arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id),
  track_group_id LONG
);
*/
