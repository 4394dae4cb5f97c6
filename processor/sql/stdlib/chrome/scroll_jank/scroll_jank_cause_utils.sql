-- Finding the threads that made a scroll late.

-- Kinds of processes, and how they are named.
CREATE PERFETTO TABLE _process_type_to_name AS
WITH data(process_type, process_name, process_glob) AS (
  VALUES ('Browser', 'Browser', '*.chrome'), ('GPU', 'Gpu', '*.chrome*:privileged_process*')
)
SELECT * FROM data;

CREATE PERFETTO FUNCTION _get_process_name(
  -- The kind of process.
  type STRING
)
-- Its name.
RETURNS STRING AS
SELECT process_name FROM _process_type_to_name WHERE process_type = $type;

CREATE PERFETTO FUNCTION _get_process_glob(
  -- The kind of process.
  type STRING
)
-- A pattern of its name on Android.
RETURNS STRING AS
SELECT process_glob FROM _process_type_to_name WHERE process_type = $type;

-- Processes of a kind.
CREATE PERFETTO FUNCTION _get_process_id_by_type(
  -- The kind of process.
  type STRING
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id)
) AS
SELECT upid
FROM process
WHERE name = _get_process_name($type) OR name GLOB _get_process_glob($type);

CREATE PERFETTO FUNCTION _get_process_id_for_surfaceflinger()
-- The process that composes the screen.
RETURNS LONG AS
SELECT upid FROM process WHERE name GLOB '*surfaceflinger*' LIMIT 1;

CREATE PERFETTO FUNCTION _get_renderer_upid_for_event_latency(
  -- An EventLatency slice.
  id LONG
)
-- The process that drew the page.
RETURNS LONG AS
SELECT t.upid
FROM descendant_slice($id) AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LIMIT 1;

-- Processes of a kind that took part in an input; those of the page are its renderer.
CREATE PERFETTO FUNCTION _processes_by_type_for_event_latency(
  -- The kind of process.
  type STRING,
  -- Name of the thread.
  thread STRING,
  -- An EventLatency slice.
  event_latency_id LONG
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id)
) AS
SELECT upid FROM _get_process_id_by_type($type) WHERE $type != 'Renderer'
UNION ALL
SELECT _get_renderer_upid_for_event_latency($event_latency_id)
WHERE $type = 'Renderer' AND $thread IS NOT NULL;

-- The thread to look at.
CREATE PERFETTO FUNCTION chrome_select_scroll_jank_cause_thread(
  -- An EventLatency slice.
  event_latency_id LONG,
  -- The kind of process.
  process_type STRING,
  -- Name of the thread.
  thread_name STRING
)
RETURNS TABLE(
  -- The thread.
  utid JOINID(thread.id)
) AS
SELECT utid
FROM thread
WHERE name = $thread_name AND upid IN (
  SELECT upid
  FROM _processes_by_type_for_event_latency($process_type, $thread_name, $event_latency_id)
);
