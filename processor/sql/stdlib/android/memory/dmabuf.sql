-- Buffers that devices share (dma-buf), and who asked for them.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE slices.with_context;

-- Calls to the allocator of graphics buffers: who called, and which thread answered when.
CREATE PERFETTO TABLE _gralloc_binders AS
SELECT
  b.binder_txn_id AS client_slice_id, b.server_ts AS ts, b.server_dur AS dur,
  b.server_utid AS utid
FROM android_binder_txns AS b
WHERE b.is_sync AND b.server_process GLOB '*allocator*'
ORDER BY b.binder_txn_id;

-- Buffers that came and went. The size of one that went is negative.
CREATE PERFETTO TABLE _raw_dmabuf_events AS
SELECT
  c.ts, t.utid,
  extract_arg(c.arg_set_id, 'inode') AS inode,
  CAST(c.value AS INT) AS buf_size,
  c.value > 0 AS is_alloc
FROM counter AS c
JOIN thread_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'mem.dma_heap_change'
ORDER BY c.ts, c.id;

-- The thread for which a buffer was made: the caller, where the allocator made it for another one.
CREATE PERFETTO TABLE _attributed_dmabufs AS
SELECT
  e.ts, e.inode, e.buf_size, e.is_alloc, ifnull(c.utid, e.utid) AS utid
FROM _raw_dmabuf_events AS e
LEFT JOIN _gralloc_binders AS g
  ON g.utid = e.utid AND e.is_alloc
  AND e.ts BETWEEN g.ts AND iif(g.dur = -1, trace_end(), g.ts + g.dur)
LEFT JOIN thread_slice AS c ON c.id = g.client_slice_id
ORDER BY e.ts;

CREATE PERFETTO INDEX _attributed_dmabufs_by_inode ON _attributed_dmabufs(inode, ts);

-- The thread that a buffer (inode) was made for last, if this is where it goes.
CREATE PERFETTO FUNCTION _alloc_source(
  -- Whether it is made here.
  is_alloc BOOL,
  -- The buffer.
  inode LONG,
  -- The time.
  ts TIMESTAMP
)
RETURNS LONG AS
SELECT a.utid
FROM _attributed_dmabufs AS a
WHERE NOT $is_alloc AND a.is_alloc AND a.inode = $inode AND a.ts < $ts
ORDER BY a.ts DESC
LIMIT 1;

-- Buffers that came and went, by who asked for them.
CREATE PERFETTO TABLE android_dmabuf_allocs(
  -- When.
  ts TIMESTAMP,
  -- Bytes; negative where the buffer went.
  buf_size LONG,
  -- The buffer.
  inode LONG,
  -- The thread that asked for it.
  utid JOINID(thread.id),
  -- Number of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- Number of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING
) AS
SELECT
  e.ts, e.buf_size, e.inode, t.utid, t.tid, t.name AS thread_name, p.upid, p.pid,
  p.name AS process_name
FROM _attributed_dmabufs AS e
LEFT JOIN thread AS t ON t.utid = ifnull(_alloc_source(e.is_alloc, e.inode, e.ts), e.utid)
LEFT JOIN process AS p USING (upid)
ORDER BY e.ts;

-- What each process, or thread without one, has of them over time.
CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  thread_name STRING,
  -- When it changed.
  ts TIMESTAMP,
  -- Bytes from then on.
  value LONG
) AS
SELECT
  upid, process_name, utid, thread_name, ts,
  sum(buf_size) OVER (PARTITION BY coalesce(upid, -utid - 1) ORDER BY ts) AS value
FROM android_dmabuf_allocs
ORDER BY ts;
