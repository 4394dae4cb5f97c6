-- Times in which the graphics processor is powered, and what in them belongs to nobody's work.

INCLUDE PERFETTO MODULE wattson.gpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;

-- Starts and ends of these times.
CREATE PERFETTO VIEW _gpu_active_region_boundaries AS
SELECT
  ts, dur, power_state = 2 AS is_active,
  power_state = 2 AND lag(power_state) OVER (ORDER BY ts) IS NOT 2 AS is_start
FROM _gpu_power_state;

-- Each such time.
CREATE PERFETTO TABLE _gpu_active_regions AS
SELECT min(ts) AS ts, max(ts + dur) - min(ts) AS dur, region_id
FROM (
  SELECT ts, dur, is_active, sum(is_start) OVER (ORDER BY ts) AS region_id
  FROM _gpu_active_region_boundaries
)
WHERE is_active
GROUP BY region_id
ORDER BY ts;

-- Work within them.
CREATE PERFETTO TABLE _gpu_active_region_tasks AS
SELECT
  max(r.ts, t.ts) AS ts, min(r.ts + r.dur, t.ts + t.dur) - max(r.ts, t.ts) AS dur, t.uid, t.gpu_id,
  r.region_id
FROM _gpu_active_regions AS r
JOIN _gpu_tasks AS t ON t.ts < r.ts + r.dur AND t.ts + t.dur > r.ts
ORDER BY ts;

-- Times in which nobody is at work.
CREATE PERFETTO TABLE _all_gaps AS
WITH edges AS (
  SELECT ts + dur AS ts, lead(ts) OVER (ORDER BY ts) AS next_ts FROM _gpu_active_task_count
  UNION ALL
  SELECT trace_start(), (SELECT min(ts) FROM _gpu_active_task_count)
)
SELECT ts, ifnull(next_ts, trace_end()) - ts AS dur
FROM edges
WHERE ifnull(next_ts, trace_end()) > ts
ORDER BY ts;

-- The same within times of power.
CREATE PERFETTO TABLE _gaps_in_active_regions AS
SELECT
  max(r.ts, g.ts) AS ts, min(r.ts + r.dur, g.ts + g.dur) - max(r.ts, g.ts) AS dur, r.region_id
FROM _gpu_active_regions AS r
JOIN _all_gaps AS g ON g.ts < r.ts + r.dur AND g.ts + g.dur > r.ts
ORDER BY ts;

CREATE PERFETTO TABLE _gpu_active_region_gaps AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS gap_id, ts, dur, region_id
FROM _gaps_in_active_regions
ORDER BY ts;

-- Gaps go to the user who worked before them, or behind them if nobody did.
CREATE PERFETTO TABLE _gpu_gap_attribution AS
SELECT
  g.gap_id, g.ts, g.dur, g.region_id,
  ifnull(
    (
      SELECT t.uid FROM _gpu_active_region_tasks AS t
      WHERE t.region_id = g.region_id AND t.ts + t.dur <= g.ts ORDER BY t.ts DESC LIMIT 1
    ),
    (
      SELECT t.uid FROM _gpu_active_region_tasks AS t
      WHERE t.region_id = g.region_id AND t.ts >= g.ts + g.dur ORDER BY t.ts LIMIT 1
    )
  ) AS uid
FROM _gpu_active_region_gaps AS g
ORDER BY g.ts;
