-- Time, cycles and frequencies of each thread on each core. What ran while the frequency of its
-- core was not known is left out.
DROP TABLE IF EXISTS _android_cpu_span;
DROP VIEW IF EXISTS _android_cpu_sched;
CREATE VIEW _android_cpu_sched AS
SELECT ts, dur, cpu, utid FROM sched WHERE dur > 0 AND utid != 0;

DROP VIEW IF EXISTS _android_cpu_freq;
CREATE VIEW _android_cpu_freq AS
SELECT
  ts,
  lead(ts, 1, trace_end()) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur,
  t.cpu,
  CAST(value AS INT) AS freq_khz
FROM counter AS c
JOIN cpu_counter_track AS t ON c.track_id = t.id
WHERE t.type = 'cpu_frequency';

CREATE VIRTUAL TABLE _android_cpu_span
USING SPAN_JOIN(_android_cpu_freq PARTITIONED cpu, _android_cpu_sched PARTITIONED cpu);

-- A cycle is a kHz for a millisecond; products are taken in microseconds to stay within 64 bits.
CREATE OR REPLACE PERFETTO TABLE _android_cpu_core AS
SELECT
  utid,
  cpu,
  sum(dur) AS runtime_ns,
  sum(dur * freq_khz / 1000) AS millicycles,
  min(freq_khz) AS min_freq_khz,
  max(freq_khz) AS max_freq_khz,
  sum(dur / 1000) AS runtime_us
FROM _android_cpu_span
GROUP BY utid, cpu;

CREATE OR REPLACE PERFETTO FUNCTION _android_cpu_message(
  millicycles LONG, runtime_ns LONG, runtime_us LONG, min_freq LONG, max_freq LONG
)
RETURNS BYTES AS
SELECT AndroidCpuMetric_Metrics(
  'mcycles', CAST($millicycles / 1e9 AS INT),
  'runtime_ns', $runtime_ns,
  'min_freq_khz', $min_freq,
  'max_freq_khz', $max_freq,
  'avg_freq_khz', $millicycles / nullif($runtime_us, 0)
);

DROP VIEW IF EXISTS _android_cpu_thread_core;
CREATE VIEW _android_cpu_thread_core AS
SELECT
  utid,
  RepeatedField(AndroidCpuMetric_CoreData(
    'id', cpu,
    'metrics',
      _android_cpu_message(millicycles, runtime_ns, runtime_us, min_freq_khz, max_freq_khz)
  )) AS cores,
  sum(millicycles) AS millicycles,
  sum(runtime_ns) AS runtime_ns,
  sum(runtime_us) AS runtime_us,
  min(min_freq_khz) AS min_freq_khz,
  max(max_freq_khz) AS max_freq_khz
FROM _android_cpu_core
GROUP BY utid;

DROP VIEW IF EXISTS _android_cpu_process;
CREATE VIEW _android_cpu_process AS
SELECT
  t.upid,
  RepeatedField(AndroidCpuMetric_Thread(
    'name', t.name,
    'core', c.cores,
    'metrics',
      _android_cpu_message(millicycles, runtime_ns, runtime_us, min_freq_khz, max_freq_khz)
  )) AS threads,
  sum(millicycles) AS millicycles,
  sum(runtime_ns) AS runtime_ns,
  sum(runtime_us) AS runtime_us,
  min(min_freq_khz) AS min_freq_khz,
  max(max_freq_khz) AS max_freq_khz
FROM _android_cpu_thread_core AS c
JOIN thread AS t USING (utid)
WHERE t.upid IS NOT NULL
GROUP BY t.upid;

DROP VIEW IF EXISTS _android_cpu_process_core;
CREATE VIEW _android_cpu_process_core AS
SELECT
  upid,
  RepeatedField(AndroidCpuMetric_CoreData(
    'id', cpu,
    'metrics',
      _android_cpu_message(millicycles, runtime_ns, runtime_us, min_freq_khz, max_freq_khz)
  )) AS cores
FROM (
  SELECT
    t.upid, c.cpu,
    sum(millicycles) AS millicycles,
    sum(runtime_ns) AS runtime_ns,
    sum(runtime_us) AS runtime_us,
    min(min_freq_khz) AS min_freq_khz,
    max(max_freq_khz) AS max_freq_khz
  FROM _android_cpu_core AS c
  JOIN thread AS t USING (utid)
  WHERE t.upid IS NOT NULL
  GROUP BY t.upid, c.cpu
)
GROUP BY upid;

DROP VIEW IF EXISTS android_cpu_output;
CREATE VIEW android_cpu_output AS
SELECT AndroidCpuMetric(
  'process_info', (
    SELECT RepeatedField(AndroidCpuMetric_Process(
      'name', p.name,
      'metrics', _android_cpu_message(
        c.millicycles, c.runtime_ns, c.runtime_us, c.min_freq_khz, c.max_freq_khz),
      'threads', c.threads,
      'core', pc.cores
    ))
    FROM _android_cpu_process AS c
    JOIN process AS p USING (upid)
    JOIN _android_cpu_process_core AS pc USING (upid)
  )
);
