-- Frequencies of cpus.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- The whole trace for each cpu of a known device: its frequency in kHz, NULL until it is known.
CREATE PERFETTO TABLE _adjusted_cpu_freq AS
WITH
  changes AS (
    SELECT c.ts, CAST(c.value AS INT) AS freq, t.cpu
    FROM counter AS c JOIN cpu_counter_track AS t ON t.id = c.track_id
    WHERE t.type = 'cpu_frequency'
    UNION ALL
    SELECT trace_start(), NULL, cpu FROM _dev_cpu_policy_map
  ),
  spans AS (
    SELECT
      c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.cpu ORDER BY c.ts, c.freq IS NOT NULL) - c.ts
        AS dur,
      c.freq, c.cpu,
      iif(EXISTS(SELECT 1 FROM cpu_counter_track WHERE type = 'cpu_frequency'), p.policy, NULL)
        AS policy
    FROM changes AS c JOIN _dev_cpu_policy_map AS p USING (cpu)
  )
SELECT ts, dur, freq, cpu, policy FROM spans WHERE dur > 0 ORDER BY ts, cpu;
