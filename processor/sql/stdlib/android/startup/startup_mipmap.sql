-- Starts of programs seen from afar: for each millisecond what the main thread mostly did.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE sched.states;
INCLUDE PERFETTO MODULE slices.flat_slices;

-- Starts, with the process and its main thread; one row for each process.
CREATE PERFETTO TABLE _mipmap_startup AS
SELECT
  s.startup_id AS id, s.startup_id, s.ts, s.ts_end, s.dur, s.package, s.startup_type, p.upid, t.utid
FROM android_startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN thread AS t ON t.upid = p.upid AND t.is_main_thread
ORDER BY s.startup_id;

-- The innermost slices of these threads that meet a start, once each.
CREATE PERFETTO TABLE _mipmap_flat_slice AS
SELECT
  f.slice_id, f.ts, f.dur, f.depth, f.name, f.root_id, f.track_id, f.utid, f.tid, f.thread_name,
  f.upid, f.pid, f.process_name
FROM _slice_flattened AS f
WHERE EXISTS (
  SELECT 1 FROM _mipmap_startup AS s
  WHERE s.utid = f.utid AND f.ts < s.ts_end AND f.ts + f.dur > s.ts
)
ORDER BY f.ts;

CREATE PERFETTO VIEW _mipmap_thread_state AS
SELECT
  ts, dur, utid, cpu, sched_state_to_human_readable_string(state) AS state, io_wait,
  blocked_function, irq_context
FROM thread_state
WHERE utid > 0;

CREATE VIRTUAL TABLE _mipmap_states_beside_slices USING SPAN_LEFT_JOIN(
  _mipmap_thread_state PARTITIONED utid, _mipmap_flat_slice PARTITIONED utid
);

-- States of all threads, with the slice where there is one. `synth_name` is the slice or else the state.
CREATE PERFETTO TABLE _mipmap_flat_slice_thread_states_and_slices AS
SELECT
  CAST(row_number() OVER () AS INT) AS id, ts, dur, utid, slice_id, depth, name, state, cpu, io_wait,
  blocked_function, coalesce(name, state) AS synth_name, irq_context
FROM _mipmap_states_beside_slices;

-- The same for the main threads of starts, cut to the start. `slice_id` is the id of the row above.
CREATE PERFETTO TABLE _mipmap_startup_slice AS
SELECT
  i.ts, i.dur, f.utid, f.id AS slice_id, f.depth, f.name, f.synth_name, f.cpu, f.state, f.io_wait,
  f.blocked_function, f.irq_context, s.startup_id, s.upid, s.startup_type, s.package,
  s.dur AS startup_dur
FROM _interval_intersect!(
  (
    (SELECT _auto_id AS id, ts, dur, utid FROM _mipmap_startup WHERE dur > 0),
    (SELECT id, ts, dur, utid FROM _mipmap_flat_slice_thread_states_and_slices WHERE dur > 0)
  ),
  (utid)
) AS i
JOIN _mipmap_startup AS s ON s._auto_id = i.id_0
JOIN _mipmap_flat_slice_thread_states_and_slices AS f ON f.id = i.id_1
ORDER BY s.startup_id, i.ts;

-- The same with a number, and with one for all pieces that look alike.
CREATE PERFETTO TABLE _mipmap_startup_slices_with_ids AS
SELECT
  CAST(row_number() OVER () AS INT) AS id,
  hash(
    startup_id, upid, coalesce(synth_name, ''), coalesce(depth, -1), coalesce(state, ''),
    coalesce(io_wait, -1), coalesce(blocked_function, '')
  ) AS group_hash,
  *
FROM _mipmap_startup_slice;

-- The milliseconds of each start.
CREATE PERFETTO TABLE _mipmap_startup_buckets_1ms AS
WITH RECURSIVE
  spans AS (
    SELECT startup_id, min(ts) AS ts, max(ts + dur) AS ts_end
    FROM _mipmap_startup_slices_with_ids
    GROUP BY startup_id
  ),
  buckets(startup_id, bucket_index, ts, ts_end) AS (
    SELECT startup_id, 0, ts, ts_end FROM spans
    UNION ALL
    SELECT startup_id, bucket_index + 1, ts + 1000000, ts_end
    FROM buckets WHERE ts + 1000000 < ts_end
  )
SELECT
  CAST(row_number() OVER (ORDER BY startup_id, bucket_index) AS INT) AS id, startup_id, bucket_index,
  ts, 1e6 AS dur
FROM buckets
ORDER BY startup_id, bucket_index;

-- What took most of each millisecond; neighbours with the same answer are one row.
CREATE PERFETTO TABLE _android_startup_mipmap_1ms(
  -- Begin.
  ts TIMESTAMP,
  -- Length.
  dur DURATION,
  -- The start.
  startup_id LONG,
  -- The process.
  upid LONG,
  -- The package.
  package STRING,
  -- Kind of the start.
  startup_type STRING,
  -- Length of the whole start.
  startup_dur DURATION,
  -- Name of the slice.
  name STRING,
  -- State of the thread.
  state STRING,
  -- Depth of the slice.
  depth LONG,
  -- Whether it waited for a device.
  io_wait LONG,
  -- The function of the kernel in which it waited.
  blocked_function STRING
) AS
WITH RECURSIVE
  begins AS MATERIALIZED (
    SELECT startup_id, min(ts) AS ts FROM _mipmap_startup_buckets_1ms GROUP BY startup_id
  ),
  -- The milliseconds that each piece lies in, one after the other.
  parts(id, startup_id, group_hash, ts, ts_end, bucket_ts) AS (
    SELECT
      s.id, s.startup_id, s.group_hash, s.ts, s.ts + s.dur,
      b.ts + (s.ts - b.ts) / 1000000 * 1000000
    FROM _mipmap_startup_slices_with_ids AS s
    JOIN begins AS b USING (startup_id)
    UNION ALL
    SELECT id, startup_id, group_hash, bucket_ts + 1000000, ts_end, bucket_ts + 1000000
    FROM parts
    WHERE bucket_ts + 1000000 < ts_end
  ),
  sums AS (
    SELECT
      startup_id, bucket_ts AS ts, 1e6 AS dur, group_hash, min(id) AS slice_id,
      sum(min(ts_end, bucket_ts + 1000000) - ts) AS covered
    FROM parts
    GROUP BY startup_id, bucket_ts, group_hash
  ),
  winners AS (
    SELECT * FROM (
      SELECT
        *, row_number() OVER (PARTITION BY startup_id, ts ORDER BY covered DESC, slice_id) AS place
      FROM sums
    )
    WHERE place = 1
  ),
  changes AS (
    SELECT
      *, group_hash IS NOT lag(group_hash) OVER (PARTITION BY startup_id ORDER BY ts) AS is_new
    FROM winners
  ),
  runs AS (
    SELECT *, sum(is_new) OVER (PARTITION BY startup_id ORDER BY ts ROWS UNBOUNDED PRECEDING) AS run
    FROM changes
  ),
  merged AS (
    SELECT startup_id, run, min(ts) AS ts, sum(dur) AS dur, min(slice_id) AS slice_id
    FROM runs
    GROUP BY startup_id, run
  )
SELECT
  m.ts, m.dur, s.startup_id, s.upid, s.package, s.startup_type, s.startup_dur, s.name, s.state,
  s.depth, s.io_wait, s.blocked_function
FROM merged AS m
JOIN _mipmap_startup_slices_with_ids AS s ON s.id = m.slice_id
ORDER BY m.startup_id, m.ts;
