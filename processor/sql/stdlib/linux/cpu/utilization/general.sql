-- What the modules on the use of cpus share.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- How many cpus there are in all machines, as far as their numbers tell.
CREATE PERFETTO FUNCTION _cpu_count()
RETURNS LONG AS
SELECT sum(num) FROM (SELECT max(cpu) + 1 AS num FROM cpu GROUP BY machine_id);

-- Who ran, without idle threads.
CREATE PERFETTO VIEW _cpu_sched_busy AS
SELECT s.ts, s.dur, s.utid, t.upid, s.ucpu
FROM sched AS s JOIN thread AS t ON t.id = s.utid
WHERE s.dur > 0 AND NOT coalesce(t.is_idle, 0);

CREATE PERFETTO VIEW _cpu_frequency_spans AS
SELECT ts, dur, ucpu, freq FROM cpu_frequency_counters WHERE ucpu IS NOT NULL;

-- When the machine was awake: the time of the trace without suspends.
CREATE PERFETTO TABLE _cpu_awake AS
WITH
  asleep AS (
    SELECT s.ts, s.ts + s.dur AS ts_end
    FROM slice AS s JOIN track AS t ON s.track_id = t.id
    WHERE t.type = 'suspend_resume_minimal' AND s.dur > 0
  ),
  cuts AS (
    SELECT ts_end AS ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) AS ts_end FROM asleep
    UNION ALL
    SELECT trace_start(), coalesce((SELECT min(ts) FROM asleep), trace_end())
  )
SELECT row_number() OVER (ORDER BY ts) AS id, ts, ts_end - ts AS dur FROM cuts WHERE ts_end > ts;

CREATE VIRTUAL TABLE _cpu_sched_beside_freq USING SPAN_LEFT_JOIN(
  _cpu_sched_busy PARTITIONED ucpu, _cpu_frequency_spans PARTITIONED ucpu
);

-- Runs by the frequency of the cpu at that time; NULL where it is not known.
CREATE PERFETTO TABLE _cpu_sched_with_freq AS
SELECT row_number() OVER () AS id, ts, dur, utid, upid, ucpu, freq
FROM _cpu_sched_beside_freq
ORDER BY ts;

-- The columns of all cycle counts: kHz times ns are millionths of cycles. The average is over
-- whole microseconds, those in which the frequency is not known included.
CREATE PERFETTO MACRO _cpu_cycle_columns(rows TableOrSubquery)
RETURNS _ProjectionFragment AS
  CAST(sum($rows.dur * $rows.freq / 1000) AS INT) AS millicycles,
  CAST(sum($rows.dur * $rows.freq / 1000) / 1e9 AS INT) AS megacycles,
  sum($rows.dur) AS runtime,
  min($rows.freq) AS min_freq,
  max($rows.freq) AS max_freq,
  CAST(sum($rows.dur * $rows.freq / 1000) / (sum($rows.dur) / 1000) AS INT) AS avg_freq;

-- The same with the part of the time in which the machine was awake.
CREATE PERFETTO MACRO _cpu_cycle_columns_awake(rows TableOrSubquery)
RETURNS _ProjectionFragment AS
  CAST(sum($rows.dur * $rows.freq / 1000) AS INT) AS millicycles,
  CAST(sum($rows.dur * $rows.freq / 1000) / 1e9 AS INT) AS megacycles,
  sum($rows.dur) AS runtime,
  sum(
    (
      SELECT sum(min(w.ts + w.dur, $rows.ts + $rows.dur) - max(w.ts, $rows.ts))
      FROM _cpu_awake AS w
      WHERE w.ts < $rows.ts + $rows.dur AND w.ts + w.dur > $rows.ts
    )
  ) AS awake_runtime,
  min($rows.freq) AS min_freq,
  max($rows.freq) AS max_freq,
  CAST(sum($rows.dur * $rows.freq / 1000) / (sum($rows.dur) / 1000) AS INT) AS avg_freq;

-- Runs with their frequency, cut to an interval.
CREATE PERFETTO FUNCTION _cpu_sched_with_freq_in(ts TIMESTAMP, dur LONG)
RETURNS TABLE(ts TIMESTAMP, dur LONG, utid LONG, upid LONG, ucpu LONG, freq LONG) AS
SELECT
  max(ts, $ts) AS ts, min(ts + dur, $ts + $dur) - max(ts, $ts) AS dur, utid, upid, ucpu, freq
FROM _cpu_sched_with_freq
WHERE ts < $ts + $dur AND ts + dur > $ts;

-- Runs in the awake parts of an interval.
CREATE PERFETTO FUNCTION _cpu_busy_awake_in(ts TIMESTAMP, dur LONG)
RETURNS TABLE(dur LONG, utid LONG, upid LONG) AS
SELECT
  min(s.ts + s.dur, w.ts + w.dur, $ts + $dur) - max(s.ts, w.ts, $ts) AS dur, s.utid, s.upid
FROM _cpu_awake AS w
JOIN _cpu_sched_busy AS s ON s.ts < w.ts + w.dur AND s.ts + s.dur > w.ts
WHERE s.ts < $ts + $dur AND s.ts + s.dur > $ts AND w.ts < $ts + $dur AND w.ts + w.dur > $ts;

CREATE PERFETTO FUNCTION _cpu_awake_dur_in(ts TIMESTAMP, dur LONG)
RETURNS LONG AS
SELECT sum(min(ts + dur, $ts + $dur) - max(ts, $ts))
FROM _cpu_awake WHERE ts < $ts + $dur AND ts + dur > $ts;

-- For runs (ts, dur): how much of each period of `interval` ns they took, over all cpus
-- (utilization) and as a number of cpus (unnormalized_utilization). Columns: ts, utilization,
-- unnormalized_utilization.
CREATE PERFETTO MACRO _cpu_avg_utilization_per_period(interval Expr, sched_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH RECURSIVE
    _cau_parts(ts, rest_ts, ts_end) AS (
      SELECT ts / ($interval) * ($interval), ts, ts + dur FROM $sched_table WHERE dur > 0
      UNION ALL
      SELECT ts + ($interval), ts + ($interval), ts_end
      FROM _cau_parts WHERE ts + ($interval) < ts_end
    ),
    _cau_sums AS (
      SELECT
        ts,
        CAST(sum(min(ts_end, ts + ($interval)) - rest_ts) AS REAL) / ($interval)
          AS unnormalized_utilization,
        CAST(sum(min(ts_end, ts + ($interval)) - rest_ts) AS REAL)
        / (($interval) * _cpu_count()) AS utilization
      FROM _cau_parts
      GROUP BY ts
    )
  SELECT
    ts,
    min(1.0, utilization) AS utilization,
    unnormalized_utilization
  FROM _cau_sums
  ORDER BY ts
);

-- Who ran on which cpu, idle threads left out.
CREATE PERFETTO VIEW _sched_without_id AS
SELECT ts, dur, utid, ucpu
FROM sched
WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle) AND dur != -1;

-- Frequencies with the cpu they are of.
CREATE PERFETTO VIEW _cpu_freq_for_metrics AS
SELECT id, ts, dur, cpu, ucpu, freq FROM cpu_frequency_counters WHERE freq IS NOT NULL;

CREATE VIRTUAL TABLE _sched_beside_cpu_freq USING SPAN_LEFT_JOIN(
  _sched_without_id PARTITIONED ucpu, _cpu_freq_for_metrics PARTITIONED ucpu
);

-- Runs by the frequency of their cpu: `id` is that of its counter.
CREATE PERFETTO TABLE _cpu_freq_per_thread_no_id AS
SELECT ts, dur, ucpu, utid, id, cpu, freq FROM _sched_beside_cpu_freq;

-- The same with numbers of their own.
CREATE PERFETTO VIEW _cpu_freq_per_thread AS
SELECT _auto_id AS id, ts, dur, ucpu, cpu, utid, freq, id AS counter_id
FROM _cpu_freq_per_thread_no_id;
