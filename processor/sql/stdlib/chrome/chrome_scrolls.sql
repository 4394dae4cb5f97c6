-- Scrolls in Chrome: from the first update to the end of the last one.

CREATE PERFETTO TABLE chrome_scrolls(
  -- Its number.
  id LONG,
  -- Begin of the first update.
  ts TIMESTAMP,
  -- Until the last update was over.
  dur DURATION,
  -- When the scroll was announced, where updates say which scroll they belong to.
  gesture_scroll_begin_ts TIMESTAMP,
  -- When its end was announced; else the last update.
  gesture_scroll_end_ts TIMESTAMP
) AS
WITH
  events AS MATERIALIZED (
    SELECT
      id, ts, dur, extract_arg(arg_set_id, 'event_latency.event_type') AS event_type,
      extract_arg(arg_set_id, 'event_latency.gesture_scroll_id') AS gesture_id
    FROM slice
    WHERE name = 'EventLatency'
      AND extract_arg(arg_set_id, 'event_latency.event_type') GLOB '*GESTURE_SCROLL_*'
  ),
  updates AS (
    SELECT
      *,
      sum(event_type = 'FIRST_GESTURE_SCROLL_UPDATE') OVER (ORDER BY ts, id ROWS UNBOUNDED PRECEDING)
        AS scroll_no
    FROM events
    WHERE event_type GLOB '*GESTURE_SCROLL_UPDATE' AND dur >= 0
  ),
  scrolls AS (
    SELECT scroll_no, min(ts) AS ts, max(ts + dur) AS ts_end, max(ts) AS last_ts, min(gesture_id) AS gesture_id
    FROM updates
    GROUP BY scroll_no
  )
SELECT
  CAST(row_number() OVER (ORDER BY s.ts) AS INT) AS id, s.ts, s.ts_end - s.ts AS dur,
  (
    SELECT min(b.ts) FROM events AS b
    WHERE b.event_type = 'GESTURE_SCROLL_BEGIN' AND b.gesture_id = s.gesture_id
  ) AS gesture_scroll_begin_ts,
  iif(
    s.gesture_id IS NULL, NULL,
    coalesce(
      (
        SELECT min(e.ts) FROM events AS e
        WHERE e.event_type = 'GESTURE_SCROLL_END' AND e.gesture_id = s.gesture_id
      ),
      s.last_ts
    )
  ) AS gesture_scroll_end_ts
FROM scrolls AS s
ORDER BY s.ts;

-- The stages of an update, with the columns of chrome_scroll_update_info that have their begin and
-- their length.
CREATE PERFETTO TABLE chrome_scroll_update_info_step_templates(
  -- The stage.
  step_name STRING,
  -- Column with its begin.
  ts_column_name STRING,
  -- Column with its length. NULL: it has none.
  dur_column_name STRING
) AS
WITH steps(place, step_name, ts_column_name, dur_column_name) AS (
  VALUES
    (1, 'GenerationToBrowserMain', 'generation_ts', 'generation_to_browser_main_dur'),
    (2, 'TouchMoveProcessing', 'touch_move_received_ts', 'touch_move_processing_dur'),
    (3, 'ScrollUpdateProcessing', 'scroll_update_created_ts', 'scroll_update_processing_dur'),
    (4, 'BrowserMainToRendererCompositor', 'scroll_update_created_end_ts',
     'browser_to_compositor_delay_dur'),
    (5, 'RendererCompositorDispatch', 'compositor_dispatch_ts', 'compositor_dispatch_dur'),
    (6, 'RendererCompositorDispatchToOnBeginFrame', 'compositor_dispatch_end_ts',
     'compositor_dispatch_to_on_begin_frame_delay_dur'),
    (7, 'RendererCompositorBeginFrame', 'compositor_on_begin_frame_ts',
     'compositor_on_begin_frame_dur'),
    (8, 'RendererCompositorBeginToGenerateFrame', 'compositor_on_begin_frame_end_ts',
     'compositor_on_begin_frame_to_generation_delay_dur'),
    (9, 'RendererCompositorGenerateToSubmitFrame', 'compositor_generate_compositor_frame_ts',
     'compositor_generate_frame_to_submit_frame_dur'),
    (10, 'RendererCompositorSubmitFrame', 'compositor_submit_compositor_frame_ts',
     'compositor_submit_frame_dur'),
    (11, 'RendererCompositorToViz', 'compositor_submit_compositor_frame_end_ts',
     'compositor_to_viz_delay_dur'),
    (12, 'VizReceiveFrame', 'viz_receive_compositor_frame_ts', 'viz_receive_compositor_frame_dur'),
    (13, 'VizReceiveToDrawFrame', 'viz_receive_compositor_frame_end_ts', 'viz_wait_for_draw_dur'),
    (14, 'VizDrawToSwapFrame', 'viz_draw_and_swap_ts', 'viz_draw_and_swap_dur'),
    (15, 'VizToGpu', 'viz_send_buffer_swap_end_ts', 'viz_to_gpu_delay_dur'),
    (16, 'VizSwapBuffers', 'viz_swap_buffers_ts', 'viz_swap_buffers_dur'),
    (17, 'VizSwapBuffersToLatch', 'viz_swap_buffers_end_ts', 'viz_swap_buffers_to_latch_dur'),
    (18, 'VizLatchToPresentation', 'latch_timestamp', 'viz_latch_to_presentation_dur'),
    (19, 'Presentation', 'presentation_timestamp', NULL)
)
SELECT step_name, ts_column_name, dur_column_name FROM steps ORDER BY place;
