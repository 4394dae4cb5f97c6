-- What users do, of both kinds: `J<NAME>`, whose frames count, and `L<NAME>`, whose length counts.

INCLUDE PERFETTO MODULE android.cujs.base;

-- Those whose frames count.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  -- Its number.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the slice.
  cuj_slice_name STRING,
  -- The name in it.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- Begin of the first frame; that of the slice if there is none.
  ts TIMESTAMP,
  -- End of the last frame; that of the slice if there is none.
  ts_end TIMESTAMP,
  -- From one to the other.
  dur DURATION,
  -- `completed`, `canceled`, or NULL where nothing is said.
  state STRING,
  -- The thread that draws.
  ui_thread JOINID(thread.id),
  -- The layer that it is about.
  layer_id LONG,
  -- First frame.
  begin_vsync LONG,
  -- Last frame.
  end_vsync LONG
) AS
SELECT
  cuj_id, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
  layer_id, begin_vsync, end_vsync
FROM android_jank_cuj;

-- Those whose length counts. A mark `cancel` or `timeout` on a track of that name says that one was not completed.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  -- Its number.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the slice.
  cuj_slice_name STRING,
  -- The name in it.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its begin.
  ts TIMESTAMP,
  -- Its end.
  ts_end TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- `completed`, or `canceled`.
  state STRING
) AS
WITH
  rows AS (
    SELECT
      s.id, s.ts, s.dur, s.name, k.upid, p.name AS process_name, k.name AS track_name
    FROM slice AS s
    JOIN process_track AS k ON k.id = s.track_id
    JOIN process AS p ON p.upid = k.upid
    WHERE s.name GLOB 'L<*>' AND s.dur > 0
  )
SELECT
  CAST(row_number() OVER (ORDER BY r.ts, r.id) AS INT) AS cuj_id, r.upid, r.process_name,
  r.name AS cuj_slice_name, substr(r.name, 3, length(r.name) - 3) AS cuj_name, r.id AS slice_id, r.ts,
  r.ts + r.dur AS ts_end, r.dur,
  iif(
    EXISTS(
      SELECT 1
      FROM process_track AS k JOIN slice AS m ON m.track_id = k.id
      WHERE k.upid = r.upid AND k.name = r.name AND m.dur = 0 AND m.ts BETWEEN r.ts AND r.ts + r.dur
        AND (m.name GLOB '*cancel*' OR m.name GLOB '*timeout*')
    ),
    'canceled', 'completed'
  ) AS state
FROM rows AS r
ORDER BY r.ts, r.id;

-- Both, with numbers from 1 on in the order of time.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- Its number here.
  cuj_id LONG,
  -- The same.
  id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the slice.
  cuj_slice_name STRING,
  -- The name in it.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its begin.
  ts TIMESTAMP,
  -- Its end.
  ts_end TIMESTAMP,
  -- From one to the other.
  dur DURATION,
  -- How it ended.
  state STRING,
  -- The thread that draws: of those whose length counts, the main thread.
  ui_thread JOINID(thread.id),
  -- The layer that it is about.
  layer_id LONG,
  -- First frame.
  begin_vsync LONG,
  -- Last frame.
  end_vsync LONG,
  -- `jank`, or `latency`.
  cuj_type STRING
) AS
WITH both AS (
  SELECT
    upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
    layer_id, begin_vsync, end_vsync, 'jank' AS cuj_type
  FROM android_sysui_jank_cujs
  UNION ALL
  SELECT
    c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id, c.ts, c.ts_end, c.dur, c.state,
    t.utid, NULL, NULL, NULL, 'latency'
  FROM android_sysui_latency_cujs AS c
  LEFT JOIN thread AS t ON t.upid = c.upid AND t.is_main_thread
)
SELECT
  CAST(row_number() OVER (ORDER BY ts, slice_id) AS INT) AS cuj_id,
  CAST(row_number() OVER (ORDER BY ts, slice_id) AS INT) AS id, upid, process_name, cuj_slice_name,
  cuj_name, slice_id, ts, ts_end, dur, state, ui_thread, layer_id, begin_vsync, end_vsync, cuj_type
FROM both
ORDER BY ts, slice_id;
