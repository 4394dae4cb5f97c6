-- How busy threads kept the cpus.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO FUNCTION cpu_thread_utilization_per_period(interval LONG, utid JOINID(thread.id))
RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT *
FROM _cpu_avg_utilization_per_period!(
  $interval, (SELECT ts, dur FROM _cpu_sched_busy WHERE utid = $utid)
);

CREATE PERFETTO FUNCTION cpu_thread_utilization_per_second(utid JOINID(thread.id))
RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_thread_utilization_per_period(1000000000, $utid);

CREATE PERFETTO TABLE cpu_cycles_per_thread(
  utid JOINID(thread.id), millicycles LONG, megacycles LONG, runtime DURATION, min_freq LONG,
  max_freq LONG, avg_freq LONG
) AS
SELECT r.utid, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq AS r
WHERE r.utid IS NOT NULL
GROUP BY r.utid
ORDER BY r.utid;

CREATE PERFETTO FUNCTION cpu_cycles_per_thread_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  utid JOINID(thread.id), millicycles LONG, megacycles LONG, runtime DURATION, awake_runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.utid, _cpu_cycle_columns_awake!(r)
FROM _cpu_sched_with_freq_in($ts, $dur) AS r
WHERE r.utid IS NOT NULL
GROUP BY r.utid
ORDER BY r.utid;

CREATE PERFETTO FUNCTION cpu_thread_utilization_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  upid JOINID(process.id), utid JOINID(thread.id), thread_name STRING, awake_dur LONG,
  awake_utilization DOUBLE, awake_unnormalized_utilization DOUBLE
) AS
SELECT
  t.upid, r.utid, t.name AS thread_name, sum(r.dur) AS awake_dur,
  sum(r.dur) * 1.0 / (_cpu_awake_dur_in($ts, $dur) * _cpu_count()) AS awake_utilization,
  sum(r.dur) * 1.0 / _cpu_awake_dur_in($ts, $dur) AS awake_unnormalized_utilization
FROM _cpu_busy_awake_in($ts, $dur) AS r JOIN thread AS t USING (utid)
GROUP BY r.utid
ORDER BY r.utid;
