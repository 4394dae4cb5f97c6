-- Runs on cpus and waits for them, ready to be summed up.

INCLUDE PERFETTO MODULE orma.durations;
INCLUDE PERFETTO MODULE orma.machines;

-- What was on each cpu, the idle threads too, as far as it is known until when.
CREATE PERFETTO TABLE _orma_on_cpu AS
SELECT id, ts, dur, ucpu, utid, end_state
FROM sched
WHERE dur >= 0 AND id NOT IN (SELECT id FROM _orma_torn_run)
UNION ALL
SELECT o.id, o.ts, o.end_ts - o.ts AS dur, o.ucpu, o.utid, s.end_state
FROM orma_open_run AS o JOIN sched AS s ON s.id = o.id
WHERE o.end_ts IS NOT NULL
ORDER BY id;

-- Runs: a thread on a cpu, without the idle threads, and without those whose end is unknown.
CREATE PERFETTO TABLE orma_run(
  -- Alias for `sched.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The cpu: `cpu.id`.
  ucpu LONG,
  -- The cpu of the run before it of the same thread; NULL for the first one.
  prev_ucpu LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- In which state the thread left the cpu.
  end_state STRING
) AS
SELECT
  id, ts, dur, ucpu, lag(ucpu) OVER (PARTITION BY utid ORDER BY ts, id) AS prev_ucpu, utid,
  end_state
FROM _orma_on_cpu
WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)
ORDER BY id;

-- Runs whose end was not recorded: from when on, and when the next run on that cpu began.
CREATE PERFETTO TABLE orma_run_unknown_end(
  -- Alias for `sched.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- Until the next run that is known.
  dur DURATION,
  -- The cpu: `cpu.id`.
  ucpu LONG,
  -- The thread.
  utid JOINID(thread.id)
) AS
WITH next AS (
  SELECT id, ts, ucpu, utid, lead(ts) OVER (PARTITION BY ucpu ORDER BY ts, id) AS next_ts
  FROM sched
  WHERE ucpu IN (SELECT ucpu FROM orma_open_run WHERE end_ts IS NULL)
)
SELECT id, ts, coalesce(next_ts, trace_end()) - ts AS dur, ucpu, utid
FROM next
WHERE id IN (SELECT id FROM orma_open_run WHERE end_ts IS NULL)
ORDER BY id;

-- States of threads, each with the one that follows it. `dur` is -1 where its end is unknown.
CREATE PERFETTO TABLE _orma_state_pair AS
SELECT
  id, ts, iif(id IN (SELECT id FROM _orma_torn_state), -1, dur) AS dur, dur AS shown_dur, utid, state, waker_utid,
  irq_context, ucpu, lead(state) OVER w AS next_state, lead(ts) OVER w AS next_ts, lead(ucpu) OVER w AS next_ucpu
FROM thread_state
WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)
WINDOW w AS (PARTITION BY utid ORDER BY ts, id);

-- Waits for a cpu, from the wake-up or the loss of the cpu to the run.
CREATE PERFETTO TABLE orma_wait(
  -- Alias for `thread_state.id`.
  id LONG,
  -- When the thread was ready to run.
  ts TIMESTAMP,
  -- How long it waited.
  dur DURATION,
  -- The thread that waited.
  utid JOINID(thread.id),
  -- The cpu on which it ran then.
  ucpu LONG,
  -- Whether it was taken from the cpu: then nobody woke it.
  preempted BOOL,
  -- The thread that woke it, or that was interrupted by what woke it.
  waker_utid JOINID(thread.id),
  -- Whether an interrupt woke it, as always when the cpu was idle.
  by_interrupt BOOL
) AS
SELECT
  id, ts, dur, utid, next_ucpu AS ucpu, waker_utid IS NULL AS preempted, waker_utid,
  coalesce(irq_context, 0) OR coalesce(waker_utid IN (SELECT utid FROM thread WHERE is_idle), 0)
    AS by_interrupt
FROM _orma_state_pair
WHERE state IN ('R', 'R+') AND dur >= 0 AND next_state = 'Running'
ORDER BY id;

-- States whose end is unknown: switches are missing, or events were lost within.
CREATE PERFETTO TABLE orma_state_unknown_end(
  -- Alias for `thread_state.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- The thread.
  utid JOINID(thread.id),
  -- The state.
  state STRING,
  -- When the next state that is known began; the end of the trace if there is none.
  next_ts TIMESTAMP
) AS
SELECT id, ts, utid, state, coalesce(next_ts, trace_end()) AS next_ts
FROM _orma_state_pair
WHERE dur < 0
  AND id NOT IN (SELECT id FROM orma_open_state WHERE end_ts IS NOT NULL)
  AND state != 'X' AND state != 'Z'
ORDER BY id;

-- How long threads were in each state, as far as it is known: what has no known end is not among them.
CREATE PERFETTO VIEW orma_state(
  -- Alias for `thread_state.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id),
  -- The state.
  state STRING
) AS
SELECT id, ts, dur, utid, state FROM thread_state WHERE dur >= 0 AND id NOT IN (SELECT id FROM _orma_torn_state)
UNION ALL
SELECT id, ts, end_ts - ts AS dur, utid, state FROM orma_open_state WHERE end_ts IS NOT NULL;

-- The thread that ran longest on a cpu in some time; NULL if none did.
CREATE PERFETTO FUNCTION orma_who_ran(
  -- The cpu: `cpu.id`.
  ucpu LONG,
  -- Begin of the time.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS LONG AS
SELECT utid FROM orma_run
WHERE ucpu = $ucpu
  AND ts < $ts + $dur
  AND ts >= coalesce((SELECT max(ts) FROM orma_run WHERE ucpu = $ucpu AND ts <= $ts), 0)
  AND ts + dur > $ts
GROUP BY utid
ORDER BY sum(min(ts + dur, $ts + $dur) - max(ts, $ts)) DESC
LIMIT 1;

-- What a thread is called: its name, or its tid in brackets.
CREATE PERFETTO FUNCTION orma_thread_name(
  -- Alias for `thread.id`.
  utid JOINID(thread.id)
)
RETURNS STRING AS
SELECT coalesce(nullif(name, ''), '[' || tid || ']') FROM thread WHERE utid = $utid;

-- A thread's name and tid, as threads of one name are told apart; its tid in brackets if it has none. Of several
-- machines, also which one it is on.
CREATE PERFETTO FUNCTION orma_thread_label(
  -- Alias for `thread.id`.
  utid JOINID(thread.id)
)
RETURNS STRING AS
SELECT
  concat_ws(' on ', coalesce(nullif(name, '') || ' ' || tid, '[' || tid || ']'), orma_machine_label(machine_id))
FROM thread
WHERE utid = $utid;

-- The same of so many threads of one name: its name and their number if they are several.
CREATE PERFETTO FUNCTION orma_threads_label(
  -- Alias for `thread.id`: one of them.
  utid JOINID(thread.id),
  -- How many there are.
  threads LONG
)
RETURNS STRING AS
SELECT
  iif(
    $threads > 1,
    concat_ws(
      ' on ', orma_thread_name($utid) || ' (' || $threads || ' threads)',
      orma_machine_label((SELECT machine_id FROM thread WHERE utid = $utid))
    ),
    orma_thread_label($utid)
  );

-- Threads with the first one of the same name on the same machine, to group by.
CREATE PERFETTO TABLE orma_thread_group(
  -- Alias for `thread.id`.
  utid JOINID(thread.id),
  -- The first thread of that name.
  name_utid JOINID(thread.id),
  -- The same of those that ended in the trace, if five or more of a name did; for others themselves.
  short_utid JOINID(thread.id)
) AS
WITH ended AS (
  SELECT name, machine_id, min(utid) AS first, count(*) AS threads
  FROM thread
  WHERE end_ts IS NOT NULL AND name != ''
  GROUP BY name, machine_id
)
SELECT
  t.utid, iif(t.name != '', min(t.utid) OVER (PARTITION BY t.name, t.machine_id), t.utid) AS name_utid,
  iif(t.end_ts IS NOT NULL AND e.threads >= 5, e.first, t.utid) AS short_utid
FROM thread AS t LEFT JOIN ended AS e ON e.name = t.name AND e.machine_id IS t.machine_id;
