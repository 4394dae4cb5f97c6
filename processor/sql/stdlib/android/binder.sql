-- Calls between processes.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE slices.with_context;

-- How dear processes are to the system over time: the score that its killer goes by.
CREATE PERFETTO TABLE _oom_score AS
SELECT
  t.upid, CAST(c.value AS INT) AS value, c.ts,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY t.upid ORDER BY c.ts) AS end_ts
FROM process_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name = 'oom_score_adj'
ORDER BY t.upid, c.ts;

CREATE PERFETTO INDEX _oom_score_by_process ON _oom_score(upid, ts);

-- The score of a process at a time. NULL: not known.
CREATE PERFETTO FUNCTION _oom_score_at(upid JOINID(process.id), ts TIMESTAMP)
RETURNS LONG AS
SELECT value FROM _oom_score WHERE upid = $upid AND ts <= $ts AND end_ts > $ts
ORDER BY ts DESC
LIMIT 1;

-- What a slice in the called process says of the interface: "AIDL::java::IFoo::bar::server",
-- "HIDL::IFoo::bar::server".
CREATE PERFETTO FUNCTION _binder_interface(aidl_name STRING)
RETURNS STRING AS
SELECT str_split($aidl_name, '::', iif($aidl_name GLOB 'AIDL::*', 2, 1));

CREATE PERFETTO FUNCTION _binder_method(aidl_name STRING)
RETURNS STRING AS
SELECT str_split($aidl_name, '::', iif($aidl_name GLOB 'AIDL::*', 3, 2));

-- Calls that wait for an answer, with both ends.
CREATE PERFETTO TABLE _binder_txn_merged AS
WITH
  pairs AS MATERIALIZED (
    SELECT c.id AS client_id, r.id AS server_id
    FROM slice AS c
    JOIN flow AS f ON f.slice_out = c.id
    JOIN slice AS r ON r.id = f.slice_in
    WHERE c.name = 'binder transaction' AND r.name = 'binder reply'
  ),
  names AS MATERIALIZED (
    SELECT p.server_id, a.name AS aidl_name, a.ts AS aidl_ts, a.dur AS aidl_dur, min(a.id)
    FROM pairs AS p
    JOIN slice AS a ON a.parent_id = p.server_id
    WHERE a.name GLOB 'AIDL::*' OR a.name GLOB 'HIDL::*'
    GROUP BY p.server_id
  )
SELECT
  n.aidl_name, n.aidl_ts, n.aidl_dur, c.id AS binder_txn_id, c.process_name AS client_process,
  c.thread_name AS client_thread, c.upid AS client_upid, c.utid AS client_utid,
  c.tid AS client_tid, c.pid AS client_pid, c.is_main_thread, c.ts AS client_ts,
  c.dur AS client_dur, r.id AS binder_reply_id, r.process_name AS server_process,
  r.thread_name AS server_thread, r.upid AS server_upid, r.utid AS server_utid,
  r.tid AS server_tid, r.pid AS server_pid, r.ts AS server_ts, r.dur AS server_dur
FROM pairs AS p
JOIN thread_slice AS c ON c.id = p.client_id
JOIN thread_slice AS r ON r.id = p.server_id
LEFT JOIN names AS n ON n.server_id = p.server_id
ORDER BY client_process, client_thread, binder_txn_id;

-- Calls that wait for an answer, with the scores of both processes when they began.
CREATE PERFETTO VIEW _sync_binder_metrics_by_txn AS
SELECT
  *, _oom_score_at(client_upid, client_ts) AS client_oom_score,
  _oom_score_at(server_upid, server_ts) AS server_oom_score
FROM _binder_txn_merged;

-- The same calls as intervals of the thread that called.
CREATE PERFETTO VIEW _binder_txn AS
SELECT client_ts AS ts, client_dur AS dur, client_utid AS utid, *
FROM _sync_binder_metrics_by_txn;

-- The same calls as intervals of the thread that answered.
CREATE PERFETTO VIEW _binder_reply AS
SELECT server_ts AS ts, server_dur AS dur, server_utid AS utid, *
FROM _sync_binder_metrics_by_txn;

-- Calls that wait for nothing.
CREATE PERFETTO TABLE _binder_async_txn_raw AS
SELECT
  id AS binder_txn_id, process_name AS client_process, thread_name AS client_thread,
  upid AS client_upid, utid AS client_utid, tid AS client_tid, pid AS client_pid,
  is_main_thread, ts AS client_ts, dur AS client_dur
FROM thread_slice
WHERE name = 'binder transaction async'
ORDER BY id;

-- Where such calls were received, with what came next on that thread: the name of the interface is
-- there.
CREATE PERFETTO TABLE _async_binder_reply AS
WITH next_ones AS (
  SELECT
    s.id, s.ts, s.dur, s.track_id, s.name, lead(s.name) OVER by_track AS next_name,
    lead(s.ts) OVER by_track AS next_ts, lead(s.dur) OVER by_track AS next_dur
  FROM slice AS s
  WHERE s.name IN ('binder async rcv') OR s.name GLOB 'AIDL::*' OR s.name GLOB 'HIDL::*'
  WINDOW by_track AS (PARTITION BY s.track_id ORDER BY s.ts, s.id)
)
SELECT * FROM next_ones WHERE name = 'binder async rcv' ORDER BY id;

-- Calls that wait for nothing, with both ends.
CREATE PERFETTO TABLE _binder_async_txn AS
SELECT
  iif(a.is_named, a.next_name, NULL) AS aidl_name,
  iif(a.is_named, a.next_ts, NULL) AS aidl_ts,
  iif(a.is_named, a.next_dur, NULL) AS aidl_dur,
  c.*, r.id AS binder_reply_id, r.process_name AS server_process,
  r.thread_name AS server_thread, r.upid AS server_upid, r.utid AS server_utid,
  r.tid AS server_tid, r.pid AS server_pid, r.ts AS server_ts, r.dur AS server_dur
FROM _binder_async_txn_raw AS c
JOIN flow AS f ON f.slice_out = c.binder_txn_id
JOIN (
  SELECT *, next_name GLOB 'AIDL::*' OR next_name GLOB 'HIDL::*' AS is_named
  FROM _async_binder_reply
) AS a ON a.id = f.slice_in
JOIN thread_slice AS r ON r.id = a.id
ORDER BY c.binder_txn_id;

-- Calls that wait for nothing, with the scores of both processes when they began.
CREATE PERFETTO VIEW _async_binder_metrics_by_txn AS
SELECT
  *, _oom_score_at(client_upid, client_ts) AS client_oom_score,
  _oom_score_at(server_upid, server_ts) AS server_oom_score
FROM _binder_async_txn;

-- A length on a clock that stands while the machine sleeps; -1 for what has no end.
CREATE PERFETTO FUNCTION _monotonic_dur(ts TIMESTAMP, dur DURATION)
RETURNS DURATION AS
SELECT iif($dur = -1, -1, to_monotonic($ts + $dur) - to_monotonic($ts));

-- All calls, with both ends.
CREATE PERFETTO TABLE android_binder_txns(
  -- Interface that was called, where it is known.
  interface STRING,
  -- Its method.
  method_name STRING,
  -- Name of the slice that names both.
  aidl_name STRING,
  -- Its begin.
  aidl_ts TIMESTAMP,
  -- Its length.
  aidl_dur DURATION,
  -- Slice of the call.
  binder_txn_id JOINID(slice.id),
  -- Name of the process that called.
  client_process STRING,
  -- Name of the thread that called.
  client_thread STRING,
  -- The process that called.
  client_upid JOINID(process.id),
  -- The thread that called.
  client_utid JOINID(thread.id),
  -- Number of the thread that called.
  client_tid LONG,
  -- Number of the process that called.
  client_pid LONG,
  -- Whether the thread that called is the first of its process.
  is_main_thread BOOL,
  -- Begin of the call.
  client_ts TIMESTAMP,
  -- Its length.
  client_dur DURATION,
  -- Slice of the answer.
  binder_reply_id JOINID(slice.id),
  -- Name of the process that was called.
  server_process STRING,
  -- Name of the thread that answered.
  server_thread STRING,
  -- The process that was called.
  server_upid JOINID(process.id),
  -- The thread that answered.
  server_utid JOINID(thread.id),
  -- Number of the thread that answered.
  server_tid LONG,
  -- Number of the process that was called.
  server_pid LONG,
  -- Begin of the answer.
  server_ts TIMESTAMP,
  -- Its length.
  server_dur DURATION,
  -- Score of the process that called, at the begin of the call.
  client_oom_score LONG,
  -- Score of the process that was called, at the begin of the answer.
  server_oom_score LONG,
  -- Whether the caller waited.
  is_sync BOOL,
  -- Length of the call on a clock that stands while the machine sleeps.
  client_monotonic_dur DURATION,
  -- Length of the answer on that clock.
  server_monotonic_dur DURATION,
  -- Version of the package that called.
  client_package_version_code LONG,
  -- Version of the package that was called.
  server_package_version_code LONG,
  -- Whether the package that called may be debugged.
  is_client_package_debuggable BOOL,
  -- Whether the package that was called may be debugged.
  is_server_package_debuggable BOOL
) AS
WITH calls AS (
  SELECT *, 1 AS is_sync FROM _sync_binder_metrics_by_txn
  UNION ALL
  SELECT *, 0 AS is_sync FROM _async_binder_metrics_by_txn
)
SELECT
  _binder_interface(a.aidl_name) AS interface, _binder_method(a.aidl_name) AS method_name,
  a.aidl_name, a.aidl_ts, a.aidl_dur, a.binder_txn_id, a.client_process, a.client_thread,
  a.client_upid, a.client_utid, a.client_tid, a.client_pid, a.is_main_thread, a.client_ts,
  a.client_dur, a.binder_reply_id, a.server_process, a.server_thread, a.server_upid,
  a.server_utid, a.server_tid, a.server_pid, a.server_ts, a.server_dur, a.client_oom_score,
  a.server_oom_score, a.is_sync,
  _monotonic_dur(a.client_ts, a.client_dur) AS client_monotonic_dur,
  _monotonic_dur(a.server_ts, a.server_dur) AS server_monotonic_dur,
  c.version_code AS client_package_version_code, s.version_code AS server_package_version_code,
  c.debuggable AS is_client_package_debuggable, s.debuggable AS is_server_package_debuggable
FROM calls AS a
LEFT JOIN android_process_metadata AS c ON c.upid = a.client_upid
LEFT JOIN android_process_metadata AS s ON s.upid = a.server_upid
ORDER BY a.binder_txn_id;

-- What the threads of both ends did: intervals of their states, cut to the call or the answer. What has no
-- end lasts until the trace ends.
CREATE PERFETTO VIEW _sync_binder_states AS
WITH
  ends AS (
    SELECT
      binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
      'binder_txn' AS thread_state_type, utid, ts, iif(dur = -1, trace_end(), ts + dur) AS ts_end
    FROM _binder_txn
    UNION ALL
    SELECT
      binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
      'binder_reply' AS thread_state_type, utid, ts, iif(dur = -1, trace_end(), ts + dur) AS ts_end
    FROM _binder_reply
  ),
  states AS (
    SELECT
      utid, ts, iif(dur = -1, trace_end(), ts + dur) AS ts_end, state, blocked_function
    FROM thread_state
  )
SELECT
  b.binder_txn_id, b.client_ts, b.client_tid, b.binder_reply_id, b.server_ts, b.server_tid,
  b.thread_state_type, s.state, s.blocked_function,
  min(s.ts_end, b.ts_end) - max(s.ts, b.ts) AS dur
FROM ends AS b
JOIN states AS s ON s.utid = b.utid
WHERE s.ts < b.ts_end AND s.ts_end > b.ts;

-- How long the threads of both ends were in which state during calls that wait for an answer.
CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  -- Slice of the call.
  binder_txn_id LONG,
  -- Begin of the call.
  client_ts TIMESTAMP,
  -- Number of the thread that called.
  client_tid LONG,
  -- Slice of the answer.
  binder_reply_id LONG,
  -- Begin of the answer.
  server_ts TIMESTAMP,
  -- Number of the thread that answered.
  server_tid LONG,
  -- `binder_txn`: the thread that called; `binder_reply`: the one that answered.
  thread_state_type STRING,
  -- The state.
  thread_state STRING,
  -- How long it was in that state.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
) AS
SELECT
  binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, state AS thread_state, sum(dur) AS thread_state_dur,
  count(*) AS thread_state_count
FROM _sync_binder_states
GROUP BY thread_state_type = 'binder_reply', binder_txn_id, binder_reply_id, state;

-- In which functions of the kernel the threads of both ends waited during such calls.
CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  -- Slice of the call.
  binder_txn_id LONG,
  -- Begin of the call.
  client_ts TIMESTAMP,
  -- Number of the thread that called.
  client_tid LONG,
  -- Slice of the answer.
  binder_reply_id LONG,
  -- Begin of the answer.
  server_ts TIMESTAMP,
  -- Number of the thread that answered.
  server_tid LONG,
  -- `binder_txn`: the thread that called; `binder_reply`: the one that answered.
  thread_state_type STRING,
  -- The function.
  blocked_function STRING,
  -- How long it waited there.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
) AS
SELECT
  binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, blocked_function, sum(dur) AS blocked_function_dur,
  count(*) AS blocked_function_count
FROM _sync_binder_states
WHERE blocked_function IS NOT NULL
GROUP BY thread_state_type = 'binder_reply', binder_txn_id, binder_reply_id, blocked_function;

-- How often each process called which method of which other one.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  process_name STRING, pid LONG, slice_name STRING, event_count LONG
) AS
SELECT process_name, pid, name AS slice_name, count(*) AS event_count
FROM thread_slice
WHERE name GLOB 'binder *'
GROUP BY process_name, pid, name;

-- Calls between processes as a profile: who calls whom, by the time that servers take.
CREATE PERFETTO FUNCTION android_binder_graph(
  -- The least score of clients.
  min_client_oom_score LONG,
  -- Their highest score.
  max_client_oom_score LONG,
  -- The least score of servers.
  min_server_oom_score LONG,
  -- Their highest score.
  max_server_oom_score LONG
)
RETURNS TABLE(
  -- The profile, as of pprof.
  pprof BYTES
) AS
SELECT
  experimental_profile(
    cat_stacks(client_process, server_process), 'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE
  client_process IS NOT NULL AND server_process IS NOT NULL AND server_dur > 0
  AND client_oom_score BETWEEN $min_client_oom_score AND $max_client_oom_score
  AND server_oom_score BETWEEN $min_server_oom_score AND $max_server_oom_score;

-- Calls that a process serves, as a profile: clients, their interfaces and methods, by the time that it takes.
CREATE PERFETTO FUNCTION android_binder_incoming_graph(
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, as of pprof.
  pprof BYTES
) AS
SELECT
  experimental_profile(
    cat_stacks(client_process, interface, method_name), 'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE server_upid = $upid AND client_process IS NOT NULL AND server_dur > 0;

-- Calls that a process makes, as a profile: its threads, servers, their interfaces and methods, by the time that these take.
CREATE PERFETTO FUNCTION android_binder_outgoing_graph(
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, as of pprof.
  pprof BYTES
) AS
SELECT
  experimental_profile(
    cat_stacks(client_thread, server_process, interface, method_name), 'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE client_upid = $upid AND client_thread IS NOT NULL AND server_dur > 0;
