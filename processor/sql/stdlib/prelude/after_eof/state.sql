-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Tracks of states of a process.
CREATE PERFETTO TABLE process_state_track(
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

-- Tracks of states of a thread.
CREATE PERFETTO TABLE thread_state_track(
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

-- Tracks of states.
CREATE PERFETTO VIEW state_track(
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
  machine_id JOINID(machine.id)
);
*/
