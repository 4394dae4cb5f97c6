-- All cpus side by side: one row for each interval in which nothing changes.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.arm_dsu;
INCLUDE PERFETTO MODULE wattson.cpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- The intervals of one cpu; one in deep idle for a cpu that the device has not.
CREATE PERFETTO MACRO _cpu_stats_subquery(
  cpu Expr, curve_col ColumnName, static_col ColumnName, freq_col ColumnName, idle_col ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT
    trace_start() AS ts, trace_dur() AS dur, 0 AS $curve_col, 0 AS $static_col, 0 AS $freq_col,
    1 AS $idle_col
  WHERE $cpu NOT IN (SELECT cpu FROM _dev_cpu_policy_map)
  UNION ALL
  SELECT
    ts, dur, curve_value,
    iif(policy IN (SELECT policy FROM _filtered_curves_2d_raw), 0, static), ifnull(freq, 0),
    ifnull(idle, 1)
  FROM _idle_freq_materialized
  WHERE cpu = $cpu
);

CREATE PERFETTO TABLE _stats_cpu0 AS
SELECT * FROM _cpu_stats_subquery!(0, cpu0_curve, cpu0_static, freq_0, idle_0);

CREATE PERFETTO TABLE _stats_cpu1 AS
SELECT * FROM _cpu_stats_subquery!(1, cpu1_curve, cpu1_static, freq_1, idle_1);

CREATE PERFETTO TABLE _stats_cpu2 AS
SELECT * FROM _cpu_stats_subquery!(2, cpu2_curve, cpu2_static, freq_2, idle_2);

CREATE PERFETTO TABLE _stats_cpu3 AS
SELECT * FROM _cpu_stats_subquery!(3, cpu3_curve, cpu3_static, freq_3, idle_3);

CREATE PERFETTO TABLE _stats_cpu4 AS
SELECT * FROM _cpu_stats_subquery!(4, cpu4_curve, cpu4_static, freq_4, idle_4);

CREATE PERFETTO TABLE _stats_cpu5 AS
SELECT * FROM _cpu_stats_subquery!(5, cpu5_curve, cpu5_static, freq_5, idle_5);

CREATE PERFETTO TABLE _stats_cpu6 AS
SELECT * FROM _cpu_stats_subquery!(6, cpu6_curve, cpu6_static, freq_6, idle_6);

CREATE PERFETTO TABLE _stats_cpu7 AS
SELECT * FROM _cpu_stats_subquery!(7, cpu7_curve, cpu7_static, freq_7, idle_7);

CREATE PERFETTO TABLE _all_stats AS
SELECT
  ii.ts, ii.dur,
  CAST(round(l.l3_hit_rate * ii.dur) AS INT) AS l3_hit_count,
  CAST(round(l.l3_miss_rate * ii.dur) AS INT) AS l3_miss_count,
  c0.freq_0, c0.idle_0,
  c1.freq_1, c1.idle_1,
  c2.freq_2, c2.idle_2,
  c3.freq_3, c3.idle_3,
  c4.freq_4, c4.idle_4,
  c5.freq_5, c5.idle_5,
  c6.freq_6, c6.idle_6,
  c7.freq_7, c7.idle_7,
  c0.cpu0_curve, c1.cpu1_curve, c2.cpu2_curve, c3.cpu3_curve,
  c4.cpu4_curve, c5.cpu5_curve, c6.cpu6_curve, c7.cpu7_curve,
  c0.cpu0_static, c1.cpu1_static, c2.cpu2_static, c3.cpu3_static,
  c4.cpu4_static, c5.cpu5_static, c6.cpu6_static, c7.cpu7_static,
  s.suspended, d.dsu_freq,
  _bitmask8!(
    c0.idle_0 = -1, c1.idle_1 = -1, c2.idle_2 = -1, c3.idle_3 = -1,
    c4.idle_4 = -1, c5.idle_5 = -1, c6.idle_6 = -1, c7.idle_7 = -1
  ) AS cpus_on_mask
FROM _interval_intersect!(
  (
    _ii_subquery!(_stats_cpu0),
    _ii_subquery!(_stats_cpu1),
    _ii_subquery!(_stats_cpu2),
    _ii_subquery!(_stats_cpu3),
    _ii_subquery!(_stats_cpu4),
    _ii_subquery!(_stats_cpu5),
    _ii_subquery!(_stats_cpu6),
    _ii_subquery!(_stats_cpu7),
    _ii_subquery!(_gapless_suspend_slices),
    _wattson_dsu_frequency,
    _ii_subquery!(_arm_l3_rates)
  ),
  ()
) AS ii
JOIN _stats_cpu0 AS c0 ON c0._auto_id = ii.id_0
JOIN _stats_cpu1 AS c1 ON c1._auto_id = ii.id_1
JOIN _stats_cpu2 AS c2 ON c2._auto_id = ii.id_2
JOIN _stats_cpu3 AS c3 ON c3._auto_id = ii.id_3
JOIN _stats_cpu4 AS c4 ON c4._auto_id = ii.id_4
JOIN _stats_cpu5 AS c5 ON c5._auto_id = ii.id_5
JOIN _stats_cpu6 AS c6 ON c6._auto_id = ii.id_6
JOIN _stats_cpu7 AS c7 ON c7._auto_id = ii.id_7
JOIN _gapless_suspend_slices AS s ON s._auto_id = ii.id_8
JOIN _wattson_dsu_frequency AS d ON d.id = ii.id_9
JOIN _arm_l3_rates AS l ON l._auto_id = ii.id_10
ORDER BY ii.ts, ii.dur;

-- The same with a number for each set of states, and which policies are awake: for cpus whose
-- power depends on nothing but themselves this is all.
CREATE PERFETTO TABLE _w_independent_cpus_calc AS
SELECT
  a.ts, a.dur, a.l3_hit_count, a.l3_miss_count,
  hash(
    a.freq_0, a.idle_0,
    a.freq_1, a.idle_1,
    a.freq_2, a.idle_2,
    a.freq_3, a.idle_3,
    a.freq_4, a.idle_4,
    a.freq_5, a.idle_5,
    a.freq_6, a.idle_6,
    a.freq_7, a.idle_7,
    a.dsu_freq, a.suspended
  ) AS config_hash,
  a.freq_0, a.idle_0,
  a.freq_1, a.idle_1,
  a.freq_2, a.idle_2,
  a.freq_3, a.idle_3,
  a.freq_4, a.idle_4,
  a.freq_5, a.idle_5,
  a.freq_6, a.idle_6,
  a.freq_7, a.idle_7,
  a.cpu0_curve, a.cpu1_curve, a.cpu2_curve, a.cpu3_curve,
  a.cpu4_curve, a.cpu5_curve, a.cpu6_curve, a.cpu7_curve,
  a.suspended, a.dsu_freq,
  iif(a.cpus_on_mask & m.m0, m.m0, m.m0 & 0)
  | iif(a.cpus_on_mask & m.m1, m.m1, m.m1 & 0)
  | iif(a.cpus_on_mask & m.m2, m.m2, m.m2 & 0)
  | iif(a.cpus_on_mask & m.m3, m.m3, m.m3 & 0)
  | iif(a.cpus_on_mask & m.m4, m.m4, m.m4 & 0)
  | iif(a.cpus_on_mask & m.m5, m.m5, m.m5 & 0)
  | iif(a.cpus_on_mask & m.m6, m.m6, m.m6 & 0)
  | iif(a.cpus_on_mask & m.m7, m.m7, m.m7 & 0)
    AS policy_cpus_on_mask,
  iif(
    EXISTS(SELECT 1 FROM _wattson_device) AND NOT EXISTS(SELECT 1 FROM _cpus_for_static), NULL,
    iif(0 IN (SELECT cpu FROM _cpus_for_static), a.cpu0_static, 0)
    + iif(1 IN (SELECT cpu FROM _cpus_for_static), a.cpu1_static, 0)
    + iif(2 IN (SELECT cpu FROM _cpus_for_static), a.cpu2_static, 0)
    + iif(3 IN (SELECT cpu FROM _cpus_for_static), a.cpu3_static, 0)
    + iif(4 IN (SELECT cpu FROM _cpus_for_static), a.cpu4_static, 0)
    + iif(5 IN (SELECT cpu FROM _cpus_for_static), a.cpu5_static, 0)
    + iif(6 IN (SELECT cpu FROM _cpus_for_static), a.cpu6_static, 0)
    + iif(7 IN (SELECT cpu FROM _cpus_for_static), a.cpu7_static, 0)
  ) AS static_1d
FROM _all_stats AS a CROSS JOIN _policy_masks AS m
ORDER BY a.ts, a.dur;

-- Each set of states once, with what the power of each cpu depends on.
CREATE PERFETTO VIEW _w_dependent_cpus_unique AS
SELECT
  w.config_hash,
  w.freq_0, w.idle_0,
  w.freq_1, w.idle_1,
  w.freq_2, w.idle_2,
  w.freq_3, w.idle_3,
  w.freq_4, w.idle_4,
  w.freq_5, w.idle_5,
  w.freq_6, w.idle_6,
  w.freq_7, w.idle_7,
  w.cpu0_curve, w.cpu1_curve, w.cpu2_curve, w.cpu3_curve,
  w.cpu4_curve, w.cpu5_curve, w.cpu6_curve, w.cpu7_curve,
  w.dsu_freq, w.static_1d, w.policy_cpus_on_mask, w.suspended,
  d0.dep_freq AS dep_freq_0, d0.dep_policy AS dep_policy_0,
  d1.dep_freq AS dep_freq_1, d1.dep_policy AS dep_policy_1,
  d2.dep_freq AS dep_freq_2, d2.dep_policy AS dep_policy_2,
  d3.dep_freq AS dep_freq_3, d3.dep_policy AS dep_policy_3,
  d4.dep_freq AS dep_freq_4, d4.dep_policy AS dep_policy_4,
  d5.dep_freq AS dep_freq_5, d5.dep_policy AS dep_policy_5,
  d6.dep_freq AS dep_freq_6, d6.dep_policy AS dep_policy_6,
  d7.dep_freq AS dep_freq_7, d7.dep_policy AS dep_policy_7
FROM _w_independent_cpus_calc AS w
LEFT JOIN _cpu_w_dependency_default_vote AS d0 ON d0.cpu = 0
LEFT JOIN _cpu_w_dependency_default_vote AS d1 ON d1.cpu = 1
LEFT JOIN _cpu_w_dependency_default_vote AS d2 ON d2.cpu = 2
LEFT JOIN _cpu_w_dependency_default_vote AS d3 ON d3.cpu = 3
LEFT JOIN _cpu_w_dependency_default_vote AS d4 ON d4.cpu = 4
LEFT JOIN _cpu_w_dependency_default_vote AS d5 ON d5.cpu = 5
LEFT JOIN _cpu_w_dependency_default_vote AS d6 ON d6.cpu = 6
LEFT JOIN _cpu_w_dependency_default_vote AS d7 ON d7.cpu = 7
GROUP BY w.config_hash;
