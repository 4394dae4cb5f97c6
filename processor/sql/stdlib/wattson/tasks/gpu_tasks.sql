-- Who keeps the graphics processor busy.

INCLUDE PERFETTO MODULE android.gpu.work_period;

-- Periods of work by user.
CREATE PERFETTO TABLE _gpu_tasks AS
SELECT s.ts, s.dur, t.uid, t.gpu_id
FROM slice AS s JOIN android_gpu_work_period_track AS t ON t.id = s.track_id
WHERE s.dur > 0
ORDER BY s.ts;

-- How many users are at work.
CREATE PERFETTO TABLE _gpu_active_task_count AS
SELECT ts, dur, active_tasks
FROM (
  SELECT
    ts, lead(ts) OVER (ORDER BY ts) - ts AS dur,
    sum(change) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS active_tasks
  FROM (
    SELECT ts, sum(change) AS change
    FROM (
      SELECT ts, 1 AS change FROM _gpu_tasks
      UNION ALL
      SELECT ts + dur, -1 FROM _gpu_tasks
    )
    GROUP BY ts
  )
)
WHERE active_tasks > 0 AND dur > 0
ORDER BY ts;
