-- Where the time of a thread went, and because of whom.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE orma.irqs;
INCLUDE PERFETTO MODULE orma.sched;
INCLUDE PERFETTO MODULE orma.syscalls;
INCLUDE PERFETTO MODULE sched.thread_executing_span;

-- States of threads with an end: the next one that is known, where switches are missing, or that of
-- the trace. Waits have the cpu on which the thread ran then.
CREATE PERFETTO TABLE _orma_why_state AS
SELECT
  id, ts, iif(dur >= 0, dur, coalesce(next_ts, trace_end()) - ts) AS dur, utid,
  CASE
    WHEN dur < 0 AND next_ts IS NOT NULL THEN 'unknown'
    WHEN state = 'Running' THEN 'ran'
    WHEN state IN ('R', 'R+') THEN 'waited'
    WHEN state = 'D' OR state GLOB 'D*' THEN 'blocked'
    WHEN state = 'I' THEN 'blocked'
    ELSE 'slept'
  END AS state,
  iif(state = 'Running', ucpu, next_ucpu) AS ucpu
FROM _orma_state_pair
WHERE dur != 0 AND state NOT IN ('X', 'Z')
ORDER BY id;

-- What was on each cpu, as intervals of `ucpu`.
CREATE PERFETTO VIEW _orma_why_on_cpu AS
SELECT id, ts, dur, ucpu FROM _orma_on_cpu WHERE known AND dur > 0;

-- Interrupts and softirqs, as intervals of `ucpu`.
CREATE PERFETTO TABLE _orma_why_interrupt AS
SELECT i.id, i.ts, i.dur, c.ucpu, i.kind || ' ' || i.name AS name
FROM orma_interrupt AS i JOIN cpu AS c ON c.cpu = i.cpu
WHERE i.kind IN ('irq', 'softirq') AND i.dur > 0
ORDER BY i.id;

-- The pieces of critical paths, in three steps whose results are tables, so that joins of many rows
-- have indexes:
--
--     CREATE PERFETTO TABLE path AS SELECT * FROM orma_why_path!(intervals);
--     CREATE PERFETTO TABLE cut AS SELECT * FROM orma_why_cut!(intervals, path);
--     CREATE PERFETTO TABLE piece AS SELECT * FROM orma_why_pieces!(cut);
--
-- The intervals are of threads (id, ts, dur, utid). While a thread runs, waits for a cpu, or sleeps
-- without anybody to blame, a piece is its own; while it is blocked, the piece is of the thread that
-- was going to wake it, or to wake that one, and so on. Columns of pieces: id, interval_id, ts, dur,
-- root_utid, utid (the thread of the piece), state (of that thread: ran, waited, blocked, slept,
-- unknown), ucpu.

-- The critical paths of the threads: id, ts, dur, utid (of the root), path_utid.
CREATE PERFETTO MACRO orma_why_path(intervals TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    row_number() OVER (ORDER BY p.ts) AS id, p.ts, p.dur, r.utid, p.utid AS path_utid
  FROM _critical_path_by_roots!(
    (SELECT id FROM _wakeup_graph WHERE utid IN (SELECT utid FROM $intervals)), _wakeup_graph
  ) AS p
  JOIN _wakeup_graph AS r ON r.id = p.root_id
  WHERE p.dur > 0
);

-- The same cut to the intervals: id, ts, dur, interval_id, root_utid, utid.
CREATE PERFETTO MACRO orma_why_cut(intervals TableOrSubquery, paths TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    row_number() OVER (ORDER BY i.ts) AS id, i.ts, i.dur, i.id_0 AS interval_id,
    i.utid AS root_utid, p.path_utid AS utid
  FROM _interval_intersect!(($intervals, $paths), (utid)) AS i
  JOIN $paths AS p ON p.id = i.id_1
);

-- And cut to states of the threads on the paths.
CREATE PERFETTO MACRO orma_why_pieces(cut TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    row_number() OVER (ORDER BY i.ts) AS id, c.interval_id, i.ts, i.dur, c.root_utid, i.utid,
    s.state, s.ucpu
  FROM _interval_intersect!(($cut, _orma_why_state), (utid)) AS i
  JOIN $cut AS c ON c.id = i.id_0
  JOIN _orma_why_state AS s ON s.id = i.id_1
);

-- For a table of such pieces: what was the reason of each. Columns: interval_id, ts, dur,
-- root_utid, kind, who (a thread, a call, an interrupt; NULL: nobody), utid (the thread that is to
-- blame; NULL: none). Kinds:
--   ran           it ran itself
--   CPU taken     it waited for a cpu, on which `who` ran
--   CPU idle      it waited for a cpu that was idle: a quota, or the way out of idle
--   blocked on    `who` had to run, to wait or to sleep before it was woken
--   waiting in    it was blocked in the call `who`, and a device or nobody known woke it
--   slept in      it slept in the call `who` until a timer or something from outside woke it
--   interrupted   the interrupt `who` ran on its cpu
--   unknown       switches are missing there
CREATE PERFETTO MACRO orma_why_reasons(pieces TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _or_pieces AS MATERIALIZED (SELECT * FROM $pieces),
    _or_waits AS MATERIALIZED (
      SELECT id, ts, dur, ucpu FROM _or_pieces
      WHERE utid = root_utid AND state = 'waited' AND ucpu IS NOT NULL
    ),
    _or_runs AS MATERIALIZED (
      SELECT id, ts, dur, ucpu FROM _or_pieces WHERE utid = root_utid AND state = 'ran'
    ),
    _or_still AS MATERIALIZED (
      SELECT id, ts, dur, utid FROM _or_pieces
      WHERE utid = root_utid AND state IN ('slept', 'blocked')
    ),
    _or_calls AS MATERIALIZED (
      SELECT id, ts, dur, utid FROM orma_syscall
      WHERE dur > 0 AND utid IN (SELECT root_utid FROM _or_pieces)
    ),
    _or_taken AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur, o.utid
      FROM _interval_intersect!((_or_waits, _orma_why_on_cpu), (ucpu)) AS i
      JOIN _orma_on_cpu AS o ON o.id = i.id_1
    ),
    _or_stolen AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur, n.name
      FROM _interval_intersect!((_or_runs, _orma_why_interrupt), (ucpu)) AS i
      JOIN _orma_why_interrupt AS n ON n.id = i.id_1
    ),
    _or_called AS MATERIALIZED (
      SELECT i.id_0 AS piece, max(i.dur) AS dur, s.name
      FROM _interval_intersect!((_or_still, _or_calls), (utid)) AS i
      JOIN orma_syscall AS s ON s.id = i.id_1
      GROUP BY piece
    ),
    _or_rest AS MATERIALIZED (
      SELECT
        p.id, p.dur - coalesce(t.taken, 0) - coalesce(s.stolen, 0) AS dur
      FROM _or_pieces AS p
      LEFT JOIN (SELECT piece, sum(dur) AS taken FROM _or_taken GROUP BY piece) AS t ON t.piece = p.id
      LEFT JOIN (SELECT piece, sum(dur) AS stolen FROM _or_stolen GROUP BY piece) AS s
        ON s.piece = p.id
    )
  SELECT
    p.interval_id, t.ts, t.dur, p.root_utid,
    iif(h.is_idle, 'CPU idle', 'CPU taken') AS kind,
    iif(h.is_idle, NULL, coalesce(h.name, '[' || h.tid || ']')) AS who,
    iif(h.is_idle, NULL, t.utid) AS utid
  FROM _or_taken AS t
  JOIN _or_pieces AS p ON p.id = t.piece
  JOIN thread AS h ON h.utid = t.utid
  UNION ALL
  SELECT p.interval_id, s.ts, s.dur, p.root_utid, 'interrupted' AS kind, s.name AS who, NULL AS utid
  FROM _or_stolen AS s JOIN _or_pieces AS p ON p.id = s.piece
  UNION ALL
  SELECT
    p.interval_id, p.ts, r.dur, p.root_utid,
    CASE
      WHEN p.state = 'unknown' THEN 'unknown'
      WHEN p.utid != p.root_utid THEN 'blocked on'
      WHEN p.state = 'ran' THEN 'ran'
      WHEN p.state = 'waited' THEN 'CPU taken'
      WHEN p.state = 'blocked' THEN 'waiting in'
      ELSE 'slept in'
    END AS kind,
    CASE
      WHEN p.utid != p.root_utid THEN coalesce(h.name, '[' || h.tid || ']')
      WHEN p.state IN ('blocked', 'slept') THEN coalesce(c.name, 'the kernel')
    END AS who,
    iif(p.utid != p.root_utid, p.utid, NULL) AS utid
  FROM _or_pieces AS p
  JOIN _or_rest AS r ON r.id = p.id
  JOIN thread AS h ON h.utid = p.utid
  LEFT JOIN _or_called AS c ON c.piece = p.id
  WHERE r.dur > 0
);
