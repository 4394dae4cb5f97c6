-- Why calls between processes took so long: what their threads did meanwhile.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.slices;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;

-- Both ends of calls that wait for an answer, as intervals.
CREATE PERFETTO VIEW _binder_client_view AS
SELECT binder_txn_id AS id, client_upid AS upid, client_ts AS ts, client_dur AS dur
FROM android_binder_txns
WHERE is_sync AND client_dur > 0
ORDER BY client_ts;

CREATE PERFETTO VIEW _binder_server_view AS
SELECT binder_txn_id AS id, server_upid AS upid, server_ts AS ts, server_dur AS dur
FROM android_binder_txns
WHERE is_sync AND server_dur > 0
ORDER BY client_ts;

-- States of threads that are over.
CREATE PERFETTO VIEW _thread_state_view AS
SELECT id, ts, dur, utid, cpu, state, io_wait FROM thread_state WHERE dur > 0;

-- What kept a thread, by the innermost slice and its state. The slices of the call itself say nothing:
-- only those of further calls do.
CREATE PERFETTO FUNCTION _binder_reason(
  name STRING, state STRING, io_wait LONG, binder_txn_id LONG, binder_reply_id LONG, flat_id LONG
)
RETURNS STRING AS
SELECT
  CASE
    WHEN _blocking_reason($name) GLOB '*_reclaim' THEN _blocking_reason($name)
    WHEN $state = 'S' AND _blocking_reason($name) IS NOT NULL
      AND NOT (_blocking_reason($name) = 'binder' AND $flat_id IN ($binder_txn_id, $binder_reply_id))
      THEN _blocking_reason($name)
    WHEN $state != 'S' AND $io_wait = 1 THEN 'IO'
    ELSE $state
  END;

-- The slice of one end of each call and all in it, cut so that the innermost one is left. `id`, `ts` and
-- `dur` are columns of android_binder_txns; `slice_name` is the name of that slice.
CREATE PERFETTO MACRO _binder_flatten_descendants(
  id ColumnName, ts ColumnName, dur ColumnName, slice_name ColumnName
)
RETURNS TableOrSubquery AS
(
  WITH
    _bfd_roots AS MATERIALIZED (
      SELECT $id AS id, $id AS root_id, $ts AS ts, $dur AS dur
      FROM android_binder_txns WHERE is_sync AND $dur > 0
    ),
    _bfd_children AS MATERIALIZED (
      SELECT r.root_id, d.id, d.parent_id, d.ts, d.dur
      FROM _bfd_roots AS r JOIN descendant_slice(r.id) AS d
      WHERE d.dur > 0
    ),
    _bfd_flat AS (
      SELECT *
      FROM _intervals_flatten!(_intervals_merge_root_and_children!(_bfd_roots, _bfd_children))
    )
  SELECT
    CAST(row_number() OVER (ORDER BY b.binder_txn_id, f.ts) AS INT) AS id,
    b.binder_txn_id, b.binder_reply_id, f.id AS flat_id, f.ts, f.dur, s.name, k.utid
  FROM _bfd_flat AS f
  JOIN android_binder_txns AS b ON b.$id = f.root_id
  JOIN slice AS s ON s.id = f.id
  JOIN thread_track AS k ON k.id = s.track_id
  ORDER BY b.binder_txn_id, f.ts
);

CREATE PERFETTO TABLE _binder_client_flat_descendants AS
SELECT *
FROM _binder_flatten_descendants!(binder_txn_id, client_ts, client_dur, 'binder transaction');

CREATE PERFETTO TABLE _binder_server_flat_descendants AS
SELECT *
FROM _binder_flatten_descendants!(binder_reply_id, server_ts, server_dur, 'binder reply');

-- The same pieces, cut further by the states of their threads.
CREATE PERFETTO MACRO _binder_with_states(pieces TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    i.ts, i.dur, p.binder_txn_id, p.binder_reply_id, p.name, p.flat_id, s.state, s.io_wait
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM $pieces WHERE dur > 0),
      (SELECT id, ts, dur, utid FROM _thread_state_view)
    ),
    (utid)
  ) AS i
  JOIN $pieces AS p ON p.id = i.id_0
  JOIN thread_state AS s ON s.id = i.id_1
  ORDER BY p.binder_txn_id, i.ts
);

CREATE PERFETTO TABLE _binder_client_flat_descendants_with_thread_state AS
SELECT * FROM _binder_with_states!(_binder_client_flat_descendants);

CREATE PERFETTO TABLE _binder_server_flat_descendants_with_thread_state AS
SELECT * FROM _binder_with_states!(_binder_server_flat_descendants);

-- What kept the thread that answered.
CREATE PERFETTO TABLE android_binder_server_breakdown(
  -- Slice of the call.
  binder_txn_id JOINID(slice.id),
  -- Slice of the answer.
  binder_reply_id JOINID(slice.id),
  -- Begin of a time with one reason.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The reason.
  reason STRING
) AS
SELECT
  binder_txn_id, binder_reply_id, ts, dur,
  _binder_reason(name, state, io_wait, binder_txn_id, binder_reply_id, flat_id) AS reason
FROM _binder_server_flat_descendants_with_thread_state;

-- What kept the thread that called.
CREATE PERFETTO TABLE android_binder_client_breakdown(
  -- Slice of the call.
  binder_txn_id JOINID(slice.id),
  -- Slice of the answer.
  binder_reply_id JOINID(slice.id),
  -- Begin of a time with one reason.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The reason.
  reason STRING
) AS
SELECT
  binder_txn_id, binder_reply_id, ts, dur,
  _binder_reason(name, state, io_wait, binder_txn_id, binder_reply_id, flat_id) AS reason
FROM _binder_client_flat_descendants_with_thread_state;

CREATE PERFETTO VIEW _binder_client_breakdown_view AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason AS client_reason
FROM android_binder_client_breakdown;

CREATE PERFETTO VIEW _binder_server_breakdown_view AS
SELECT binder_txn_id, ts, dur, reason AS server_reason FROM android_binder_server_breakdown;

CREATE VIRTUAL TABLE _binder_client_server_breakdown_sp USING SPAN_LEFT_JOIN(
  _binder_client_breakdown_view PARTITIONED binder_txn_id,
  _binder_server_breakdown_view PARTITIONED binder_txn_id
);

-- What kept each call: the thread that answered, while there is an answer; else the one that called.
CREATE PERFETTO TABLE android_binder_client_server_breakdown(
  -- Begin of a time with one reason.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Slice of the call.
  binder_txn_id JOINID(slice.id),
  -- Slice of the answer.
  binder_reply_id JOINID(slice.id),
  -- What kept the thread that called.
  client_reason STRING,
  -- What kept the thread that answered, if it did anything.
  server_reason STRING,
  -- The reason that counts.
  reason STRING,
  -- Whose it is: `client` or `server`.
  reason_type STRING
) AS
SELECT
  ts, dur, binder_txn_id, binder_reply_id, client_reason, server_reason,
  coalesce(server_reason, client_reason) AS reason,
  iif(server_reason IS NULL, 'client', 'server') AS reason_type
FROM _binder_client_server_breakdown_sp
ORDER BY binder_txn_id, ts;
