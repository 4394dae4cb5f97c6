-- The way of frames through Chrome: slices Graphics.Pipeline, one for each step.

INCLUDE PERFETTO MODULE chrome.input;

CREATE PERFETTO TABLE _chrome_graphics_steps AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.arg_set_id, k.utid,
  extract_arg(s.arg_set_id, 'chrome_graphics_pipeline.step') AS step,
  extract_arg(s.arg_set_id, 'chrome_graphics_pipeline.surface_frame_trace_id')
    AS surface_frame_trace_id,
  extract_arg(s.arg_set_id, 'chrome_graphics_pipeline.display_trace_id') AS display_trace_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
WHERE s.name = 'Graphics.Pipeline'
ORDER BY s.track_id, s.id;

-- Steps of a frame of one surface, before all surfaces are put together.
CREATE PERFETTO TABLE chrome_graphics_pipeline_surface_frame_steps(
  -- The slice.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The step.
  step STRING,
  -- The frame.
  surface_frame_trace_id LONG,
  -- The thread.
  utid LONG,
  -- Begin of the task that the step is in.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  id, ts, dur, step, surface_frame_trace_id, utid,
  _chrome_task_start_ts(ts, arg_set_id) AS task_start_time_ts
FROM _chrome_graphics_steps
WHERE surface_frame_trace_id IS NOT NULL;

-- Steps of what the display shows.
CREATE PERFETTO TABLE chrome_graphics_pipeline_display_frame_steps(
  -- The slice.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The step.
  step STRING,
  -- What is shown.
  display_trace_id LONG,
  -- The thread.
  utid LONG,
  -- Begin of the task that the step is in.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  id, ts, dur, step, display_trace_id, utid,
  _chrome_task_start_ts(ts, arg_set_id) AS task_start_time_ts
FROM _chrome_graphics_steps
WHERE display_trace_id IS NOT NULL
ORDER BY display_trace_id, step, ts;

-- The first time that the frame of a surface was shown.
CREATE PERFETTO TABLE chrome_surface_frame_id_to_first_display_id(
  -- The frame.
  surface_frame_trace_id LONG,
  -- What was shown.
  display_trace_id LONG
) AS
WITH shown AS (
  SELECT
    a.int_value AS surface_frame_trace_id, g.display_trace_id,
    row_number() OVER (PARTITION BY a.int_value ORDER BY g.ts) AS place
  FROM _chrome_graphics_steps AS g
  JOIN args AS a USING (arg_set_id)
  WHERE g.step = 'STEP_SURFACE_AGGREGATION'
    AND a.flat_key = 'chrome_graphics_pipeline.aggregated_surface_frame_trace_ids'
)
SELECT surface_frame_trace_id, display_trace_id
FROM shown
WHERE place = 1
ORDER BY surface_frame_trace_id;

-- The frame of a surface that shows an input.
CREATE PERFETTO TABLE chrome_graphics_pipeline_inputs_to_surface_frames(
  -- The input.
  latency_id LONG,
  -- The frame.
  surface_frame_trace_id LONG
) AS
SELECT a.int_value AS latency_id, max(g.surface_frame_trace_id) AS surface_frame_trace_id
FROM _chrome_graphics_steps AS g
JOIN args AS a USING (arg_set_id)
WHERE g.step = 'STEP_SUBMIT_COMPOSITOR_FRAME'
  AND a.flat_key = 'chrome_graphics_pipeline.latency_ids'
GROUP BY a.int_value
ORDER BY a.int_value;
