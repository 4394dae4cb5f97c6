-- The way of input through Chrome: slices LatencyInfo.Flow, one for each step.

-- Begin of the task that a slice is in, where it tells how long before that was.
CREATE PERFETTO FUNCTION _chrome_task_start_ts(ts TIMESTAMP, arg_set_id ARGSETID)
RETURNS LONG AS
SELECT
  $ts - 1000 * extract_arg($arg_set_id, 'current_task.event_offset_from_task_start_time_us');

-- All slices, with the input that they belong to.
CREATE PERFETTO TABLE _chrome_input_flow AS
SELECT
  s.id AS slice_id, s.ts, s.dur, s.arg_set_id, k.utid,
  extract_arg(s.arg_set_id, 'chrome_latency_info.trace_id') AS latency_id,
  extract_arg(s.arg_set_id, 'chrome_latency_info.step') AS step,
  extract_arg(s.arg_set_id, 'chrome_latency_info.input_type') AS input_type
FROM slice AS s
LEFT JOIN thread_track AS k ON k.id = s.track_id
WHERE s.name = 'LatencyInfo.Flow'
ORDER BY s.id;

-- The steps, with the kind of input only where the slice says it.
CREATE PERFETTO TABLE _chrome_input_pipeline_steps_no_input_type(
  -- The input.
  latency_id LONG,
  -- The slice.
  slice_id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid LONG,
  -- The step.
  step STRING,
  -- Kind of the input.
  input_type STRING,
  -- Begin of the task that the step is in.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  latency_id, slice_id, ts, dur, utid, step, input_type,
  _chrome_task_start_ts(ts, arg_set_id) AS task_start_time_ts
FROM _chrome_input_flow
WHERE step IS NOT NULL AND latency_id != -1
ORDER BY slice_id;

-- One row for each input.
CREATE PERFETTO TABLE chrome_inputs(
  -- The input.
  latency_id LONG,
  -- Its kind.
  input_type STRING
) AS
SELECT latency_id, max(input_type) AS input_type
FROM _chrome_input_pipeline_steps_no_input_type
GROUP BY latency_id
ORDER BY latency_id;

-- The steps, with the kind that any slice of the input says.
CREATE PERFETTO TABLE chrome_input_pipeline_steps(
  -- The input.
  latency_id LONG,
  -- The slice.
  slice_id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid LONG,
  -- The step.
  step STRING,
  -- Kind of the input.
  input_type STRING,
  -- Begin of the task that the step is in.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  s.latency_id, s.slice_id, s.ts, s.dur, s.utid, s.step, i.input_type, s.task_start_time_ts
FROM _chrome_input_pipeline_steps_no_input_type AS s
JOIN chrome_inputs AS i USING (latency_id)
WHERE i.input_type IS NOT NULL
ORDER BY s.slice_id;

-- Inputs that were made one with another.
CREATE PERFETTO TABLE chrome_coalesced_inputs(
  -- The one that is gone.
  coalesced_latency_id LONG,
  -- The one that it is part of.
  presented_latency_id LONG
) AS
SELECT
  a.int_value AS coalesced_latency_id, f.latency_id AS presented_latency_id
FROM _chrome_input_flow AS f
JOIN args AS a USING (arg_set_id)
WHERE f.step = 'STEP_RESAMPLE_SCROLL_EVENTS'
  AND a.flat_key = 'chrome_latency_info.coalesced_trace_ids' AND a.int_value != f.latency_id
GROUP BY a.int_value
ORDER BY a.int_value;

-- Scrolls begin as touches: which became which. The step that makes a scroll lies in that of the touch.
CREATE PERFETTO TABLE chrome_touch_move_to_scroll_update(
  -- The touch.
  touch_move_latency_id LONG,
  -- The scroll.
  scroll_update_latency_id LONG
) AS
SELECT
  t.latency_id AS touch_move_latency_id, min(u.latency_id) AS scroll_update_latency_id
FROM chrome_input_pipeline_steps AS u
JOIN ancestor_slice(u.slice_id) AS a
JOIN chrome_input_pipeline_steps AS t ON t.slice_id = a.id
WHERE u.step = 'STEP_SEND_INPUT_EVENT_UI' AND u.input_type = 'GESTURE_SCROLL_UPDATE_EVENT'
  AND t.input_type = 'TOUCH_MOVE_EVENT'
GROUP BY t.latency_id
ORDER BY t.latency_id;

-- The number that the system gave to the touch.
CREATE PERFETTO TABLE chrome_dispatch_android_input_event_to_touch_move(
  -- The number, in hexadecimal.
  android_input_id STRING,
  -- The touch.
  touch_move_latency_id LONG
) AS
SELECT
  regexp_extract(a.name, 'id=(0x[0-9a-f]+)') AS android_input_id,
  s.latency_id AS touch_move_latency_id
FROM chrome_input_pipeline_steps AS s
JOIN ancestor_slice(s.slice_id) AS a
WHERE s.input_type = 'TOUCH_MOVE_EVENT' AND s.step = 'STEP_SEND_INPUT_EVENT_UI'
  AND a.name GLOB 'deliverInputEvent*id=0x*'
ORDER BY s.latency_id;
