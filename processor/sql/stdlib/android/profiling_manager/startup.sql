-- Starts of an app that recorded itself: all slices are its own.

INCLUDE PERFETTO MODULE android.profiling_manager.util;

-- Cold starts, until the first frame and until the app said that it is ready.
CREATE PERFETTO TABLE android_profiling_manager_cold_startup(
  -- Begin of the start, as the app sees it.
  ts TIMESTAMP,
  -- Name of the slice in which it begins.
  name STRING,
  -- Its length.
  dur DURATION,
  -- How it ends: `TTFF` with the first frame, `TTI` where the app says that it was fully drawn.
  startup_checkpoint STRING
) AS
SELECT ts, name, dur, 'TTFF' AS startup_checkpoint
FROM _android_generate_start_to_end_slices('bindApplication', 'Choreographer#doFrame [0-9]*', TRUE)
UNION ALL
SELECT ts, name, dur, 'TTI'
FROM _android_generate_start_to_end_slices('bindApplication', 'reportFullyDrawn*', TRUE);
