-- How long threads waited for a cpu before they ran.

CREATE PERFETTO TABLE sched_latency_for_running_interval(
  thread_state_id JOINID(thread_state.id), sched_id JOINID(sched.id), utid JOINID(thread.id),
  runnable_latency_id JOINID(thread_state.id), latency_dur LONG
) AS
WITH before AS (
  SELECT
    id, ts, utid, cpu, state,
    lag(id) OVER waits AS runnable_id,
    lag(state) OVER waits AS runnable_state,
    lag(dur) OVER waits AS runnable_dur
  FROM thread_state
  WHERE state IN ('R', 'R+', 'Running')
  WINDOW waits AS (PARTITION BY utid ORDER BY ts)
)
SELECT
  b.id AS thread_state_id, s.id AS sched_id, b.utid, b.runnable_id AS runnable_latency_id,
  b.runnable_dur AS latency_dur
FROM before AS b
JOIN sched AS s ON s.ts = b.ts AND s.utid = b.utid
WHERE b.state = 'Running' AND b.runnable_state IN ('R', 'R+')
ORDER BY b.id;
