-- Names of slices without what differs from one to the next.

CREATE PERFETTO FUNCTION android_standardize_slice_name(slice_name STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN $slice_name GLOB 'Lock contention on thread list lock*'
      THEN 'Lock contention on thread list lock <...>'
    WHEN $slice_name GLOB 'Lock contention on a monitor lock*'
      THEN 'Lock contention on a monitor lock <...>'
    WHEN $slice_name GLOB 'Lock contention on*' THEN 'Lock contention on <...>'
    WHEN $slice_name GLOB 'monitor contention with*' THEN 'monitor contention with <...>'
    WHEN $slice_name GLOB 'SuspendThreadByThreadId*' THEN 'SuspendThreadByThreadId <...>'
    WHEN $slice_name GLOB 'LoadApkAssetsFd*' THEN 'LoadApkAssetsFd <...>'
    WHEN $slice_name GLOB 'relayoutWindow*' THEN 'relayoutWindow <...>'
    WHEN $slice_name GLOB '*CancellableContinuationImpl*' THEN 'CoroutineContinuation'
    WHEN $slice_name GLOB 'Choreographer#doFrame*' THEN 'Choreographer#doFrame'
    WHEN $slice_name GLOB 'DrawFrames*' THEN 'DrawFrames'
    WHEN $slice_name GLOB '/data/app*.apk' THEN 'APK load'
    WHEN $slice_name GLOB 'OpenDexFilesFromOat*' THEN 'OpenDexFilesFromOat'
    WHEN $slice_name GLOB 'Open oat file*' THEN 'Open oat file'
    ELSE $slice_name
  END;
