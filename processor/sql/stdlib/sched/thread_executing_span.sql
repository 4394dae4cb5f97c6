-- Who woke whom, and what threads waited for.

INCLUDE PERFETTO MODULE intervals.intersect;

-- Runs of states of a thread in which it was awake (running, or waiting for a cpu), and those
-- between them in which it slept. The id of a run is that of its first state.
CREATE PERFETTO TABLE _thread_state_runs AS
WITH
  states AS (
    SELECT
      id, ts,
      -- Where switches are missing, a state ends when the next one that is known begins.
      iif(
        dur = -1,
        coalesce(lead(ts) OVER (PARTITION BY utid ORDER BY ts, id), trace_end()) - ts, dur
      ) AS dur,
      utid, state, blocked_function,
      iif(coalesce(irq_context, 0), NULL, waker_id) AS waker_id,
      state IN ('R', 'R+', 'Running') AS awake
    FROM thread_state
    WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)
  ),
  changes AS (
    SELECT
      *, awake IS NOT lag(awake) OVER (PARTITION BY utid ORDER BY ts, id) AS changed
    FROM states
  )
SELECT
  id, ts, dur, utid, state, blocked_function, waker_id, awake,
  sum(changed) OVER (PARTITION BY utid ORDER BY ts, id) AS run
FROM changes
ORDER BY id;

CREATE PERFETTO TABLE _thread_runs AS
SELECT
  min(id) AS id, utid, run, awake, min(ts) AS ts, sum(dur) AS dur
FROM _thread_state_runs
GROUP BY utid, run
ORDER BY utid, run;

-- The run of each state.
CREATE PERFETTO TABLE _thread_run_of_state AS
SELECT id, min(id) OVER (PARTITION BY utid, run) AS run_id
FROM _thread_state_runs
ORDER BY id;

-- One row for each run in which a thread was awake: who woke it (waker_id, another row; NULL if
-- it is not known or was an interrupt), how long it had slept before, in which state and where
-- in the kernel, and its run before that.
CREATE PERFETTO TABLE _wakeup_graph AS
WITH
  runs AS (
    SELECT
      id, utid, ts, dur, awake, lag(id) OVER w AS sleep_id, lag(dur) OVER w AS sleep_dur,
      lag(id, 2) OVER w AS prev_id
    FROM _thread_runs
    WINDOW w AS (PARTITION BY utid ORDER BY run)
  )
SELECT
  r.utid,
  r.id,
  w.run_id AS waker_id,
  r.ts,
  i.state AS idle_state,
  i.blocked_function AS idle_reason,
  r.sleep_dur AS idle_dur,
  r.prev_id,
  r.dur
FROM runs AS r
JOIN _thread_state_runs AS first ON first.id = r.id
LEFT JOIN _thread_run_of_state AS w ON w.id = first.waker_id
LEFT JOIN _thread_state_runs AS i ON i.id = r.sleep_id
WHERE r.awake
ORDER BY r.id;

-- For nodes (id): their critical paths over the rows of `node_table` (as _wakeup_graph). Columns:
-- root_id, depth, ts, dur, id, utid, parent_id.
CREATE PERFETTO MACRO _critical_path_by_roots(
  roots_table TableOrSubquery, node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    CAST(c0 AS INT) AS root_id, c1 AS depth, c2 AS ts, c3 AS dur, CAST(c4 AS INT) AS id,
    CAST(c5 AS INT) AS utid, CAST(c6 AS INT) AS parent_id
  FROM __intrinsic_table_ptr(
    __intrinsic_critical_path_walk(
      (
        SELECT
          __intrinsic_wakeup_graph_agg(
            n.id, n.utid, n.ts, n.dur, n.idle_dur, n.waker_id, n.prev_id
          )
        FROM $node_table AS n
      ),
      (SELECT __intrinsic_array_agg(r.id) FROM $roots_table AS r)
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'root_id')
    AND __intrinsic_table_ptr_bind(c1, 'depth')
    AND __intrinsic_table_ptr_bind(c2, 'ts')
    AND __intrinsic_table_ptr_bind(c3, 'dur')
    AND __intrinsic_table_ptr_bind(c4, 'blocker_id')
    AND __intrinsic_table_ptr_bind(c5, 'blocker_utid')
    AND __intrinsic_table_ptr_bind(c6, 'parent_id')
);

-- For stretches of time of threads (utid, ts, dur): their critical paths, cut to them. Columns:
-- root_utid, root_id, id, ts, dur, utid.
CREATE PERFETTO MACRO _critical_path_by_intervals(
  intervals_table TableOrSubquery, node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    _cpi_intervals AS MATERIALIZED (SELECT utid, ts, dur FROM $intervals_table),
    _cpi_roots AS MATERIALIZED (
      SELECT DISTINCT n.id, n.utid
      FROM _cpi_intervals AS i
      JOIN $node_table AS n
        ON n.utid = i.utid
        AND n.ts - coalesce(n.idle_dur, 0) < i.ts + i.dur
        AND n.ts + n.dur > i.ts
    ),
    _cpi_paths AS MATERIALIZED (
      SELECT p.*, r.utid AS root_utid
      FROM _critical_path_by_roots!(_cpi_roots, $node_table) AS p
      JOIN _cpi_roots AS r ON r.id = p.root_id
    )
  SELECT
    p.root_utid, p.root_id, p.id, max(p.ts, i.ts) AS ts,
    min(p.ts + p.dur, i.ts + i.dur) - max(p.ts, i.ts) AS dur, p.utid
  FROM _cpi_intervals AS i
  JOIN _cpi_paths AS p
    ON p.root_utid = i.utid AND p.ts < i.ts + i.dur AND p.ts + p.dur > i.ts
  ORDER BY p.root_utid, p.ts
);

-- The critical path of one thread during a stretch of time.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
)
RETURNS TABLE(
  root_utid JOINID(thread.id), root_id LONG, id LONG, ts TIMESTAMP, dur DURATION,
  utid JOINID(thread.id)
) AS
SELECT root_utid, root_id, id, ts, dur, utid
FROM _critical_path_by_intervals!(
  (SELECT $root_utid AS utid, $ts AS ts, $dur AS dur), _wakeup_graph
);
