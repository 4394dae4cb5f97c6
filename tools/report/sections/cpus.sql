INCLUDE PERFETTO MODULE orma.machines;
INCLUDE PERFETTO MODULE orma.sched;
WITH
  known AS (
    SELECT ucpu, utid, dur, min(ts + dur, $to) - max(ts, $from) AS ns,
      utid IN (SELECT utid FROM thread WHERE is_idle) AS idle
    FROM _orma_on_cpu WHERE ts < $to AND ts + dur > $from
  ),
  used AS (
    SELECT ucpu, sum(iif(idle, 0, ns)) AS busy, sum(iif(idle, ns, 0)) AS idle,
      sum(NOT idle) AS runs, count(DISTINCT utid) AS threads,
      max(iif(idle, 0, dur)) AS longest
    FROM known GROUP BY ucpu
  ),
  freqs AS (
    SELECT t.cpu, t.machine_id, min(c.value) / 1e3 AS min_mhz, max(c.value) / 1e3 AS max_mhz
    FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id
    WHERE t.type = 'cpu_frequency' AND c.ts >= $from AND c.ts < $end
    GROUP BY t.cpu, t.machine_id
  )
SELECT c.cpu, busy AS busy_ns, 100.0 * busy / ($to - $from) AS busy_pct,
  100.0 * idle / ($to - $from) AS idle_pct,
  100.0 * max(0, $to - $from - busy - idle) / ($to - $from) AS unknown_pct, runs,
  threads, longest AS longest_run_ns, min_mhz, max_mhz, orma_machine_label(c.machine_id) AS machine, c.ucpu AS _ucpu
FROM cpu AS c
JOIN used AS u ON u.ucpu = c.ucpu
LEFT JOIN freqs AS f ON f.cpu = c.cpu AND f.machine_id IS c.machine_id
ORDER BY c.ucpu
