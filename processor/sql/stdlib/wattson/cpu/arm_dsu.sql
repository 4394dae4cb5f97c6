-- The unit that all cpus of a device share: its frequency, and accesses to its cache.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- The whole trace: the frequency in kHz, 0 if it is not known.
CREATE PERFETTO TABLE _wattson_dsu_frequency AS
WITH
  changes AS (
    SELECT c.ts, CAST(c.value AS INT) AS freq
    FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.type = 'clock_frequency' AND t.name GLOB '*dsufreq Frequency'
      AND EXISTS(SELECT 1 FROM _use_devfreq_for_calc)
    UNION ALL
    SELECT trace_start(), 0
  )
SELECT
  row_number() OVER (ORDER BY ts) - 1 AS id, ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur,
  freq AS dsu_freq
FROM changes
ORDER BY ts;

-- Accesses per ns, from one sample of a hardware counter to the next; 0 where there are none.
CREATE PERFETTO FUNCTION _get_rate(
  -- Name of the counter.
  event STRING
)
RETURNS TABLE(
  -- Start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Accesses per ns.
  access_rate LONG
) AS
WITH samples AS (
  SELECT c.ts, sum(c.value) AS value
  FROM counter AS c JOIN track AS t ON t.id = c.track_id
  WHERE t.name = $event
  GROUP BY c.ts
)
SELECT trace_start() AS ts, (SELECT min(ts) FROM samples) - trace_start() AS dur, 0 AS access_rate
UNION ALL
SELECT
  ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur,
  ifnull((lead(value) OVER (ORDER BY ts) - value) / (lead(ts) OVER (ORDER BY ts) - ts), 0)
    AS access_rate
FROM samples
UNION ALL
SELECT trace_start(), trace_dur(), 0 WHERE NOT EXISTS (SELECT 1 FROM samples);

CREATE PERFETTO TABLE _arm_l3_miss_rate AS
SELECT ts, dur, access_rate AS l3_miss_rate FROM _get_rate('arm_dsu_0/l3d_cache_refill/_cpu0');

CREATE PERFETTO TABLE _arm_l3_hit_rate AS
SELECT ts, dur, access_rate AS l3_hit_rate FROM _get_rate('arm_dsu_0/l3d_cache/_cpu0');

CREATE PERFETTO TABLE _arm_l3_rates AS
SELECT ii.ts, ii.dur, m.l3_miss_rate, h.l3_hit_rate
FROM _interval_intersect!(
  (_ii_subquery!(_arm_l3_miss_rate), _ii_subquery!(_arm_l3_hit_rate)), ()
) AS ii
JOIN _arm_l3_miss_rate AS m ON m._auto_id = ii.id_0
JOIN _arm_l3_hit_rate AS h ON h._auto_id = ii.id_1
ORDER BY ii.ts, ii.dur;
