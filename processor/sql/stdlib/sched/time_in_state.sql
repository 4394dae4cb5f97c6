-- How long threads were in which state. A state that is still open counts with its duration of -1.

CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  utid JOINID(thread.id), total_runtime LONG, state STRING, time_in_state LONG,
  percentage_in_state LONG
) AS
WITH
  states AS (
    SELECT utid, state, sum(dur) AS time_in_state
    FROM thread_state
    GROUP BY utid, state
  ),
  totals AS (SELECT utid, sum(time_in_state) AS total_runtime FROM states GROUP BY utid)
SELECT
  utid, total_runtime, state, time_in_state,
  time_in_state * 100 / total_runtime AS percentage_in_state
FROM states JOIN totals USING (utid)
ORDER BY utid, state;

CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  utid JOINID(thread.id), running LONG, runnable LONG, runnable_preempted LONG, sleeping LONG,
  uninterruptible_sleep LONG, other LONG
) AS
SELECT
  utid,
  sum(percentage_in_state) FILTER (WHERE state = 'Running') AS running,
  sum(percentage_in_state) FILTER (WHERE state = 'R') AS runnable,
  sum(percentage_in_state) FILTER (WHERE state = 'R+') AS runnable_preempted,
  sum(percentage_in_state) FILTER (WHERE state = 'S') AS sleeping,
  sum(percentage_in_state) FILTER (WHERE state = 'D') AS uninterruptible_sleep,
  sum(percentage_in_state) FILTER (WHERE state NOT IN ('Running', 'R', 'R+', 'S', 'D'))
    AS other
FROM sched_time_in_state_for_thread
GROUP BY utid
ORDER BY utid;

CREATE PERFETTO MACRO _sched_in_interval(ts Expr, dur Expr)
RETURNS Expr AS
sum(min(s.ts + s.dur, $ts + $dur) - max(s.ts, $ts));

CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
)
RETURNS TABLE(state STRING, io_wait BOOL, blocked_function LONG, dur DURATION) AS
SELECT s.state, s.io_wait, s.blocked_function, _sched_in_interval!($ts, $dur) AS dur
FROM thread_state AS s
WHERE s.utid = $utid AND s.dur != -1 AND s.ts < $ts + __intrinsic_closed_dur($dur) AND s.ts + s.dur > $ts
GROUP BY s.state, s.io_wait, s.blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
)
RETURNS TABLE(state STRING, io_wait BOOL, cpu LONG, blocked_function LONG, dur DURATION) AS
SELECT s.state, s.io_wait, s.cpu, s.blocked_function, _sched_in_interval!($ts, $dur) AS dur
FROM thread_state AS s
WHERE s.utid = $utid AND s.dur != -1 AND s.ts < $ts + __intrinsic_closed_dur($dur) AND s.ts + s.dur > $ts
GROUP BY s.state, s.io_wait, s.cpu, s.blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(cpu LONG, ts TIMESTAMP, dur LONG)
RETURNS TABLE(end_state STRING, dur LONG) AS
SELECT s.end_state, _sched_in_interval!($ts, $dur) AS dur
FROM sched AS s
WHERE s.cpu = $cpu AND s.dur != -1 AND s.ts < $ts + __intrinsic_closed_dur($dur) AND s.ts + s.dur > $ts
  AND s.utid NOT IN (SELECT utid FROM thread WHERE is_idle)
GROUP BY s.end_state
ORDER BY dur DESC;
