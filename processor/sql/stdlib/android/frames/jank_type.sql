-- Who made a frame late, by the words of the timeline of frames ("Jank type").

-- Whether the compositor did.
CREATE PERFETTO FUNCTION android_is_sf_jank_type(
  -- Kinds of lateness, separated by commas.
  jank_type STRING
)
-- Whether it did.
RETURNS BOOL AS
SELECT
  $jank_type GLOB '*SurfaceFlinger CPU Deadline Missed*'
  OR $jank_type GLOB '*SurfaceFlinger GPU Deadline Missed*'
  OR $jank_type GLOB '*SurfaceFlinger Scheduling*'
  OR $jank_type GLOB '*Prediction Error*'
  OR $jank_type GLOB '*Display HAL*';

-- Whether the program that draws did.
CREATE PERFETTO FUNCTION android_is_app_jank_type(
  -- Kinds of lateness, separated by commas.
  jank_type STRING
)
-- Whether it did.
RETURNS BOOL AS
SELECT
  $jank_type GLOB '*App Deadline Missed*' OR $jank_type GLOB '*App Resynced Jitter*';

-- Whether somebody missed the frame: one of these, or it was not shown at all.
CREATE PERFETTO FUNCTION android_is_missed_frame_type(
  -- Kinds of lateness, separated by commas.
  jank_type STRING
)
-- Whether it was missed.
RETURNS BOOL AS
SELECT
  android_is_sf_jank_type($jank_type)
  OR android_is_app_jank_type($jank_type)
  OR $jank_type GLOB '*Dropped Frame*';
