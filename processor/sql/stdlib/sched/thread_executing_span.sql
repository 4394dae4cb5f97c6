-- Who woke whom, and what threads waited for.

INCLUDE PERFETTO MODULE intervals.intersect;

-- Whether the trace comes from Fuchsia, whose states have other names.
CREATE PERFETTO TABLE _is_fuchsia AS
SELECT EXISTS(SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value = 'fuchsia')
  AS is_fuchsia;

CREATE PERFETTO MACRO _is_runnable_state(state Expr)
RETURNS Expr AS
($state = 'R' OR $state = 'Runnable' AND (SELECT is_fuchsia FROM _is_fuchsia));

-- States of threads that were woken and wait for a cpu, with who woke them.
CREATE PERFETTO TABLE _runnable_state AS
SELECT
  id, ts, dur, state, utid, waker_id, waker_utid, ifnull(irq_context, 0) AS is_irq
FROM thread_state
WHERE dur != -1 AND waker_id IS NOT NULL AND _is_runnable_state!(state)
ORDER BY id;

-- States in which threads sleep.
CREATE PERFETTO TABLE _sleep_state AS
SELECT id, ts, dur, state, blocked_function, utid
FROM thread_state
WHERE dur != -1 AND (state = 'S' OR state = 'D' OR state = 'I' OR state = 'Blocked' AND (
  SELECT is_fuchsia FROM _is_fuchsia
))
ORDER BY id;

-- The end of the last state of each thread.
CREATE PERFETTO TABLE _thread_end_ts AS
SELECT max(ts) + dur AS end_ts, utid
FROM thread_state
WHERE dur != -1
GROUP BY utid;

-- The first sleep of each thread whose end is known.
CREATE PERFETTO TABLE _first_sleep_state AS
SELECT s.id, s.ts, s.dur, s.state, s.blocked_function, s.utid
FROM _sleep_state AS s
JOIN _runnable_state AS r ON r.utid = s.utid AND r.ts = s.ts + s.dur
GROUP BY s.utid
HAVING s.id = min(s.id)
ORDER BY s.utid;

-- The first time that a thread was woken, where no sleep before it is known.
CREATE PERFETTO TABLE _first_runnable_state AS
SELECT r.id, r.ts, r.dur, r.state, r.utid, r.waker_id, r.waker_utid, r.is_irq
FROM (
  SELECT
    id, ts, dur, state, utid, waker_id, waker_utid, ifnull(irq_context, 0) AS is_irq
  FROM thread_state
  WHERE dur != -1 AND waker_utid IS NOT NULL AND _is_runnable_state!(state)
  GROUP BY utid
  HAVING id = min(id)
) AS r
LEFT JOIN (SELECT utid, min(ts) AS ts FROM _sleep_state GROUP BY utid) AS s USING (utid)
WHERE s.ts IS NULL OR r.ts <= s.ts
ORDER BY r.utid;

-- Threads that were woken: after which sleep; NULL for the first time, if it is not in the trace.
CREATE PERFETTO TABLE _wakeup AS
WITH
  woken AS (
    SELECT
      s.state, s.blocked_function, r.id, r.ts, r.utid, r.waker_id, r.waker_utid,
      s.ts AS prev_end_ts, r.is_irq
    FROM _sleep_state AS s JOIN _runnable_state AS r ON r.utid = s.utid AND r.ts = s.ts + s.dur
  ),
  all_woken AS (
    SELECT * FROM woken
    UNION ALL
    SELECT
      NULL AS state, NULL AS blocked_function, r.id, r.ts, r.utid, r.waker_id, r.waker_utid,
      NULL AS prev_end_ts, r.is_irq
    FROM _first_runnable_state AS r
  )
SELECT w.*, t.end_ts AS thread_end_ts
FROM all_woken AS w LEFT JOIN _thread_end_ts AS t USING (utid);

-- One row for each run in which a thread was awake: who woke it (waker_id, another row; NULL if
-- it is not known or was an interrupt), how long it had slept before, in which state and where
-- in the kernel, and its run before that.
CREATE PERFETTO TABLE _wakeup_spans AS
SELECT
  utid, id, ts, prev_end_ts, waker_id, is_irq, state, blocked_function,
  lag(id) OVER one_thread AS prev_id,
  lead(prev_end_ts, 1, thread_end_ts) OVER one_thread - ts AS dur
FROM _wakeup
WINDOW one_thread AS (PARTITION BY utid ORDER BY ts)
ORDER BY utid, ts;

-- For each state in which a thread ran (waker_id), the run that it belongs to (id).
CREATE PERFETTO TABLE _wakeup_map AS
SELECT last_id AS id, state_id AS waker_id
FROM (
  SELECT
    state_id,
    max(span_nr) OVER (PARTITION BY utid ORDER BY ts, is_state ROWS UNBOUNDED PRECEDING) AS nr
  FROM (
    SELECT id AS state_id, utid, ts, 1 AS is_state, NULL AS span_nr
    FROM thread_state WHERE state = 'Running' AND dur != -1
    UNION ALL
    SELECT NULL, utid, ts, 0, _auto_id FROM _wakeup_spans
  )
) AS m
LEFT JOIN (SELECT _auto_id AS nr, id AS last_id FROM _wakeup_spans) AS s USING (nr)
WHERE m.state_id IS NOT NULL
ORDER BY m.state_id;

CREATE PERFETTO TABLE _wakeup_graph AS
SELECT
  w.utid, w.id, iif(w.is_irq, NULL, m.id) AS waker_id, w.ts, w.state AS idle_state,
  w.blocked_function AS idle_reason, w.ts - w.prev_end_ts AS idle_dur, w.prev_id, w.dur
FROM _wakeup_spans AS w
LEFT JOIN _wakeup_map AS m ON m.waker_id = w.waker_id
ORDER BY w.id;

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

-- For intervals of time of threads (utid, ts, dur): their critical paths, cut to them. Columns:
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

-- The critical path of one thread during an interval of time.
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
