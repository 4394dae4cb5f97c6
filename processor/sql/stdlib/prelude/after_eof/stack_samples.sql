-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- What samples were taken for, where it is no thread.
CREATE PERFETTO TABLE stack_sample_async_context(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  kind STRING,
  -- What it is part of.
  parent_id JOINID(stack_sample_async_context.id)
);

-- Tracks of these counters.
CREATE PERFETTO TABLE stack_sample_counter_track(
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
  session_id JOINID(stack_sample_session.id),
  -- The cpu in its machine.
  cpu LONG,
  is_timebase BOOL
);

-- The cpus of samples.
CREATE PERFETTO TABLE stack_sample_execution_context(
  -- Number of the row.
  id ID,
  -- The cpu, of all machines.
  ucpu JOINID(cpu.id),
  -- What the cpu was doing.
  cpu_mode STRING
);

-- Sessions of profilers.
CREATE PERFETTO TABLE stack_sample_session(
  -- Number of the row.
  id ID,
  -- Who tells.
  source STRING,
  timebase_unit STRING,
  -- Command line.
  cmdline STRING
);

-- The threads and processes of samples.
CREATE PERFETTO TABLE stack_sample_task_context(
  -- Number of the row.
  id ID,
  -- The process, of all machines.
  upid JOINID(process.id),
  -- The thread, of all machines.
  utid JOINID(thread.id),
  async_context_id JOINID(stack_sample_async_context.id)
);

-- Samples with stacks, of all profilers.
CREATE PERFETTO VIEW stack_sample(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Who tells.
  source STRING,
  task_context_id JOINID(stack_sample_task_context.id),
  execution_context_id JOINID(stack_sample_execution_context.id),
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- The session.
  session_id JOINID(stack_sample_session.id)
);

-- Counters that were read with a sample.
CREATE PERFETTO VIEW stack_sample_counter(
  -- Number of the row.
  id ID(counter.id),
  stack_sample_id JOINID(stack_sample.id),
  -- The track it is on.
  track_id JOINID(stack_sample_counter_track.id),
  -- Its value.
  value DOUBLE
);
*/
