-- What made a thread run: the runnable states before it ran.

-- Of each run that ended. prev_runnable_id: the last state of the thread before it in which it
-- could run, whatever lies between them; prev_wakeup_runnable_id: the last of those that another
-- thread's wakeup began, not an interrupt.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  -- Alias for `thread_state.id`: a run.
  id JOINID(thread_state.id),
  -- Alias for `thread_state.id`: the runnable state before it.
  prev_runnable_id JOINID(thread_state.id),
  -- Alias for `thread_state.id`: the runnable state before it that a wakeup began.
  prev_wakeup_runnable_id JOINID(thread_state.id)
) AS
WITH states AS (
  SELECT
    id,
    state,
    dur,
    max(iif(state GLOB 'R*' AND state != 'Running', id, NULL)) OVER before AS prev_runnable_id,
    max(
      iif(
        state GLOB 'R*' AND state != 'Running' AND waker_utid IS NOT NULL AND irq_context IS NOT 1,
        id,
        NULL
      )
    ) OVER before AS prev_wakeup_runnable_id
  FROM thread_state
  WINDOW before AS (
    PARTITION BY utid ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
)
SELECT id, prev_runnable_id, prev_wakeup_runnable_id
FROM states
WHERE state = 'Running' AND dur != -1
ORDER BY id;
