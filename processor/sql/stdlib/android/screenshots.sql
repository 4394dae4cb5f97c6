-- Pictures of the screen.

CREATE PERFETTO TABLE android_screenshots(
  -- Number of the slice.
  id ID(slice.id),
  -- When the picture was taken.
  ts TIMESTAMP,
  -- Length of the slice.
  dur DURATION,
  -- Name of the slice.
  name STRING
) AS
SELECT s.id, s.ts, s.dur, s.name
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE s.category = 'android_screenshot' OR t.name = 'Screenshots'
ORDER BY s.id;
