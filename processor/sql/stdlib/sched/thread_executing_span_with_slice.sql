-- Critical paths with what the threads on them did.

INCLUDE PERFETTO MODULE sched.thread_executing_span;
INCLUDE PERFETTO MODULE slices.with_context;

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
