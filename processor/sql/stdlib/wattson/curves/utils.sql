-- Measured power of the device of this trace.

INCLUDE PERFETTO MODULE wattson.curves.cpu_1d;
INCLUDE PERFETTO MODULE wattson.curves.cpu_2d;
INCLUDE PERFETTO MODULE wattson.curves.gpu;
INCLUDE PERFETTO MODULE wattson.curves.l3;
INCLUDE PERFETTO MODULE wattson.curves.tpu;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _filtered_curves_1d_raw AS
SELECT c.policy, c.freq_khz, c.active, c.idle0, c.idle1, c.static
FROM _device_curves_1d AS c JOIN _wattson_device AS d ON d.name = c.device
ORDER BY c.policy, c.freq_khz;

-- One row for each state: -1 while the cpu runs, else its idle state.
CREATE PERFETTO TABLE _filtered_curves_1d AS
SELECT policy, freq_khz, -1 AS idle, active AS curve_value, static FROM _filtered_curves_1d_raw
UNION ALL
SELECT policy, freq_khz, 0, idle0, static FROM _filtered_curves_1d_raw
UNION ALL
SELECT policy, freq_khz, 1, idle1, static FROM _filtered_curves_1d_raw
ORDER BY policy, freq_khz, idle;

CREATE PERFETTO TABLE _filtered_curves_2d_raw AS
SELECT
  c.policy, c.freq_khz, c.dep_policy, c.dep_freq, c.active, c.idle0, c.idle1, c.static,
  c.interconnect
FROM _device_curves_2d AS c JOIN _wattson_device AS d ON d.name = c.device
ORDER BY c.policy, c.freq_khz, c.dep_policy, c.dep_freq;

CREATE PERFETTO TABLE _filtered_curves_2d AS
SELECT freq_khz, dep_policy, dep_freq, -1 AS idle, static, active AS curve_value
FROM _filtered_curves_2d_raw
UNION ALL
SELECT freq_khz, dep_policy, dep_freq, 0, static, idle0 FROM _filtered_curves_2d_raw
UNION ALL
SELECT freq_khz, dep_policy, dep_freq, 1, static, idle1 FROM _filtered_curves_2d_raw
ORDER BY freq_khz, dep_policy, dep_freq, idle;

CREATE PERFETTO TABLE _filtered_curves_interconnect AS
SELECT policy, freq_khz, dep_policy, dep_freq, interconnect
FROM _filtered_curves_2d_raw
ORDER BY policy, freq_khz, dep_policy, dep_freq;

CREATE PERFETTO TABLE _filtered_curves_l3 AS
SELECT c.freq_khz, c.dep_policy, c.dep_freq, c.l3_hit, c.l3_miss
FROM _device_curves_l3 AS c JOIN _wattson_device AS d ON d.name = c.device
ORDER BY c.freq_khz, c.dep_policy, c.dep_freq;

CREATE PERFETTO TABLE _gpu_filtered_curves_raw AS
SELECT c.freq_khz, c.active, c.idle1, c.idle2
FROM _gpu_device_curves AS c JOIN _wattson_device AS d ON d.name = c.device
ORDER BY c.freq_khz;

-- One row for each state: 2 while it works, 1 and 0 while it does not.
CREATE PERFETTO TABLE _gpu_filtered_curves AS
SELECT freq_khz, 2 AS idle, active AS curve_value FROM _gpu_filtered_curves_raw
UNION ALL
SELECT freq_khz, 1, idle1 FROM _gpu_filtered_curves_raw
UNION ALL
SELECT freq_khz, 0, idle2 FROM _gpu_filtered_curves_raw;

CREATE PERFETTO TABLE _tpu_filtered_curves AS
SELECT c.cluster, c.requests, c.freq, c.active
FROM _tpu_device_curves AS c JOIN _wattson_device AS d ON d.name = c.device
ORDER BY c.cluster, c.requests, c.freq;

-- Cpus that were measured by themselves: the first of each policy stands for what all share.
CREATE PERFETTO TABLE _cpus_for_static AS
SELECT min(cpu) AS cpu
FROM _dev_cpu_policy_map
WHERE policy IN (SELECT policy FROM _filtered_curves_1d_raw)
GROUP BY policy
ORDER BY cpu;

-- Cpus whose power depends on the frequency of others, and these.
CREATE PERFETTO TABLE _cpu_lut_dependencies AS
SELECT DISTINCT p.cpu, q.cpu AS dep_cpu
FROM _filtered_curves_2d_raw AS c
JOIN _dev_cpu_policy_map AS p USING (policy)
JOIN _dev_cpu_policy_map AS q ON q.policy = c.dep_policy
ORDER BY p.cpu, q.cpu;

-- Cpus whose power depends on the unit that all share.
CREATE PERFETTO TABLE _cpu_w_dsu_dependency AS
SELECT DISTINCT p.cpu
FROM _filtered_curves_2d_raw AS c JOIN _dev_cpu_policy_map AS p USING (policy)
WHERE c.dep_policy = _dsu_dep!()
ORDER BY p.cpu;

-- What they depend on while nobody asks for more: the lowest frequency.
CREATE PERFETTO TABLE _cpu_w_dependency_default_vote AS
SELECT p.cpu, c.dep_policy, min(c.dep_freq) AS dep_freq
FROM _filtered_curves_2d_raw AS c JOIN _dev_cpu_policy_map AS p USING (policy)
GROUP BY p.cpu
HAVING c.dep_policy = min(c.dep_policy)
ORDER BY p.cpu;
