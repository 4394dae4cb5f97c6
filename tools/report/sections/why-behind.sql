INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE orma.sched;
INCLUDE PERFETTO MODULE orma.syscalls;
WITH
  parts AS MATERIALIZED (
    SELECT id, ts, dur, utid, ucpu, state FROM orma_why_piece
    WHERE utid != root_utid AND state != 'unknown'
  ),
  waits AS (SELECT id, ts, dur, ucpu FROM parts WHERE state = 'waited' AND ucpu IS NOT NULL),
  still AS (SELECT id, ts, dur, utid FROM parts WHERE state != 'waited'),
  calls AS (
    SELECT id, ts, dur, utid FROM orma_syscall
    WHERE dur > 0 AND utid IN (SELECT utid FROM parts)
  ),
  -- Each piece by what it was spent in.
  told AS MATERIALIZED (
    SELECT i.id_0 AS id, i.dur, p.state || ' in ' || orma_syscall_label(i.id_1) AS what
    FROM _interval_intersect!((still, calls), (utid)) AS i
    JOIN parts AS p ON p.id = i.id_0
    UNION ALL
    SELECT
      i.id_0 AS id, i.dur,
      'waited while ' || iif(t.is_idle, 'the CPU was idle', orma_thread_label(o.utid) || ' ran')
        AS what
    FROM _interval_intersect!((waits, _orma_why_on_cpu), (ucpu)) AS i
    JOIN _orma_on_cpu AS o ON o.id = i.id_1
    JOIN thread AS t ON t.utid = o.utid
  ),
  told_of_part AS (SELECT id, sum(dur) AS dur FROM told GROUP BY id),
  everything AS (
    SELECT p.id, p.utid, t.what, t.dur FROM told AS t JOIN parts AS p ON p.id = t.id
    UNION ALL
    SELECT
      p.id, p.utid,
      p.state || iif(p.state = 'ran' AND EXISTS (SELECT 1 FROM orma_syscall), ' outside of calls', '')
        AS what,
      p.dur - coalesce(t.dur, 0) AS dur
    FROM parts AS p LEFT JOIN told_of_part AS t ON t.id = p.id
    WHERE p.dur > coalesce(t.dur, 0)
  )
SELECT orma_thread_label(e.utid) AS blocker, e.what AS what, s.name AS in_slice, sum(e.dur) AS time_ns,
  100.0 * sum(e.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct, e.utid AS _utid
FROM everything AS e
LEFT JOIN _orma_why_slice!(parts) AS s ON s.id = e.id
GROUP BY e.utid, e.what, s.name ORDER BY time_ns DESC, blocker, what, in_slice LIMIT $top
