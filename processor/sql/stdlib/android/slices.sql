-- What names of slices say: without what differs from one to the next, or what keeps a thread.

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

-- What keeps a thread in a slice of this name. NULL: the name does not say.
CREATE PERFETTO FUNCTION _blocking_reason(slice_name STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN $slice_name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
    WHEN $slice_name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
    WHEN $slice_name GLOB 'monitor contention*' THEN 'monitor_contention'
    WHEN $slice_name GLOB 'Lock contention on a monitor lock*' THEN 'monitor_contention'
    WHEN $slice_name GLOB 'Lock contention*' THEN 'art_lock_contention'
    WHEN $slice_name IN ('binder transaction', 'binder reply') THEN 'binder'
    WHEN $slice_name = 'Contending for pthread mutex' THEN 'mutex_contention'
  END;
