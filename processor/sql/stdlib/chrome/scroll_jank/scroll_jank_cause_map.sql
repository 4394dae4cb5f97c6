-- Where to look when a stage of an EventLatency slice took too long.

INCLUDE PERFETTO MODULE chrome.event_latency_description;

-- Threads that may hold a stage up.
CREATE PERFETTO TABLE chrome_scroll_jank_cause_descriptions(
  -- The stage.
  event_latency_stage STRING,
  -- Kind of the process.
  cause_process STRING,
  -- Name of the thread.
  cause_thread STRING,
  -- What to look for.
  cause_description STRING
) AS
WITH data(place, event_latency_stage, cause_process, cause_thread, cause_description) AS (
  VALUES
    (1, 'GenerationToBrowserMain', 'Browser', 'CrBrowserMain',
     'Long tasks on the main thread of the browser: it takes no input meanwhile.'),
    (2, 'RendererCompositorQueueingDelay', 'Renderer', 'Compositor',
     'The compositor is busy, or waits for the main thread of the page.'),
    (3, 'RendererCompositorQueueingDelay', 'GPU', 'VizCompositorThread',
     'The signal to begin a frame came late.'),
    (4, 'ReceiveCompositorFrameToStartDraw', 'GPU', 'VizCompositorThread',
     'The thread is busy, or waits for frames of other surfaces.'),
    (5, 'ReceiveCompositorFrameToStartDraw', 'GPU', 'CrGpuMain',
     'The main thread of the GPU process is busy with what the frame needs.'),
    (6, 'ReceiveCompositorFrameToStartDraw', 'Browser', 'CrBrowserMain',
     'The frame of the browser itself, which is shown with that of the page, is late.'),
    (7, 'BufferReadyToLatch', 'GPU', 'VizCompositorThread',
     'The buffer was ready too late for the refresh that it was meant for.'),
    (8, 'SwapEndToPresentationCompositorFrame', 'GPU', 'VizCompositorThread',
     'The picture was given to the system too late.'),
    (9, 'SwapEndToPresentationCompositorFrame', 'GPU', 'CrGpuMain',
     'The GPU had more to do than there was time for.'),
    (10, 'SwapEndToPresentationCompositorFrame', 'GPU', 'surfaceflinger',
     'The system was late itself with putting windows together.')
)
SELECT event_latency_stage, cause_process, cause_thread, cause_description
FROM data
ORDER BY place;

-- All stages, with the threads where there are any.
CREATE PERFETTO VIEW chrome_scroll_jank_causes_with_event_latencies(
  -- The stage.
  name STRING,
  -- What happens in it.
  description STRING,
  -- Kind of the process.
  cause_process STRING,
  -- Name of the thread.
  cause_thread STRING,
  -- What to look for.
  cause_description STRING
) AS
SELECT s.name, s.description, c.cause_process, c.cause_thread, c.cause_description
FROM chrome_event_latency_stage_descriptions AS s
LEFT JOIN chrome_scroll_jank_cause_descriptions AS c ON c.event_latency_stage = s.name;
