-- Power of cpus, in mW. NULL where the device is known but nothing was measured.

INCLUDE PERFETTO MODULE wattson.cpu.pivot;
INCLUDE PERFETTO MODULE wattson.curves.utils;

-- Power of each set of states.
CREATE PERFETTO TABLE _unique_estimates_mw AS
SELECT
  w.config_hash,
  iif(w.suspended, 0, ifnull(w.cpu0_curve, t0.curve_value)) AS cpu0_mw,
  iif(w.suspended, 0, ifnull(w.cpu1_curve, t1.curve_value)) AS cpu1_mw,
  iif(w.suspended, 0, ifnull(w.cpu2_curve, t2.curve_value)) AS cpu2_mw,
  iif(w.suspended, 0, ifnull(w.cpu3_curve, t3.curve_value)) AS cpu3_mw,
  iif(w.suspended, 0, ifnull(w.cpu4_curve, t4.curve_value)) AS cpu4_mw,
  iif(w.suspended, 0, ifnull(w.cpu5_curve, t5.curve_value)) AS cpu5_mw,
  iif(w.suspended, 0, ifnull(w.cpu6_curve, t6.curve_value)) AS cpu6_mw,
  iif(w.suspended, 0, ifnull(w.cpu7_curve, t7.curve_value)) AS cpu7_mw,
  iif(w.suspended, 0, w.static_1d + ifnull(t0.static, 0)) AS static_mw,
  l3.l3_hit, l3.l3_miss,
  n.interconnect AS interconnect_mw
FROM _w_dependent_cpus_unique AS w
LEFT JOIN _filtered_curves_2d AS t0
  ON t0.freq_khz = w.freq_0 AND t0.idle = w.idle_0
  AND t0.dep_policy = w.dep_policy_0 AND t0.dep_freq = w.dep_freq_0
LEFT JOIN _filtered_curves_2d AS t1
  ON t1.freq_khz = w.freq_1 AND t1.idle = w.idle_1
  AND t1.dep_policy = w.dep_policy_1 AND t1.dep_freq = w.dep_freq_1
LEFT JOIN _filtered_curves_2d AS t2
  ON t2.freq_khz = w.freq_2 AND t2.idle = w.idle_2
  AND t2.dep_policy = w.dep_policy_2 AND t2.dep_freq = w.dep_freq_2
LEFT JOIN _filtered_curves_2d AS t3
  ON t3.freq_khz = w.freq_3 AND t3.idle = w.idle_3
  AND t3.dep_policy = w.dep_policy_3 AND t3.dep_freq = w.dep_freq_3
LEFT JOIN _filtered_curves_2d AS t4
  ON t4.freq_khz = w.freq_4 AND t4.idle = w.idle_4
  AND t4.dep_policy = w.dep_policy_4 AND t4.dep_freq = w.dep_freq_4
LEFT JOIN _filtered_curves_2d AS t5
  ON t5.freq_khz = w.freq_5 AND t5.idle = w.idle_5
  AND t5.dep_policy = w.dep_policy_5 AND t5.dep_freq = w.dep_freq_5
LEFT JOIN _filtered_curves_2d AS t6
  ON t6.freq_khz = w.freq_6 AND t6.idle = w.idle_6
  AND t6.dep_policy = w.dep_policy_6 AND t6.dep_freq = w.dep_freq_6
LEFT JOIN _filtered_curves_2d AS t7
  ON t7.freq_khz = w.freq_7 AND t7.idle = w.idle_7
  AND t7.dep_policy = w.dep_policy_7 AND t7.dep_freq = w.dep_freq_7
LEFT JOIN _filtered_curves_l3 AS l3
  ON l3.freq_khz = w.freq_0 AND l3.dep_policy = w.dep_policy_0 AND l3.dep_freq = w.dep_freq_0
LEFT JOIN _filtered_curves_interconnect AS n
  ON n.freq_khz = w.freq_0 AND n.dep_policy = w.dep_policy_0 AND n.dep_freq = w.dep_freq_0
ORDER BY w.config_hash;

-- Power of each interval; what the cpus share is dsu_scu_mw.
CREATE PERFETTO TABLE _cpu_estimates_mw AS
SELECT
  c.ts, c.dur,
  u.cpu0_mw, u.cpu1_mw, u.cpu2_mw, u.cpu3_mw,
  u.cpu4_mw, u.cpu5_mw, u.cpu6_mw, u.cpu7_mw,
  u.static_mw + ifnull(c.l3_hit_count * u.l3_hit / c.dur, 0)
  + ifnull(c.l3_miss_count * u.l3_miss / c.dur, 0) + ifnull(u.interconnect_mw, 0) AS dsu_scu_mw
FROM _w_independent_cpus_calc AS c JOIN _unique_estimates_mw AS u USING (config_hash)
WHERE c.dur > 0
ORDER BY c.ts;
