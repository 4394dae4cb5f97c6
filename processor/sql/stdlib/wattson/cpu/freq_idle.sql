-- Frequency and idle state of each cpu, and its power where that was measured.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.freq;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- The time from which on something is known of each cpu's frequency.
CREATE PERFETTO TABLE _valid_window AS
WITH first_change AS (
  SELECT min(ts) AS ts FROM _adjusted_cpu_freq WHERE freq IS NOT NULL
)
SELECT f.ts, trace_end() - f.ts AS dur, p.cpu
FROM first_change AS f JOIN _dev_cpu_policy_map AS p
WHERE f.ts IS NOT NULL
ORDER BY p.cpu;

-- Each interval in which none of both changes.
CREATE PERFETTO TABLE _idle_freq_materialized AS
WITH spans AS MATERIALIZED (
  SELECT
    ii.ts, ii.dur, ii.cpu, f.policy, f.freq, iif(h.offline, d.idle, i.idle) AS idle
  FROM _interval_intersect!(
    (
      _ii_subquery!(_valid_window),
      _ii_subquery!(_adjusted_cpu_freq),
      _ii_subquery!(_gapless_hotplug_slices),
      _ii_subquery!(_adjusted_deep_idle)
    ),
    (cpu)
  ) AS ii
  JOIN _adjusted_cpu_freq AS f ON f._auto_id = ii.id_1
  JOIN _gapless_hotplug_slices AS h ON h._auto_id = ii.id_2
  JOIN _adjusted_deep_idle AS i ON i._auto_id = ii.id_3
  CROSS JOIN _deepest_idle AS d
)
SELECT s.ts, s.dur, s.cpu, s.policy, s.freq, s.idle, c.curve_value, c.static
FROM spans AS s
LEFT JOIN _filtered_curves_1d AS c
  ON c.policy = s.policy AND c.freq_khz = s.freq AND c.idle = s.idle
WHERE s.dur > 0
ORDER BY s.policy, s.ts, s.cpu;
