-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Samples of perf.
CREATE PERFETTO VIEW perf_sample(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The cpu in its machine.
  cpu LONG,
  -- What the cpu was doing.
  cpu_mode STRING,
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Why the stack is cut.
  unwind_error STRING,
  -- The session.
  perf_session_id JOINID(perf_session.id)
);
*/
