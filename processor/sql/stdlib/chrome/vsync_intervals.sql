-- How often the display was refreshed, as Chrome was told.

CREATE PERFETTO TABLE chrome_vsync_intervals(
  -- The slice.
  slice_id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its track.
  track_id LONG,
  -- Until the next one.
  time_to_next_vsync LONG
) AS
SELECT
  id AS slice_id, ts, dur, track_id,
  lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS time_to_next_vsync
FROM slice
WHERE name = 'VSync'
ORDER BY track_id, ts;

-- The mean in a time; that of 60 a second where nothing is known. In ns.
CREATE PERFETTO FUNCTION chrome_calculate_avg_vsync_interval(
  -- Begin.
  begin_ts TIMESTAMP,
  -- End.
  end_ts TIMESTAMP
)
-- The mean.
RETURNS DOUBLE AS
SELECT
  coalesce(
    (
      SELECT avg(time_to_next_vsync)
      FROM chrome_vsync_intervals
      WHERE time_to_next_vsync IS NOT NULL AND ts >= $begin_ts AND ts < $end_ts
    ),
    1e9 / 60
  );
