-- How long and how often cpus were idle.

INCLUDE PERFETTO MODULE linux.cpu.idle;

CREATE PERFETTO TABLE cpu_idle_stats(
  cpu LONG, state LONG, count LONG, dur DURATION, avg_dur DURATION, idle_percent DOUBLE
) AS
WITH
  rows AS (SELECT cpu, idle, dur FROM cpu_idle_counters),
  total AS (SELECT cpu, sum(dur) AS dur FROM rows GROUP BY cpu)
SELECT
  r.cpu,
  r.idle + 1 AS state,
  count(*) AS count,
  sum(r.dur) AS dur,
  sum(r.dur) / count(*) AS avg_dur,
  sum(r.dur) * 100.0 / t.dur AS idle_percent
FROM rows AS r JOIN total AS t USING (cpu)
WHERE r.idle >= 0
GROUP BY r.cpu, r.idle
ORDER BY r.cpu, r.idle;
