-- Threads that draw what a user does.

INCLUDE PERFETTO MODULE android.cujs.base;

-- The thread of this name in the process of each thing that a user did.
CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(
  -- The name.
  thread_name STRING
)
RETURNS TABLE(
  -- What the user did.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid LONG,
  -- Its name.
  name STRING,
  -- Its track.
  track_id LONG
) AS
SELECT c.cuj_id, t.upid, t.utid, t.name, k.id AS track_id
FROM android_jank_cuj AS c
JOIN thread AS t USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.name = $thread_name;

-- The thread that the program itself draws on.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread AS
SELECT c.cuj_id, t.upid, t.utid, t.name, k.id AS track_id
FROM android_jank_cuj AS c
JOIN thread AS t ON t.utid = c.ui_thread
JOIN thread_track AS k ON k.utid = t.utid;

-- The thread that gives what is drawn to the GPU.
CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  -- What the user did.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  name STRING,
  -- Its track.
  track_id JOINID(track.id)
) AS
SELECT * FROM android_jank_cuj_app_thread('RenderThread');

CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_thread AS
SELECT * FROM android_jank_cuj_app_thread('GPU completion');

CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_thread AS
SELECT * FROM android_jank_cuj_app_thread('HWC release');

-- The process that puts the windows of all programs together, and its threads.
CREATE PERFETTO TABLE _android_jank_cuj_sf_process AS
SELECT upid, name FROM process WHERE name GLOB '*surfaceflinger' ORDER BY upid;

CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_thread AS
SELECT t.upid, t.utid, t.name, k.id AS track_id
FROM _android_jank_cuj_sf_process AS p
JOIN thread AS t USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.name = 'GPU completion';

CREATE PERFETTO TABLE _android_jank_cuj_sf_render_engine_thread AS
SELECT t.upid, t.utid, t.name, k.id AS track_id
FROM _android_jank_cuj_sf_process AS p
JOIN thread AS t USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.name = 'RenderEngine';
