-- Frequency and power state of the graphics processor.

INCLUDE PERFETTO MODULE android.gpu.frequency;
INCLUDE PERFETTO MODULE android.gpu.mali_power_state;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- Power states of processors by PowerVR.
CREATE PERFETTO TABLE _pvr_gpu_power_state(
  -- Start of the state.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- 0 off, 1 idle, 2 at work.
  power_state LONG
) AS
SELECT
  s.ts, s.dur,
  CASE s.name WHEN 'off' THEN 0 WHEN 'idle' THEN 1 ELSE 2 END AS power_state
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'powervr_gpu_power_state'
ORDER BY s.ts;

-- Power states, whoever made the processor.
CREATE PERFETTO VIEW _gpu_power_state AS
SELECT ts, dur, power_state FROM android_mali_gpu_power_state
UNION ALL
SELECT ts, dur, power_state FROM _pvr_gpu_power_state;

-- From the start of the trace on: NULL until the frequency is known.
CREATE PERFETTO TABLE _gapless_gpu_freq AS
WITH freqs AS (
  SELECT f.*
  FROM android_gpu_frequency AS f
  JOIN _gpuid_map AS m ON m.gpu_id = f.gpu_id
  JOIN _wattson_device AS d ON d.name = m.device
)
SELECT
  trace_start() AS ts, min(ts) - trace_start() AS dur, NULL AS freq, NULL AS prev_freq,
  (SELECT next_gpu_freq FROM freqs ORDER BY ts LIMIT 1) AS next_freq, max(gpu_id) AS gpu_id
FROM freqs
UNION ALL
SELECT ts, dur, gpu_freq AS freq, prev_gpu_freq AS prev_freq, next_gpu_freq AS next_freq, gpu_id
FROM freqs;

CREATE PERFETTO TABLE _gapless_gpu_power_state AS
SELECT trace_start() AS ts, min(ts) - trace_start() AS dur, NULL AS power_state
FROM _gpu_power_state
UNION ALL
SELECT ts, dur, power_state FROM _gpu_power_state;

-- Both together.
CREATE PERFETTO TABLE _gpu_freq_idle AS
SELECT ii.ts, ii.dur, f.freq, p.power_state
FROM _interval_intersect!(
  (_ii_subquery!(_gapless_gpu_freq), _ii_subquery!(_gapless_gpu_power_state)), ()
) AS ii
JOIN _gapless_gpu_freq AS f ON f._auto_id = ii.id_0
JOIN _gapless_gpu_power_state AS p ON p._auto_id = ii.id_1
ORDER BY ii.ts;
