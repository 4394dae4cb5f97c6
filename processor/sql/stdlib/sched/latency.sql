-- How long threads waited for a cpu before they ran.

INCLUDE PERFETTO MODULE sched.runnable;

-- Runs of threads, as states and on their cpus.
CREATE PERFETTO VIEW _sched_with_thread_state_join AS
SELECT t.id AS thread_state_id, s.id AS sched_id
FROM sched AS s JOIN thread_state AS t ON t.utid = s.utid AND t.ts = s.ts;

-- One row for each run that a wait came before.
CREATE PERFETTO TABLE sched_latency_for_running_interval(
  -- Alias for `thread_state.id`: the run.
  thread_state_id JOINID(thread_state.id),
  -- Alias for `sched.id`: the same run on its cpu.
  sched_id JOINID(sched.id),
  -- The thread that ran.
  utid JOINID(thread.id),
  -- Alias for `thread_state.id`: the state in which it waited.
  runnable_latency_id JOINID(thread_state.id),
  -- How long it waited.
  latency_dur LONG
) AS
SELECT
  r.id AS thread_state_id, s.id AS sched_id, t.utid, r.prev_runnable_id AS runnable_latency_id,
  w.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS r
JOIN thread_state AS t ON t.id = r.id
JOIN thread_state AS w ON w.id = r.prev_runnable_id
JOIN sched AS s ON s.ts = t.ts AND s.utid = t.utid
ORDER BY r.id;
