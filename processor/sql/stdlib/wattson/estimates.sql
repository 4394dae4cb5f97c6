-- Power of all that was measured, in mW.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.estimates;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.tpu.estimates;
INCLUDE PERFETTO MODULE wattson.utils;

-- The estimates of a part over the whole trace: NULL where there are none.
CREATE PERFETTO MACRO _wattson_gapless(tab TableOrSubquery, rail ColumnName)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur, $rail
  FROM (
    SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur, $rail
    FROM (
      SELECT ts, $rail FROM $tab
      UNION ALL
      SELECT g.ts + g.dur, NULL
      FROM $tab AS g WHERE NOT EXISTS (SELECT 1 FROM $tab AS n WHERE n.ts = g.ts + g.dur)
      UNION ALL
      SELECT trace_start(), NULL
    )
  )
  WHERE dur > 0
);

CREATE PERFETTO TABLE _gapless_gpu_mw AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS id, *
FROM _wattson_gapless!(_gpu_estimates_mw, gpu_mw)
ORDER BY ts;

CREATE PERFETTO TABLE _gapless_tpu_mw AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS id, *
FROM _wattson_gapless!(_tpu_estimates_mw, tpu_mw)
ORDER BY ts;

-- The estimates of the cpus, cut where the others change.
CREATE PERFETTO TABLE _system_state_mw AS
SELECT
  ii.ts, ii.dur,
  c.cpu0_mw, c.cpu1_mw, c.cpu2_mw, c.cpu3_mw,
  c.cpu4_mw, c.cpu5_mw, c.cpu6_mw, c.cpu7_mw,
  c.dsu_scu_mw, g.gpu_mw, t.tpu_mw
FROM _interval_intersect!(
  (_ii_subquery!(_cpu_estimates_mw), _gapless_gpu_mw, _gapless_tpu_mw), ()
) AS ii
JOIN _cpu_estimates_mw AS c ON c._auto_id = ii.id_0
JOIN _gapless_gpu_mw AS g ON g.id = ii.id_1
JOIN _gapless_tpu_mw AS t ON t.id = ii.id_2
ORDER BY ii.ts;

-- The averages over each time of window_table (ts, dur, period_id).
CREATE PERFETTO MACRO _wattson_base_components_avg_mw(window_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    w.period_id, w.dur AS period_dur,
    sum(s.cpu0_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu0_mw,
    sum(s.cpu1_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu1_mw,
    sum(s.cpu2_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu2_mw,
    sum(s.cpu3_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu3_mw,
    sum(s.cpu4_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu4_mw,
    sum(s.cpu5_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu5_mw,
    sum(s.cpu6_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu6_mw,
    sum(s.cpu7_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS cpu7_mw,
    sum(s.dsu_scu_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS dsu_scu_mw,
    sum(s.gpu_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS gpu_mw,
    sum(s.tpu_mw * (min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts))) / nullif(w.dur, 0) AS tpu_mw
  FROM $window_table AS w
  LEFT JOIN _system_state_mw AS s ON s.ts < w.ts + w.dur AND s.ts + s.dur > w.ts
  GROUP BY w.period_id
);
