-- What made a thread run: the runnable states before it ran.

-- prev_runnable_id: the last runnable state of the thread before it; prev_wakeup_runnable_id: the
-- last of those that a wakeup began, and not a preemption.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  id JOINID(thread_state.id), prev_runnable_id JOINID(thread_state.id),
  prev_wakeup_runnable_id JOINID(thread_state.id)
) AS
WITH states AS (
  SELECT
    id,
    state,
    max(iif(state IN ('R', 'R+'), id, NULL)) OVER before AS prev_runnable_id,
    max(iif(state = 'R', id, NULL)) OVER before AS prev_wakeup_runnable_id
  FROM thread_state
  WHERE dur != -1
  WINDOW before AS (
    PARTITION BY utid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
)
SELECT id, prev_runnable_id, prev_wakeup_runnable_id FROM states ORDER BY id;
