-- Threads that waited for the lock of an object that another thread held.
--
--   monitor contention with owner NAME (TID) at METHOD(FILE) waiters=N blocking from METHOD(FILE)

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '^monitor contention with owner (.*) \([0-9]+\) at ');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(slice_name STRING)
RETURNS LONG AS
SELECT
  CAST(
    regexp_extract($slice_name, '^monitor contention with owner .* \(([0-9]+)\) at ') AS INT
  );

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(slice_name STRING)
RETURNS LONG AS
SELECT CAST(regexp_extract($slice_name, ' waiters=([0-9]+) ') AS INT);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '\) at (.*)\([^()]*\) waiters=');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, ' blocking from (.*)\([^()]*\)$');

-- Class and method, without types and arguments.
CREATE PERFETTO FUNCTION _android_short_method(method STRING)
RETURNS STRING AS
SELECT
  regexp_extract(
    regexp_replace_simple(regexp_extract($method, '^(?:[^ (]+ )?([^ (]+)'), '<[^>]*>', ''),
    '^.*$'
  );

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(slice_name STRING)
RETURNS STRING AS
SELECT _android_short_method(android_extract_android_monitor_contention_blocking_method($slice_name));

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(slice_name STRING)
RETURNS STRING AS
SELECT _android_short_method(android_extract_android_monitor_contention_blocked_method($slice_name));

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '\(([^()]*)\) waiters=');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, ' blocking from .*\(([^()]*)\)$');

CREATE PERFETTO TABLE android_monitor_contention(
  blocking_method STRING, blocked_method STRING, short_blocking_method STRING,
  short_blocked_method STRING, blocking_src STRING, blocked_src STRING, waiter_count LONG,
  blocked_utid JOINID(thread.id), blocked_thread_name STRING, blocking_utid JOINID(thread.id),
  blocking_thread_name STRING, blocking_tid LONG, upid JOINID(process.id), process_name STRING,
  id LONG, ts TIMESTAMP, dur DURATION, monotonic_dur DURATION, track_id JOINID(track.id),
  is_blocked_thread_main LONG, blocked_thread_tid LONG, is_blocking_thread_main LONG,
  blocking_thread_tid LONG, pid LONG
) AS
SELECT
  android_extract_android_monitor_contention_blocking_method(s.name) AS blocking_method,
  android_extract_android_monitor_contention_blocked_method(s.name) AS blocked_method,
  android_extract_android_monitor_contention_short_blocking_method(s.name) AS short_blocking_method,
  android_extract_android_monitor_contention_short_blocked_method(s.name) AS short_blocked_method,
  android_extract_android_monitor_contention_blocking_src(s.name) AS blocking_src,
  android_extract_android_monitor_contention_blocked_src(s.name) AS blocked_src,
  android_extract_android_monitor_contention_waiter_count(s.name) AS waiter_count,
  s.utid AS blocked_utid,
  s.thread_name AS blocked_thread_name,
  o.utid AS blocking_utid,
  android_extract_android_monitor_contention_blocking_thread(s.name) AS blocking_thread_name,
  android_extract_android_monitor_contention_blocking_tid(s.name) AS blocking_tid,
  s.upid, s.process_name, s.id, s.ts, s.dur,
  to_monotonic(s.ts + s.dur) - to_monotonic(s.ts) AS monotonic_dur,
  s.track_id,
  s.is_main_thread AS is_blocked_thread_main,
  s.tid AS blocked_thread_tid,
  o.is_main_thread AS is_blocking_thread_main,
  o.tid AS blocking_thread_tid,
  s.pid
FROM thread_slice AS s
LEFT JOIN thread AS o
  ON o.upid = s.upid
  AND o.tid = android_extract_android_monitor_contention_blocking_tid(s.name)
WHERE s.name GLOB 'monitor contention with owner *' AND s.dur != -1
ORDER BY s.id;

-- The same with those that hang together: parent_id is where the thread that held the lock itself
-- waited at that time, child_id a thread that waited for this one. A row for each pair.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  parent_id LONG, blocking_method STRING, blocked_method STRING, short_blocking_method STRING,
  short_blocked_method STRING, blocking_src STRING, blocked_src STRING, waiter_count LONG,
  blocked_utid JOINID(thread.id), blocked_thread_name STRING, blocking_utid JOINID(thread.id),
  blocking_thread_name STRING, blocking_tid LONG, upid JOINID(process.id), process_name STRING,
  id LONG, ts TIMESTAMP, dur DURATION, monotonic_dur DURATION, track_id JOINID(track.id),
  is_blocked_thread_main LONG, blocked_thread_tid LONG, is_blocking_thread_main LONG,
  blocking_thread_tid LONG, pid LONG, child_id LONG
) AS
SELECT
  parent.id AS parent_id, c.blocking_method, c.blocked_method, c.short_blocking_method,
  c.short_blocked_method, c.blocking_src, c.blocked_src, c.waiter_count, c.blocked_utid,
  c.blocked_thread_name, c.blocking_utid, c.blocking_thread_name, c.blocking_tid, c.upid,
  c.process_name, c.id, c.ts, c.dur, c.monotonic_dur, c.track_id, c.is_blocked_thread_main,
  c.blocked_thread_tid, c.is_blocking_thread_main, c.blocking_thread_tid, c.pid,
  child.id AS child_id
FROM android_monitor_contention AS c
LEFT JOIN android_monitor_contention AS parent
  ON parent.blocked_utid = c.blocking_utid AND c.ts BETWEEN parent.ts AND parent.ts + parent.dur
LEFT JOIN android_monitor_contention AS child
  ON child.blocking_utid = c.blocked_utid AND child.ts BETWEEN c.ts AND c.ts + c.dur
ORDER BY c.id;
