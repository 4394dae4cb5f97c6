-- Critical paths with what the threads on them did.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE sched.thread_executing_span;
INCLUDE PERFETTO MODULE slices.flat_slices;
INCLUDE PERFETTO MODULE slices.with_context;

-- States of threads under the names of this module.
CREATE PERFETTO VIEW _span_thread_state_view AS
SELECT
  id AS thread_state_id, ts, dur, utid, state, blocked_function AS function, io_wait, cpu
FROM thread_state;

-- The innermost slice of each thread at each moment.
CREATE PERFETTO VIEW _span_slice_view AS
SELECT slice_id, depth AS slice_depth, ts, dur, utid
FROM _slice_flattened
WHERE dur > 0;

CREATE VIRTUAL TABLE _span_state_beside_slice USING SPAN_LEFT_JOIN(
  _span_thread_state_view PARTITIONED utid, _span_slice_view PARTITIONED utid
);

-- States cut by the slices that were open.
CREATE PERFETTO TABLE _span_thread_state_slice AS
SELECT
  row_number() OVER (ORDER BY ts, utid) AS id, ts, dur, ts + dur AS ts_end, utid,
  thread_state_id, state, function, cpu, io_wait, slice_id, slice_depth
FROM _span_state_beside_slice
WHERE dur > 0
ORDER BY ts, utid;

-- The same by thread, as what the thread itself does.
CREATE PERFETTO VIEW _self_view AS
SELECT
  thread_state_id AS self_thread_state_id, slice_id AS self_slice_id, ts, dur, utid AS root_utid,
  state AS self_state, function AS self_function, cpu AS self_cpu, io_wait AS self_io_wait,
  slice_depth AS self_slice_depth
FROM _span_state_beside_slice;

-- The critical paths of all threads, also of the waits before they were first woken.
CREATE PERFETTO TABLE _critical_path_all AS
SELECT
  row_number() OVER (ORDER BY ts, root_id) AS id, ts, dur, ts + dur AS ts_end, utid, root_utid
FROM _critical_path_by_intervals!(
  (
    SELECT
      utid, min(ts - ifnull(idle_dur, 0)) AS ts, max(ts + dur) - min(ts - ifnull(idle_dur, 0)) AS dur
    FROM _wakeup_graph
    GROUP BY utid
  ),
  _wakeup_graph
)
WHERE dur > 0
ORDER BY ts, root_id;

-- What of which path (cr_id) is in which state (th_id).
CREATE PERFETTO TABLE _critical_path_thread_state_slice_raw AS
SELECT id_0 AS cr_id, id_1 AS th_id, ts, dur
FROM _interval_intersect!((_critical_path_all, _span_thread_state_slice), (utid));

-- The critical paths of all threads with the states and slices of the threads on them.
CREATE PERFETTO TABLE _critical_path_thread_state_slice AS
SELECT
  r.ts, r.dur, c.utid, s.thread_state_id, s.state, s.function, s.cpu, s.io_wait, s.slice_id,
  s.slice_depth, c.root_utid
FROM _critical_path_thread_state_slice_raw AS r
JOIN _critical_path_all AS c ON c.id = r.cr_id
JOIN _span_thread_state_slice AS s ON s.id = r.th_id;

-- The critical path of a thread as stacks: at each moment the state of the thread that it waited
-- for, that thread's process and name, and its slices from the outermost on.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_stack(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
)
RETURNS TABLE(
  id LONG, ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), stack_depth LONG, name STRING,
  table_name STRING, root_utid JOINID(thread.id)
) AS
WITH
  path AS MATERIALIZED (
    SELECT * FROM _thread_executing_span_critical_path($root_utid, $ts, $dur)
  ),
  states AS (
    SELECT
      s.id, max(p.ts, s.ts) AS ts,
      min(p.ts + p.dur, s.ts + iif(s.dur = -1, trace_end() - s.ts, s.dur)) - max(p.ts, s.ts) AS dur,
      p.utid, s.state
    FROM path AS p
    JOIN thread_state AS s
      ON s.utid = p.utid
      AND s.ts < p.ts + p.dur
      AND s.ts + iif(s.dur = -1, trace_end() - s.ts, s.dur) > p.ts
  ),
  slices AS (
    SELECT
      s.id, max(p.ts, s.ts) AS ts,
      min(p.ts + p.dur, s.ts + iif(s.dur = -1, trace_end() - s.ts, s.dur)) - max(p.ts, s.ts) AS dur,
      p.utid, s.depth, s.name
    FROM path AS p
    JOIN thread_slice AS s
      ON s.utid = p.utid
      AND s.ts < p.ts + p.dur
      AND s.ts + iif(s.dur = -1, trace_end() - s.ts, s.dur) > p.ts
  )
SELECT
  id, ts, dur, utid, 0 AS stack_depth, 'thread_state: ' || state AS name,
  'thread_state' AS table_name, $root_utid AS root_utid
FROM states
UNION ALL
SELECT
  p.id, p.ts, p.dur, p.utid, 1, 'process_name: ' || coalesce(q.name, '[NULL]'), 'thread_state',
  $root_utid
FROM path AS p JOIN thread AS t USING (utid) LEFT JOIN process AS q USING (upid)
UNION ALL
SELECT
  p.id, p.ts, p.dur, p.utid, 2, 'thread_name: ' || coalesce(t.name, '[NULL]'), 'thread_state',
  $root_utid
FROM path AS p JOIN thread AS t USING (utid)
UNION ALL
SELECT id, ts, dur, utid, 3 + depth, name, 'slice', $root_utid FROM slices;
