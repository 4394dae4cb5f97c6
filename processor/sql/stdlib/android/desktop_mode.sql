-- Windows of the desktop mode, as statsd tells of them.

INCLUDE PERFETTO MODULE android.statsd;

-- One row for each time that a window was open.
CREATE PERFETTO TABLE android_desktop_mode_windows(
  -- When it was opened; NULL: before the trace.
  raw_add_ts TIMESTAMP,
  -- When it was closed; NULL: after the trace.
  raw_remove_ts TIMESTAMP,
  -- When it was opened, or the begin of the trace.
  ts TIMESTAMP,
  -- Until it was closed, or the trace ended.
  dur DURATION,
  -- Number of the window.
  instance_id LONG,
  -- User of the app in it.
  uid LONG
) AS
WITH
  marks AS (
    SELECT
      id, ts, extract_arg(arg_set_id, 'desktop_mode_session_task_update.task_event') AS mark,
      extract_arg(arg_set_id, 'desktop_mode_session_task_update.instance_id') AS instance_id,
      extract_arg(arg_set_id, 'desktop_mode_session_task_update.uid') AS uid
    FROM android_statsd_atoms
    WHERE name = 'desktop_mode_session_task_update'
  ),
  -- The times that a window was open are told apart by its openings up to here and its closings before.
  times AS (
    SELECT
      *,
      sum(mark = 'TASK_ADDED') OVER one_window
      + sum(mark = 'TASK_REMOVED') OVER one_window - (mark = 'TASK_REMOVED') AS nr
    FROM marks
    WINDOW one_window AS (PARTITION BY instance_id ORDER BY ts, id ROWS UNBOUNDED PRECEDING)
  ),
  windows AS (
    SELECT
      instance_id, min(uid) AS uid, min(iif(mark = 'TASK_ADDED', ts, NULL)) AS raw_add_ts,
      max(iif(mark = 'TASK_REMOVED', ts, NULL)) AS raw_remove_ts
    FROM times
    GROUP BY instance_id, nr
  )
SELECT
  raw_add_ts, raw_remove_ts, coalesce(raw_add_ts, trace_start()) AS ts,
  coalesce(raw_remove_ts, trace_end()) - coalesce(raw_add_ts, trace_start()) AS dur, instance_id, uid
FROM windows
ORDER BY ts, instance_id;
