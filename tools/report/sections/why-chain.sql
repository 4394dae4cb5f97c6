INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE orma.sched;
INCLUDE PERFETTO MODULE orma.syscalls;
WITH
  worst AS (
    SELECT ts, root_utid FROM orma_why_piece WHERE utid != root_utid
    ORDER BY dur DESC LIMIT 1
  ),
  sleep AS (
    SELECT s.ts, s.ts + s.dur AS end_ts, s.utid
    FROM worst AS w JOIN _orma_why_state AS s
      ON s.utid = w.root_utid AND s.ts <= w.ts AND s.ts + s.dur > w.ts
  ),
  chain AS MATERIALIZED (
    -- The longest of them.
    SELECT p.id, p.ts, p.dur, p.utid, p.state, p.ucpu, row_number() OVER (ORDER BY p.dur DESC, p.ts) AS nr
    FROM sleep AS s
    JOIN orma_why_piece AS p
      ON p.root_utid = s.utid AND p.ts >= s.ts AND p.ts < s.end_ts
    ORDER BY p.dur DESC, p.ts LIMIT $top
  ),
  pieces AS (SELECT id, ts, dur, utid FROM chain),
  calls AS (
    SELECT id, ts, dur, utid FROM orma_syscall
    WHERE dur > 0 AND utid IN (SELECT utid FROM chain)
  ),
  -- The call that it was in for most of the piece.
  inside AS (
    SELECT i.id_0 AS id, i.id_1 AS call_id, max(i.dur) AS dur
    FROM _interval_intersect!((pieces, calls), (utid)) AS i
    GROUP BY i.id_0
  )
SELECT c.ts AS at_ts, c.dur AS dur_ns,
  orma_thread_label(c.utid) AS thread, c.state AS state,
  iif(c.state IN ('ran', 'waited'), c.ucpu, NULL) AS cpu,
  orma_syscall_label(i.call_id) AS call, s.name AS in_slice, c.utid AS _utid
FROM chain AS c
LEFT JOIN inside AS i ON i.id = c.id
LEFT JOIN _orma_why_slice!(pieces) AS s ON s.id = c.id
-- By time; behind them the one that only tells that there are more.
ORDER BY c.nr > $shown, c.ts
