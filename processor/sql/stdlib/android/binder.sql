-- Calls between processes.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE slices.with_context;

-- "AIDL::java::IFoo::bar::server" names the interface and the method of what runs inside.
CREATE PERFETTO TABLE _android_aidl_names AS
SELECT
  s.parent_id AS id,
  str_split(s.name, '::', 2) || '::' || str_split(s.name, '::', 3) AS aidl_name,
  str_split(s.name, '::', 2) AS interface,
  str_split(s.name, '::', 3) AS method_name
FROM slice AS s
WHERE s.name GLOB 'AIDL::*::*::*::server' AND s.parent_id IS NOT NULL
GROUP BY s.parent_id
HAVING s.id = min(s.id)
ORDER BY s.parent_id;

-- The call, and what it led to in the other process.
CREATE PERFETTO TABLE _android_binder_pairs AS
SELECT c.id AS client_id, r.id AS server_id, c.name = 'binder transaction' AS is_sync
FROM slice AS c
JOIN flow AS f ON f.slice_out = c.id
JOIN slice AS r ON r.id = f.slice_in
WHERE c.name = 'binder transaction' AND r.name = 'binder reply'
  OR c.name = 'binder transaction async' AND r.name = 'binder async rcv'
ORDER BY c.id;

CREATE PERFETTO TABLE android_binder_txns(
  aidl_name STRING, interface STRING, method_name STRING, aidl_ts TIMESTAMP, aidl_dur DURATION,
  binder_txn_id JOINID(slice.id), client_process STRING, client_thread STRING,
  client_upid JOINID(process.id), client_utid JOINID(thread.id), client_tid LONG, client_pid LONG,
  is_main_thread BOOL, client_ts TIMESTAMP, client_dur DURATION, client_monotonic_dur DURATION,
  client_oom_score LONG, binder_reply_id JOINID(slice.id), server_process STRING,
  server_thread STRING, server_upid JOINID(process.id), server_utid JOINID(thread.id),
  server_tid LONG, server_pid LONG, server_ts TIMESTAMP, server_dur DURATION,
  server_monotonic_dur DURATION, server_oom_score LONG, is_sync BOOL
) AS
WITH scores AS (SELECT upid, ts, ts + dur AS ts_end, score FROM android_oom_adj_intervals)
SELECT
  a.aidl_name, a.interface, a.method_name,
  child.ts AS aidl_ts, child.dur AS aidl_dur,
  p.client_id AS binder_txn_id,
  c.process_name AS client_process, c.thread_name AS client_thread, c.upid AS client_upid,
  c.utid AS client_utid, c.tid AS client_tid, c.pid AS client_pid, c.is_main_thread,
  c.ts AS client_ts, c.dur AS client_dur,
  to_monotonic(c.ts + c.dur) - to_monotonic(c.ts) AS client_monotonic_dur,
  (
    SELECT max(o.score) FROM scores AS o
    WHERE o.upid = c.upid AND o.ts <= c.ts AND o.ts_end > c.ts
  ) AS client_oom_score,
  p.server_id AS binder_reply_id,
  r.process_name AS server_process, r.thread_name AS server_thread, r.upid AS server_upid,
  r.utid AS server_utid, r.tid AS server_tid, r.pid AS server_pid,
  r.ts AS server_ts, r.dur AS server_dur,
  to_monotonic(r.ts + r.dur) - to_monotonic(r.ts) AS server_monotonic_dur,
  (
    SELECT max(o.score) FROM scores AS o
    WHERE o.upid = r.upid AND o.ts <= r.ts AND o.ts_end > r.ts
  ) AS server_oom_score,
  p.is_sync
FROM _android_binder_pairs AS p
JOIN thread_slice AS c ON c.id = p.client_id
JOIN thread_slice AS r ON r.id = p.server_id
LEFT JOIN _android_aidl_names AS a ON a.id = p.server_id
LEFT JOIN slice AS child
  ON child.parent_id = p.server_id AND child.name GLOB 'AIDL::*::' || a.method_name || '::server'
ORDER BY p.client_id;

-- How often each process called which method of which other one.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  process_name STRING, pid LONG, slice_name STRING, event_count LONG
) AS
SELECT process_name, pid, name AS slice_name, count(*) AS event_count
FROM thread_slice
WHERE name GLOB 'binder *'
GROUP BY process_name, pid, name;
