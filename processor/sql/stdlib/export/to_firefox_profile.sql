-- Samples of cpus as a profile that https://profiler.firefox.com opens.

INCLUDE PERFETTO MODULE callstacks.stack_profile;
INCLUDE PERFETTO MODULE stacks.cpu_profiling;

-- The nodes of the call forest that the samples of each thread lead to, numbered within the
-- thread: a node comes behind the one that called it.
CREATE PERFETTO TABLE _firefox_stacks AS
WITH RECURSIVE
  leaves AS (
    SELECT DISTINCT s.utid, f.id AS node
    FROM cpu_profiling_samples AS s JOIN _callstack_spc_forest AS f USING (callsite_id)
    WHERE f.is_leaf_function_in_callsite_frame AND s.utid IS NOT NULL
  ),
  used(utid, node) AS (
    SELECT utid, node FROM leaves
    UNION
    SELECT u.utid, f.parent_id
    FROM used AS u JOIN _callstack_spc_forest AS f ON f.id = u.node
    WHERE f.parent_id IS NOT NULL
  )
SELECT
  row_number() OVER (PARTITION BY u.utid ORDER BY u.node) - 1 AS stack,
  u.utid, u.node, f.parent_id,
  coalesce(f.name, 'unknown') AS name,
  nullif(m.name, '') AS module,
  f.source_file, f.line_number
FROM used AS u
JOIN _callstack_spc_forest AS f ON f.id = u.node
LEFT JOIN stack_profile_mapping AS m ON m.id = f.mapping_id
ORDER BY u.utid, stack;

-- The texts of each thread.
CREATE PERFETTO TABLE _firefox_strings AS
WITH texts AS (
  SELECT utid, name AS text FROM _firefox_stacks
  UNION
  SELECT utid, module FROM _firefox_stacks WHERE module IS NOT NULL
  UNION
  SELECT utid, source_file FROM _firefox_stacks WHERE source_file IS NOT NULL
)
SELECT utid, text, row_number() OVER (PARTITION BY utid ORDER BY text) - 1 AS idx
FROM texts
ORDER BY utid, idx;

CREATE PERFETTO INDEX _firefox_strings_by_text ON _firefox_strings(utid, text);

CREATE PERFETTO FUNCTION _firefox_string(utid LONG, text STRING)
RETURNS LONG AS
SELECT idx FROM _firefox_strings WHERE utid = $utid AND text = $text;

-- The modules of each thread.
CREATE PERFETTO TABLE _firefox_resources AS
SELECT
  utid, module, row_number() OVER (PARTITION BY utid ORDER BY module) - 1 AS idx,
  _firefox_string(utid, module) AS name
FROM (SELECT DISTINCT utid, module FROM _firefox_stacks WHERE module IS NOT NULL)
ORDER BY utid, idx;

-- Functions by name, module and file; every place of one that stacks mention is a frame.
CREATE PERFETTO TABLE _firefox_places AS
SELECT
  utid, stack, node, parent_id, line_number,
  dense_rank() OVER (
    PARTITION BY utid ORDER BY name, coalesce(module, ''), coalesce(source_file, '')
  ) - 1 AS func,
  dense_rank() OVER (
    PARTITION BY utid
    ORDER BY name, coalesce(module, ''), coalesce(source_file, ''), coalesce(line_number, -1)
  ) - 1 AS frame,
  _firefox_string(utid, name) AS name,
  _firefox_string(utid, source_file) AS file,
  module
FROM _firefox_stacks
ORDER BY utid, stack;

CREATE PERFETTO FUNCTION _firefox_func_table(utid LONG)
RETURNS STRING AS
SELECT
  json_object(
    'length', count(*),
    'name', json_group_array(name),
    'isJS', json_group_array(json('false')),
    'relevantForJS', json_group_array(json('false')),
    'resource', json_group_array(resource),
    'fileName', json_group_array(file),
    'lineNumber', json_group_array(NULL),
    'columnNumber', json_group_array(NULL)
  )
FROM (
  SELECT p.func, min(p.name) AS name, min(p.file) AS file, coalesce(min(r.idx), -1) AS resource
  FROM _firefox_places AS p
  LEFT JOIN _firefox_resources AS r ON r.utid = p.utid AND r.module = p.module
  WHERE p.utid = $utid
  GROUP BY p.func
  ORDER BY p.func
);

CREATE PERFETTO FUNCTION _firefox_frame_table(utid LONG)
RETURNS STRING AS
SELECT
  json_object(
    'length', count(*),
    'address', json_group_array(-1),
    'inlineDepth', json_group_array(0),
    'category', json_group_array(0),
    'subcategory', json_group_array(0),
    'func', json_group_array(func),
    'nativeSymbol', json_group_array(NULL),
    'innerWindowID', json_group_array(NULL),
    'implementation', json_group_array(NULL),
    'line', json_group_array(line),
    'column', json_group_array(NULL)
  )
FROM (
  SELECT frame, min(func) AS func, min(line_number) AS line
  FROM _firefox_places WHERE utid = $utid
  GROUP BY frame
  ORDER BY frame
);

CREATE PERFETTO FUNCTION _firefox_stack_table(utid LONG)
RETURNS STRING AS
SELECT
  json_object(
    'length', count(*),
    'frame', json_group_array(frame),
    'category', json_group_array(0),
    'subcategory', json_group_array(0),
    'prefix', json_group_array(prefix)
  )
FROM (
  SELECT p.frame, up.stack AS prefix
  FROM _firefox_places AS p
  LEFT JOIN _firefox_places AS up ON up.utid = p.utid AND up.node = p.parent_id
  WHERE p.utid = $utid
  ORDER BY p.stack
);

-- Times are milliseconds of the clock of the trace.
CREATE PERFETTO FUNCTION _firefox_samples(utid LONG)
RETURNS STRING AS
SELECT
  json_object(
    'length', count(*),
    'stack', json_group_array(stack),
    'time', json_group_array(time_ms),
    'weight', NULL,
    'weightType', 'samples'
  )
FROM (
  SELECT p.stack, s.ts / 1e6 AS time_ms
  FROM cpu_profiling_samples AS s
  JOIN _callstack_spc_forest AS f USING (callsite_id)
  JOIN _firefox_places AS p ON p.utid = s.utid AND p.node = f.id
  WHERE s.utid = $utid AND f.is_leaf_function_in_callsite_frame
  ORDER BY s.ts, s.id
);

CREATE PERFETTO FUNCTION _firefox_thread(utid LONG)
RETURNS STRING AS
SELECT
  json_object(
    'name', coalesce(t.name, ''),
    'processName', coalesce(p.name, ''),
    'processType', 'default',
    'isMainThread', json(iif(t.is_main_thread, 'true', 'false')),
    'pid', CAST(coalesce(p.pid, 0) AS TEXT),
    'tid', t.tid,
    'registerTime', 0,
    'unregisterTime', NULL,
    'processStartupTime', 0,
    'processShutdownTime', NULL,
    'pausedRanges', json('[]'),
    'showMarkersInTimeline', json('false'),
    'samples', json(_firefox_samples($utid)),
    'stackTable', json(_firefox_stack_table($utid)),
    'frameTable', json(_firefox_frame_table($utid)),
    'funcTable', json(_firefox_func_table($utid)),
    'resourceTable', (
      SELECT
        json_object(
          'length', count(*), 'lib', json_group_array(NULL), 'name', json_group_array(name),
          'host', json_group_array(NULL), 'type', json_group_array(1)
        )
      FROM (SELECT name FROM _firefox_resources WHERE utid = $utid ORDER BY idx)
    ),
    'nativeSymbols', json('{"length":0,"address":[],"functionSize":[],"libIndex":[],"name":[]}'),
    'markers',
    json('{"length":0,"category":[],"data":[],"endTime":[],"name":[],"phase":[],"startTime":[]}'),
    'stringArray', (
      SELECT json_group_array(text)
      FROM (SELECT text FROM _firefox_strings WHERE utid = $utid ORDER BY idx)
    )
  )
FROM thread AS t LEFT JOIN process AS p USING (upid)
WHERE t.utid = $utid;

-- The samples of `stacks.cpu_profiling` as the text of a profile of the Firefox Profiler: one
-- thread for each that was sampled.
CREATE PERFETTO FUNCTION export_to_firefox_profile()
RETURNS STRING AS
SELECT
  json_object(
    'meta', json_object(
      'version', 29,
      'preprocessedProfileVersion', 48,
      'interval', 1,
      'startTime', 0,
      'processType', 0,
      'product', 'Perfetto',
      'stackwalk', 1,
      'debug', json('false'),
      'gcpoison', json('false'),
      'symbolicated', json('true'),
      'keepProfileThreadOrder', json('true'),
      'categories', json('[{"name":"Other","color":"grey","subcategories":["Other"]}]'),
      'markerSchema', json('[]'),
      'platform', coalesce(extract_metadata('system_name'), ''),
      'oscpu', coalesce(extract_metadata('system_machine'), '')
    ),
    'libs', json('[]'),
    'threads', (
      SELECT json_group_array(json(_firefox_thread(utid)))
      FROM (SELECT DISTINCT utid FROM _firefox_stacks ORDER BY utid)
    )
  );
