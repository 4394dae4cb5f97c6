-- The camera of Pixel phones: its graph of nodes, and the memory of its processes.

INCLUDE PERFETTO MODULE android.memory.dmabuf;
INCLUDE PERFETTO MODULE linux.memory.process;
INCLUDE PERFETTO MODULE slices.with_context;

-- Slices of the graph of nodes: `camNODE_GROUP:PORTS (frame NUMBER)`.
CREATE PERFETTO TABLE pixel_camera_frames(
  -- The slice.
  id ID(slice.id),
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its track.
  track_id JOINID(track.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- The node.
  node STRING,
  -- Its group of ports.
  port_group STRING,
  -- Number of the frame.
  frame_number LONG,
  -- The camera.
  cam_id LONG
) AS
SELECT
  id, ts, dur, track_id, utid, thread_name,
  regexp_extract(name, '^cam[0-9]+_(.+?):') AS node,
  regexp_extract(name, '^cam[0-9]+_.+?:(.+?) \(frame') AS port_group,
  CAST(regexp_extract(name, '\(frame ([0-9]+)\)') AS INT) AS frame_number,
  CAST(regexp_extract(name, '^cam([0-9]+)_') AS INT) AS cam_id
FROM thread_slice
WHERE name GLOB 'cam[0-9]*_*:* (frame [0-9]*)'
ORDER BY id;

-- Resident memory of the processes whose name matches.
CREATE PERFETTO FUNCTION _pixel_camera_rss(name STRING)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, rss LONG) AS
SELECT
  ts, dur,
  coalesce(file_rss, 0) + coalesce(anon_rss, 0) + coalesce(shmem_rss, 0) AS rss
FROM memory_rss_and_swap_per_process
WHERE process_name GLOB $name AND file_rss IS NOT NULL AND anon_rss IS NOT NULL;

CREATE PERFETTO VIEW _rss_gca AS
SELECT ts, dur, rss AS gca_rss_val FROM _pixel_camera_rss('*GoogleCamera');

CREATE PERFETTO VIEW _rss_camera_hal AS
SELECT ts, dur, rss AS hal_rss_val FROM _pixel_camera_rss('*camera.provider*');

CREATE PERFETTO VIEW _rss_cameraserver AS
SELECT ts, dur, rss AS cameraserver_rss_val FROM _pixel_camera_rss('*cameraserver');

-- Memory that is shared with devices.
CREATE PERFETTO VIEW _dma_span AS
SELECT
  c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  c.value AS dma_val
FROM counter AS c
JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name = 'mem.dma_heap';

CREATE VIRTUAL TABLE _rss_gca_hal USING SPAN_OUTER_JOIN(_rss_gca, _rss_camera_hal);

CREATE VIRTUAL TABLE _rss_all_camera USING SPAN_OUTER_JOIN(_rss_gca_hal, _rss_cameraserver);

CREATE VIRTUAL TABLE _rss_and_dma_all_camera USING SPAN_OUTER_JOIN(_rss_all_camera, _dma_span);

-- Memory of all of them over time.
CREATE PERFETTO TABLE pixel_camera_memory_span(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Resident memory of the app.
  gca_rss LONG,
  -- Resident memory of the process that talks to the device.
  hal_rss LONG,
  -- Resident memory of the camera server.
  cameraserver_rss LONG,
  -- Memory shared with devices.
  dma LONG,
  -- All of it.
  rss_and_dma LONG
) AS
SELECT
  ts, dur, CAST(coalesce(gca_rss_val, 0) AS INT) AS gca_rss,
  CAST(coalesce(hal_rss_val, 0) AS INT) AS hal_rss,
  CAST(coalesce(cameraserver_rss_val, 0) AS INT) AS cameraserver_rss,
  CAST(coalesce(dma_val, 0) AS INT) AS dma,
  CAST(
    coalesce(gca_rss_val, 0) + coalesce(hal_rss_val, 0) + coalesce(cameraserver_rss_val, 0)
    + coalesce(dma_val, 0) AS INT
  ) AS rss_and_dma
FROM _rss_and_dma_all_camera;
