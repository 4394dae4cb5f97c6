-- Threads that waited for the lock of an object that another thread held.
--
--   monitor contention with owner NAME (TID) at METHOD(FILE) waiters=N blocking from METHOD(FILE)

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '^monitor contention (?:on .+ )?with owner (.*) \([0-9]+\) at ');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(slice_name STRING)
RETURNS LONG AS
SELECT
  CAST(
    regexp_extract($slice_name, '^monitor contention (?:on .+ )?with owner .* \(([0-9]+)\) at ') AS INT
  );

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(slice_name STRING)
RETURNS LONG AS
SELECT CAST(regexp_extract($slice_name, ' waiters=([0-9]+) ') AS INT);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '\) at ([^(]*\([^)]*\))\(');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, ' blocking from ([^(]*\([^)]*\))\(');

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
SELECT regexp_extract($slice_name, '\) at [^(]*\([^)]*\)\(([^)]*)');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, ' blocking from [^(]*\([^)]*\)\(([^)]*)');

-- The lock, where the name of the slice tells it.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_lock_name(slice_name STRING)
RETURNS STRING AS
SELECT regexp_extract($slice_name, '^monitor contention on (.+) with owner ');

-- Contentions that ended.
CREATE PERFETTO TABLE _valid_android_monitor_contention AS
SELECT id
FROM slice
WHERE name GLOB 'monitor contention *with owner *' AND dur != -1
ORDER BY id;

-- The call of another process that the thread was answering while it waited.
CREATE PERFETTO TABLE _binder_reply_of_contention AS
SELECT v.id, a.id AS binder_reply_id, a.ts, t.tid
FROM _valid_android_monitor_contention AS v
JOIN ancestor_slice(v.id) AS a
JOIN thread_track AS tt ON tt.id = a.track_id
JOIN thread AS t USING (utid)
WHERE a.name = 'binder reply'
GROUP BY v.id
HAVING a.depth = max(a.depth)
ORDER BY v.id;

-- Waits for locks with the threads that waited and those that held the lock.
CREATE PERFETTO TABLE android_monitor_contention(
  blocking_method STRING, blocked_method STRING, short_blocking_method STRING,
  short_blocked_method STRING, blocking_src STRING, blocked_src STRING, waiter_count LONG,
  blocked_utid JOINID(thread.id), blocked_thread_name STRING, blocking_utid JOINID(thread.id),
  blocking_thread_name STRING, blocking_tid LONG, upid JOINID(process.id), process_name STRING,
  id LONG, ts TIMESTAMP, dur DURATION, monotonic_dur DURATION, track_id JOINID(track.id),
  is_blocked_thread_main LONG, blocked_thread_tid LONG, is_blocking_thread_main LONG,
  blocking_thread_tid LONG, binder_reply_id LONG, binder_reply_ts TIMESTAMP,
  binder_reply_tid LONG, pid LONG, lock_name STRING
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
  b.binder_reply_id,
  b.ts AS binder_reply_ts,
  b.tid AS binder_reply_tid,
  s.pid,
  android_extract_android_monitor_contention_lock_name(s.name) AS lock_name
FROM thread_slice AS s
LEFT JOIN thread AS o
  ON o.upid = s.upid
  AND o.tid = android_extract_android_monitor_contention_blocking_tid(s.name)
LEFT JOIN _binder_reply_of_contention AS b ON b.id = s.id
WHERE s.id IN (SELECT id FROM _valid_android_monitor_contention)
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
  blocking_thread_tid LONG, binder_reply_id LONG, binder_reply_ts TIMESTAMP,
  binder_reply_tid LONG, pid LONG, child_id LONG, lock_name STRING
) AS
SELECT
  parent.id AS parent_id, c.blocking_method, c.blocked_method, c.short_blocking_method,
  c.short_blocked_method, c.blocking_src, c.blocked_src, c.waiter_count, c.blocked_utid,
  c.blocked_thread_name, c.blocking_utid, c.blocking_thread_name, c.blocking_tid, c.upid,
  c.process_name, c.id, c.ts, c.dur, c.monotonic_dur, c.track_id, c.is_blocked_thread_main,
  c.blocked_thread_tid, c.is_blocking_thread_main, c.blocking_thread_tid, c.binder_reply_id,
  c.binder_reply_ts, c.binder_reply_tid, c.pid, child.id AS child_id, c.lock_name
FROM android_monitor_contention AS c
LEFT JOIN android_monitor_contention AS parent
  ON parent.blocked_utid = c.blocking_utid AND c.ts BETWEEN parent.ts AND parent.ts + parent.dur
LEFT JOIN android_monitor_contention AS child
  ON child.blocking_utid = c.blocked_utid AND child.ts BETWEEN c.ts AND c.ts + c.dur
ORDER BY c.id;

-- What the threads did that held locks.
CREATE PERFETTO VIEW _blocking_thread_state AS
SELECT utid AS blocking_utid, ts, dur, state, blocked_function
FROM thread_state;

-- The first wait of each chain: nobody waits for the thread that waits.
CREATE PERFETTO VIEW _first_blocked_contention AS
SELECT c.id, c.blocking_utid, c.ts, c.dur, c.monotonic_dur
FROM android_monitor_contention_chain AS c
WHERE c.child_id IS NULL AND c.dur > 0;

-- What the thread that held the lock did while the first thread of a chain waited.
CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  -- The wait.
  id LONG,
  -- Start of the state, or of the wait.
  ts TIMESTAMP,
  -- How long both lasted.
  dur DURATION,
  -- The thread that held the lock.
  blocking_utid JOINID(thread.id),
  -- The function of the kernel that it waited in.
  blocked_function STRING,
  -- Its state.
  state STRING
) AS
SELECT
  c.id,
  max(c.ts, s.ts) AS ts,
  min(c.ts + c.dur, iif(s.dur = -1, trace_end(), s.ts + s.dur)) - max(c.ts, s.ts) AS dur,
  c.blocking_utid, s.blocked_function, s.state
FROM _first_blocked_contention AS c
JOIN _blocking_thread_state AS s
  ON s.blocking_utid = c.blocking_utid AND s.ts < c.ts + c.dur
  AND iif(s.dur = -1, trace_end(), s.ts + s.dur) > c.ts
ORDER BY c.id, ts;

-- The same as sums by state.
CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  -- The wait.
  id LONG,
  -- State of the thread that held the lock.
  thread_state STRING,
  -- How long it was in it.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
) AS
SELECT
  id, state AS thread_state, sum(dur) AS thread_state_dur, count(*) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, state;

-- The same as sums by function of the kernel.
CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  -- The wait.
  id LONG,
  -- The function of the kernel.
  blocked_function STRING,
  -- How long the thread waited in it.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
) AS
SELECT
  id, blocked_function, sum(dur) AS blocked_function_dur, count(*) AS blocked_function_count
FROM android_monitor_contention_chain_thread_state
WHERE blocked_function IS NOT NULL
GROUP BY id, blocked_function;

-- Waits for locks in a process, as a profile: who waits and in which method, and below who holds the lock and where, by the
-- time of the waits.
CREATE PERFETTO FUNCTION android_monitor_contention_graph(
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, as of pprof.
  pprof BYTES
) AS
SELECT
  experimental_profile(
    cat_stacks(
      blocked_thread_name || ':' || short_blocked_method,
      blocking_thread_name || ':' || short_blocking_method
    ),
    'duration', 'ns', dur
  ) AS pprof
FROM android_monitor_contention
WHERE upid = $upid AND dur > 0;
