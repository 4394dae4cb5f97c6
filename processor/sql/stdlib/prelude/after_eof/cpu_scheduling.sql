-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Processors.
CREATE PERFETTO VIEW cpu(
  -- Number of the row.
  id ID,
  -- The cpu, of all machines.
  ucpu ID,
  -- The cpu in its machine.
  cpu LONG,
  -- The cluster of the cpu.
  cluster_id LONG,
  -- What the processor is.
  processor STRING,
  -- The machine.
  machine_id JOINID(machine.id),
  -- How fast the cpu is, of 1024.
  capacity LONG,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Frequencies that processors can run at.
CREATE PERFETTO VIEW cpu_available_frequencies(
  -- Number of the row.
  id ID,
  -- The cpu in its machine.
  cpu LONG,
  -- Frequency in kHz.
  freq LONG,
  -- The cpu, of all machines.
  ucpu LONG
);

-- Which thread ran on which cpu when.
CREATE PERFETTO VIEW sched(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The cpu in its machine.
  cpu LONG,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The state it went into.
  end_state STRING,
  -- The priority.
  priority LONG,
  -- The cpu, of all machines.
  ucpu LONG,
  ts_end LONG
);

-- The same as sched.
CREATE PERFETTO VIEW sched_slice(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The cpu in its machine.
  cpu LONG,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The state it went into.
  end_state STRING,
  -- The priority.
  priority LONG,
  -- The cpu, of all machines.
  ucpu LONG
);

-- The states of threads: what ran, waited or slept.
CREATE PERFETTO VIEW thread_state(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The cpu in its machine.
  cpu LONG,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The state.
  state STRING,
  -- Whether it waited for input or output.
  io_wait LONG,
  -- The function of the kernel that it waited in.
  blocked_function STRING,
  -- The thread that woke it.
  waker_utid JOINID(thread.id),
  -- The state of that thread.
  waker_id JOINID(thread_state.id),
  -- Whether an interrupt woke it.
  irq_context LONG,
  -- The cpu, of all machines.
  ucpu JOINID(cpu.id)
);
*/
