INCLUDE PERFETTO MODULE orma.sched;
WITH
  worst AS (
    SELECT ts, root_utid FROM orma_why_piece WHERE utid != root_utid
    ORDER BY dur DESC LIMIT 1
  ),
  sleep AS (
    SELECT s.ts, s.ts + s.dur AS end_ts, s.utid
    FROM worst AS w JOIN _orma_why_state AS s
      ON s.utid = w.root_utid AND s.ts <= w.ts AND s.ts + s.dur > w.ts
  )
SELECT p.ts AS at_ts, p.dur AS dur_ns,
  orma_thread_label(p.utid) AS thread, p.state AS state,
  iif(p.state IN ('ran', 'waited'), p.ucpu, NULL) AS cpu, p.utid AS _utid
FROM sleep AS s
JOIN orma_why_piece AS p
  ON p.root_utid = s.utid AND p.ts >= s.ts AND p.ts < s.end_ts
JOIN thread AS t ON t.utid = p.utid
ORDER BY p.ts LIMIT $top
