-- Cycles that cpus spent on slices of threads.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE cpu_cycles_per_thread_slice(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, millicycles LONG, megacycles LONG
) AS
WITH
  ran AS (
    SELECT ii.id_0 AS id, sum(ii.dur * f.freq / 1000) AS millicycles
    FROM _interval_intersect!(
      (
        (SELECT id, ts, dur, utid FROM thread_slice WHERE utid > 0 AND dur > 0),
        (SELECT id, ts, dur, utid FROM _cpu_sched_with_freq)
      ),
      (utid)
    ) AS ii
    JOIN _cpu_sched_with_freq AS f ON f.id = ii.id_1
    GROUP BY ii.id_0
  )
SELECT
  s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, ran.millicycles,
  CAST(ran.millicycles / 1e9 AS INT) AS megacycles
FROM thread_slice AS s LEFT JOIN ran USING (id)
ORDER BY s.track_id, s.id;

CREATE PERFETTO FUNCTION cpu_cycles_per_thread_slice_in_interval(ts TIMESTAMP, dur DURATION)
RETURNS TABLE(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, millicycles LONG, megacycles LONG
) AS
WITH
  ran AS (
    SELECT
      ii.id_0 AS id,
      sum((min(ii.ts + ii.dur, $ts + $dur) - max(ii.ts, $ts)) * f.freq / 1000) AS millicycles
    FROM _interval_intersect!(
      (
        (SELECT id, ts, dur, utid FROM thread_slice WHERE utid > 0 AND dur > 0),
        (SELECT id, ts, dur, utid FROM _cpu_sched_with_freq)
      ),
      (utid)
    ) AS ii
    JOIN _cpu_sched_with_freq AS f ON f.id = ii.id_1
    WHERE ii.ts < $ts + $dur AND ii.ts + ii.dur > $ts
    GROUP BY ii.id_0
  )
SELECT
  s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, ran.millicycles,
  CAST(ran.millicycles / 1e9 AS INT) AS megacycles
FROM ran JOIN thread_slice AS s USING (id)
ORDER BY s.id;
