-- Power of each part over time, as counters for the web interface.

INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.estimates;

-- One column of the estimates, from one change to the next.
CREATE PERFETTO MACRO _get_continuous_estimates(rail ColumnName)
RETURNS TableOrSubquery AS
(
  SELECT ts, ifnull(lead(ts) OVER (ORDER BY ts), ts_end) - ts AS dur, $rail
  FROM (
    SELECT
      ts, $rail, lag($rail) OVER (ORDER BY ts) IS $rail AND row_number() OVER (ORDER BY ts) > 1
        AS is_same,
      max(ts + dur) OVER () AS ts_end
    FROM _system_state_mw
  )
  WHERE NOT is_same
);

CREATE PERFETTO VIEW _system_state_cpu0_mw AS
SELECT ts, dur, CAST(cpu0_mw AS REAL) AS cpu0_mw, 0 AS cpu
FROM _get_continuous_estimates!(cpu0_mw);

CREATE PERFETTO VIEW _system_state_cpu1_mw AS
SELECT ts, dur, CAST(cpu1_mw AS REAL) AS cpu1_mw, 1 AS cpu
FROM _get_continuous_estimates!(cpu1_mw);

CREATE PERFETTO VIEW _system_state_cpu2_mw AS
SELECT ts, dur, CAST(cpu2_mw AS REAL) AS cpu2_mw, 2 AS cpu
FROM _get_continuous_estimates!(cpu2_mw);

CREATE PERFETTO VIEW _system_state_cpu3_mw AS
SELECT ts, dur, CAST(cpu3_mw AS REAL) AS cpu3_mw, 3 AS cpu
FROM _get_continuous_estimates!(cpu3_mw);

CREATE PERFETTO VIEW _system_state_cpu4_mw AS
SELECT ts, dur, CAST(cpu4_mw AS REAL) AS cpu4_mw, 4 AS cpu
FROM _get_continuous_estimates!(cpu4_mw);

CREATE PERFETTO VIEW _system_state_cpu5_mw AS
SELECT ts, dur, CAST(cpu5_mw AS REAL) AS cpu5_mw, 5 AS cpu
FROM _get_continuous_estimates!(cpu5_mw);

CREATE PERFETTO VIEW _system_state_cpu6_mw AS
SELECT ts, dur, CAST(cpu6_mw AS REAL) AS cpu6_mw, 6 AS cpu
FROM _get_continuous_estimates!(cpu6_mw);

CREATE PERFETTO VIEW _system_state_cpu7_mw AS
SELECT ts, dur, CAST(cpu7_mw AS REAL) AS cpu7_mw, 7 AS cpu
FROM _get_continuous_estimates!(cpu7_mw);

CREATE PERFETTO VIEW _system_state_dsu_scu_mw AS
SELECT ts, dur, CAST(dsu_scu_mw AS REAL) AS dsu_scu_mw FROM _get_continuous_estimates!(dsu_scu_mw);

-- Of a device that is not known this is 0, as for the cpus.
CREATE PERFETTO VIEW _system_state_gpu_mw AS
SELECT
  ts, dur,
  CAST(iif(EXISTS(SELECT 1 FROM _wattson_device), gpu_mw, ifnull(gpu_mw, 0)) AS REAL) AS gpu_mw
FROM _get_continuous_estimates!(gpu_mw);

CREATE PERFETTO VIEW _system_state_tpu_mw AS
SELECT
  ts, dur,
  CAST(iif(EXISTS(SELECT 1 FROM _wattson_device), tpu_mw, ifnull(tpu_mw, 0)) AS REAL) AS tpu_mw
FROM _get_continuous_estimates!(tpu_mw);
