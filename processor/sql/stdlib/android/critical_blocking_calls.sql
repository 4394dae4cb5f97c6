-- Calls that a program waits for while it should draw.

INCLUDE PERFETTO MODULE android.slices;
INCLUDE PERFETTO MODULE slices.with_context;

-- Names of such calls: what the frameworks around programs do, and waiting for other processes.
CREATE PERFETTO MACRO _is_relevant_blocking_call_expr(slice_name Expr)
RETURNS Expr AS
(
  $slice_name IN (
    'measure', 'layout', 'configChanged', 'Contending for pthread mutex', 'animation',
    'inflate', 'binder transaction', 'traversal', 'NotificationStackScrollLayout#onMeasure',
    'ExpNotRow#onMeasure(MessagingStyle)', 'ExpNotRow#onMeasure(BigTextStyle)'
  )
  OR $slice_name GLOB 'relayoutWindow*'
  OR $slice_name GLOB 'NotificationStackScrollLayout#onMeasure*'
  OR $slice_name GLOB 'ExpNotRow#*'
  OR $slice_name GLOB 'ImageDecoder#decode*'
  OR $slice_name GLOB 'animation*'
  OR $slice_name GLOB 'Compose:*'
  OR $slice_name GLOB 'Recomposer:*'
  OR $slice_name GLOB 'compose:lazy:*'
  OR $slice_name GLOB 'LoadApkAssets*'
  OR $slice_name GLOB 'binder transaction*'
  OR $slice_name GLOB 'Lock contention on*'
  OR $slice_name GLOB 'monitor contention with*'
  OR $slice_name GLOB 'SuspendThreadByThreadId*'
  OR $slice_name GLOB 'CancelableContinuation*'
  OR $slice_name GLOB 'BlockingCoroutine*'
  OR $slice_name GLOB 'StartActivity*'
  OR $slice_name GLOB '*dispatchTouchEvent*'
);

CREATE PERFETTO FUNCTION _is_relevant_blocking_call(name STRING, depth LONG)
RETURNS BOOL AS
SELECT _is_relevant_blocking_call_expr!($name);

-- The same for notifications: only those that took some time.
CREATE PERFETTO FUNCTION _is_relevant_notifications_blocking_call(name STRING, dur LONG)
RETURNS BOOL AS
SELECT $name GLOB 'NotificationStackScrollLayout#*' AND $dur > 0;

-- Such calls of all processes. Waiting for another process counts where the caller waited.
CREATE PERFETTO TABLE _android_critical_blocking_calls AS
SELECT
  android_standardize_slice_name(s.name) AS name, s.ts, s.dur, s.id, s.process_name, s.utid, s.upid, s.ts + s.dur AS ts_end
FROM thread_slice AS s
WHERE _is_relevant_blocking_call_expr!(s.name) AND s.dur >= 0
ORDER BY s.track_id, s.id;
