-- Tasks of Chrome: the outermost pieces of work of its threads.

-- Whether slices of this category are pieces of work, and no part of another.
CREATE PERFETTO FUNCTION _any_top_level_category(category STRING)
RETURNS BOOL AS
SELECT $category IN ('toplevel', 'toplevel,viz', 'toplevel,Java');

-- Whether slices of this category were made by code in Java, and are pieces of work in this sense only.
CREATE PERFETTO FUNCTION _java_not_top_level_category(category STRING)
RETURNS BOOL AS
SELECT $category GLOB '*Java*' AND $category NOT GLOB '*toplevel*';

-- Where a task was posted, as `file:function`. NULL: it is not said.
CREATE PERFETTO FUNCTION _get_posted_from(arg_set_id ARGSETID)
RETURNS STRING AS
SELECT
  extract_arg($arg_set_id, 'task.posted_from.file_name') || ':'
  || extract_arg($arg_set_id, 'task.posted_from.function_name');

-- The name of a task that was posted there.
CREATE PERFETTO FUNCTION _format_scheduler_task_name(task_name STRING)
RETURNS STRING AS
SELECT 'RunTask(posted_from=' || $task_name || ')';

-- The kind of a task that draws.
CREATE PERFETTO FUNCTION _get_java_views_task_type(kind STRING)
RETURNS STRING AS
SELECT
  CASE $kind
    WHEN 'Choreographer' THEN 'choreographer'
    WHEN 'SingleThreadProxy::BeginMainFrame' THEN 'ui_thread_begin_main_frame'
  END;

-- Whether a slice around this one has the name.
CREATE PERFETTO FUNCTION _has_parent_slice_with_name(
  -- The slice.
  id LONG,
  -- The name.
  parent_name STRING
)
-- Whether there is one.
RETURNS BOOL AS
SELECT EXISTS (SELECT 1 FROM ancestor_slice($id) WHERE name = $parent_name);

-- The hash of the message that older releases write into a slice of its own.
CREATE PERFETTO FUNCTION _extract_mojo_ipc_hash(slice_id LONG)
RETURNS LONG AS
SELECT extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash')
FROM descendant_slice($slice_id)
WHERE name = 'ScopedSetIpcHash'
ORDER BY id
LIMIT 1;

-- 1 for a frame that is no part of another, 0 for one that is. NULL: it is not said.
CREATE PERFETTO FUNCTION _extract_frame_type(slice_id LONG)
RETURNS LONG AS
SELECT extract_arg(arg_set_id, 'render_frame_host.frame_type') = 'FRAME_TYPE_PRIMARY_MAIN_FRAME'
FROM descendant_slice($slice_id)
WHERE extract_arg(arg_set_id, 'render_frame_host.frame_type') IS NOT NULL
ORDER BY id
LIMIT 1;

-- Other names of tasks that begin or end navigations. NULL for others.
CREATE PERFETTO FUNCTION _human_readable_navigation_task_name(task_name STRING)
RETURNS STRING AS
SELECT
  CASE $task_name
    WHEN 'content.mojom.FrameHost message (hash=2168461044)' THEN 'FrameHost::BeginNavigation'
    WHEN 'content.mojom.FrameHost message (hash=3561497419)'
      THEN 'FrameHost::DidCommitProvisionalLoad'
    WHEN 'content.mojom.FrameHost message (hash=1421450774)'
      THEN 'FrameHost::DidCommitSameDocumentNavigation'
    WHEN 'content.mojom.FrameHost message (hash=368650583)' THEN 'FrameHost::DidStopLoading'
  END;

-- Slices in which a message of Mojo, or the answer to one, was received.
CREATE PERFETTO TABLE _chrome_mojo_slices AS
WITH
  named AS (
    SELECT
      id, name, arg_set_id,
      CASE
        WHEN name GLOB 'Receive mojo reply' OR name GLOB 'Receive *reply' THEN 'reply'
        ELSE 'message'
      END AS message_type,
      extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag') AS tag,
      extract_arg(arg_set_id, 'chrome_mojo_event_info.watcher_notify_interface_tag') AS old_tag
    FROM slice
    WHERE category GLOB '*toplevel*'
      AND (name GLOB 'Receive *' OR name = 'Connector::DispatchMessage')
  )
SELECT
  coalesce(tag, old_tag) AS interface_name,
  coalesce(
    extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash'),
    iif(tag IS NULL, _extract_mojo_ipc_hash(id), NULL)) AS ipc_hash,
  message_type,
  id
FROM named
WHERE tag IS NOT NULL OR old_tag IS NOT NULL
ORDER BY id;

-- Outermost slices made by code in Java that say what was done: those of the frameworks around it are
-- left out first.
CREATE PERFETTO TABLE _chrome_java_views AS
WITH
  views AS MATERIALIZED (
    SELECT id, name, ts, dur
    FROM slice
    WHERE _java_not_top_level_category(category)
      AND name NOT IN (
        'AndroidToolbar', 'ApplicationState', 'ContentFrameLayout', 'FitWindowsLinearLayout',
        'FitWindowsFrameLayout', 'ActionBarOverlayLayout', 'DecorView', 'CoordinatorLayout',
        'ViewRootImpl'
      )
      AND name NOT GLOB 'ChromePowerModeVoter.*'
      AND name NOT GLOB 'ViewResourceAdapter:*'
      AND name NOT GLOB 'CompositorView*'
      AND name NOT GLOB 'LayoutDriver:*'
  )
SELECT
  v.id, v.name, v.ts, v.dur,
  _has_parent_slice_with_name(v.id, 'ViewResourceAdapter:captureWithSoftwareDraw')
    AS is_software_screenshot,
  _has_parent_slice_with_name(v.id, 'ViewResourceAdapter:captureWithHardwareDraw')
    AS is_hardware_screenshot
FROM views AS v
WHERE NOT EXISTS (SELECT 1 FROM ancestor_slice(v.id) AS a WHERE a.id IN (SELECT id FROM views))
ORDER BY v.id;

-- Slices in which a view that is worth a name did something.
CREATE PERFETTO VIEW chrome_java_views(
  -- Name of the view.
  filtered_name STRING,
  -- Whether it was drawn for a picture of the toolbar, without the GPU.
  is_software_screenshot BOOL,
  -- Whether it was drawn for a picture of the toolbar, by the GPU.
  is_hardware_screenshot BOOL,
  -- The slice.
  slice_id LONG
) AS
SELECT name AS filtered_name, is_software_screenshot, is_hardware_screenshot, id AS slice_id
FROM _chrome_java_views;

-- Tasks that draw a frame on Android.
CREATE PERFETTO VIEW _chrome_choreographer_tasks AS
SELECT id, 'Choreographer' AS kind, ts, dur, name
FROM slice
WHERE name GLOB 'Looper.dispatch: android.view.Choreographer$FrameHandler*';

-- Tasks that draw a frame in the process of the browser, by the name that they shall have.
CREATE PERFETTO FUNCTION _select_begin_main_frame_java_slices(name STRING)
RETURNS TABLE(id LONG, kind STRING, ts TIMESTAMP, dur DURATION, name STRING) AS
SELECT id, 'SingleThreadProxy::BeginMainFrame' AS kind, ts, dur, name
FROM slice
WHERE name = $name
  AND extract_arg(arg_set_id, 'task.posted_from.file_name') GLOB '*cc/trees/single_thread_proxy.cc'
  AND extract_arg(arg_set_id, 'task.posted_from.function_name')
    = 'ScheduledActionSendBeginMainFrame';

-- Tasks that draw, with the views that they drew.
CREATE PERFETTO VIEW _chrome_slices_with_java_views AS
WITH
  tasks AS (
    SELECT id, kind FROM _chrome_choreographer_tasks
    UNION ALL
    SELECT id, kind
    FROM _select_begin_main_frame_java_slices('ThreadControllerImpl::RunTask')
  )
SELECT
  t.id, t.kind,
  (
    SELECT group_concat(DISTINCT v.name)
    FROM _chrome_java_views AS v
    WHERE v.id IN (SELECT d.id FROM descendant_slice(t.id) AS d)
  ) AS java_views
FROM tasks AS t;

-- Tasks that Chrome's scheduler ran.
CREATE PERFETTO TABLE _chrome_scheduler_tasks AS
SELECT id
FROM slice
WHERE category GLOB '*toplevel*' AND name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask')
ORDER BY id;

-- Tasks that Chrome's scheduler ran, with the place that posted them.
CREATE PERFETTO VIEW chrome_scheduler_tasks(
  -- The slice.
  id LONG,
  -- `chrome_scheduler_tasks`.
  type STRING,
  -- RunTask, with the place.
  name STRING,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid LONG,
  -- Its name.
  thread_name STRING,
  -- The process.
  upid LONG,
  -- Its name.
  process_name STRING,
  -- Alias for `slice.track_id`.
  track_id LONG,
  -- Alias for `slice.category`.
  category STRING,
  -- Alias for `slice.depth`.
  depth LONG,
  -- Alias for `slice.parent_id`.
  parent_id LONG,
  -- Alias for `slice.arg_set_id`.
  arg_set_id LONG,
  -- Alias for `slice.thread_ts`.
  thread_ts TIMESTAMP,
  -- Alias for `slice.thread_dur`.
  thread_dur DURATION,
  -- File and function that posted it.
  posted_from STRING
) AS
SELECT
  s.id, 'chrome_scheduler_tasks' AS type,
  _format_scheduler_task_name(_get_posted_from(s.arg_set_id)) AS name, s.ts, s.dur, t.utid,
  t.name AS thread_name, p.upid, p.name AS process_name, s.track_id, s.category, s.depth,
  s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur,
  _get_posted_from(s.arg_set_id) AS posted_from
FROM _chrome_scheduler_tasks AS c
CROSS JOIN slice AS s ON s.id = c.id
CROSS JOIN thread_track AS k ON k.id = s.track_id
CROSS JOIN thread AS t ON t.id = k.utid
LEFT JOIN process AS p ON p.id = t.upid;

-- The slice of a task that may be the message which it was for: the outermost one.
CREATE PERFETTO FUNCTION _get_descendant_mojo_slice_candidate(slice_id LONG)
RETURNS LONG AS
SELECT d.id
FROM descendant_slice($slice_id) AS d
WHERE d.id IN (SELECT id FROM _chrome_mojo_slices)
ORDER BY d.depth, d.ts
LIMIT 1;

-- The name of the task by the message which it was for. No row: it was for none.
CREATE PERFETTO FUNCTION _descendant_mojo_slice(slice_id LONG)
RETURNS TABLE(task_name STRING) AS
SELECT interface_name || ' ' || message_type || ' (hash=' || ipc_hash || ')' AS task_name
FROM _chrome_mojo_slices
WHERE id = _get_descendant_mojo_slice_candidate($slice_id);

-- Outermost slices of work, with name and kind.
CREATE PERFETTO TABLE _chrome_tasks AS
WITH
  work AS MATERIALIZED (
    SELECT id, name, category, arg_set_id
    FROM slice
    WHERE _any_top_level_category(category) OR category = 'toplevel,mojom'
      OR _java_not_top_level_category(category)
  ),
  outermost AS MATERIALIZED (
    SELECT w.*
    FROM work AS w
    JOIN slice AS s USING (id)
    WHERE s.parent_id IS NULL
      OR NOT EXISTS (SELECT 1 FROM ancestor_slice(w.id) AS a WHERE a.id IN (SELECT id FROM work))
  ),
  -- Tasks that were posted because a pipe has a message are called by that message.
  for_messages AS MATERIALIZED (
    SELECT o.id, (SELECT task_name FROM _descendant_mojo_slice(o.id)) AS task_name
    FROM outermost AS o
    WHERE o.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask')
      AND extract_arg(o.arg_set_id, 'task.posted_from.file_name') GLOB '*mojo/public/*'
  ),
  kinds AS (
    SELECT
      o.id, o.name AS slice_name, o.category, _get_posted_from(o.arg_set_id) AS posted_from,
      v.kind, v.java_views,
      coalesce(
        f.task_name,
        m.interface_name || ' ' || m.message_type || ' (hash=' || m.ipc_hash || ')') AS message,
      o.id IN (SELECT id FROM _chrome_scheduler_tasks) AS is_scheduled
    FROM outermost AS o
    LEFT JOIN _chrome_slices_with_java_views AS v ON v.id = o.id
    LEFT JOIN for_messages AS f ON f.id = o.id
    LEFT JOIN _chrome_mojo_slices AS m ON m.id = o.id
  )
SELECT
  id,
  CASE
    WHEN kind IS NOT NULL THEN printf('%s(java_views=%s)', kind, java_views)
    WHEN message IS NOT NULL THEN coalesce(_human_readable_navigation_task_name(message), message)
    WHEN is_scheduled THEN coalesce(_format_scheduler_task_name(posted_from), slice_name)
    ELSE slice_name
  END AS name,
  CASE
    WHEN kind IS NOT NULL THEN _get_java_views_task_type(kind)
    WHEN _human_readable_navigation_task_name(message) IS NOT NULL THEN 'navigation_task'
    WHEN message IS NOT NULL THEN 'mojo'
    WHEN is_scheduled THEN 'scheduler'
    WHEN _java_not_top_level_category(category) THEN 'java'
    ELSE 'other'
  END AS task_type
FROM kinds
ORDER BY id;

-- Outermost pieces of work of Chrome's threads: tasks of the scheduler, messages of Mojo, calls by the
-- system. Those of one thread do not overlap.
CREATE PERFETTO VIEW chrome_tasks(
  -- The slice.
  id LONG,
  -- Name of the task.
  name STRING,
  -- Its kind: scheduler, mojo, navigation_task, choreographer, ui_thread_begin_main_frame, java, other.
  task_type STRING,
  -- Name of the thread.
  thread_name STRING,
  -- The thread.
  utid LONG,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Alias for `slice.track_id`.
  track_id LONG,
  -- Alias for `slice.category`.
  category STRING,
  -- Alias for `slice.arg_set_id`.
  arg_set_id LONG,
  -- Alias for `slice.thread_ts`.
  thread_ts TIMESTAMP,
  -- Alias for `slice.thread_dur`.
  thread_dur LONG,
  -- The name again, as it was called before.
  full_name STRING
) AS
SELECT
  c.id, c.name, c.task_type, t.name AS thread_name, t.utid, p.name AS process_name, p.upid, s.ts,
  s.dur, s.track_id, s.category, s.arg_set_id, s.thread_ts, s.thread_dur, c.name AS full_name
FROM _chrome_tasks AS c
CROSS JOIN slice AS s ON s.id = c.id
CROSS JOIN thread_track AS k ON k.id = s.track_id
CROSS JOIN thread AS t ON t.id = k.utid
LEFT JOIN process AS p ON p.id = t.upid;
