-- Times for which power is summed up.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE slices.with_context;
INCLUDE PERFETTO MODULE wattson.utils;

-- The whole trace.
CREATE PERFETTO VIEW wattson_window_trace(
  -- Start of the time.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Number of the time.
  period_id LONG
) AS
SELECT trace_start() AS ts, trace_dur() AS dur, 1 AS period_id;

-- Between the markers wattson_start and wattson_stop.
CREATE PERFETTO VIEW wattson_window_markers(
  -- Start of the time.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Number of the time.
  period_id LONG
) AS
SELECT ts, dur, period_id FROM _wattson_markers_window;

-- Each start of an app; its number is that of the start.
CREATE PERFETTO VIEW wattson_window_app_startup(
  -- Start of the time.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Number of the time.
  period_id LONG
) AS
SELECT ts, dur, startup_id AS period_id FROM android_startups;

-- Each slice of apps that names itself wattson; its number is that of the slice.
CREATE PERFETTO VIEW wattson_window_atrace_apps(
  -- Start of the time.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Number of the time.
  period_id LONG
) AS
SELECT ts, dur, id AS period_id
FROM thread_or_process_slice
WHERE name GLOB 'wattson*' AND dur > 0 AND name NOT IN ('wattson_start', 'wattson_stop');
