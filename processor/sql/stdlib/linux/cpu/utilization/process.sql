-- How busy processes kept the cpus.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO FUNCTION cpu_process_utilization_per_period(interval LONG, upid JOINID(process.id))
RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT *
FROM _cpu_avg_utilization_per_period!(
  $interval, (SELECT ts, dur FROM _cpu_sched_busy WHERE upid = $upid)
);

CREATE PERFETTO FUNCTION cpu_process_utilization_per_second(upid JOINID(process.id))
RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_process_utilization_per_period(1000000000, $upid);

CREATE PERFETTO TABLE cpu_cycles_per_process(
  upid JOINID(process.id), millicycles LONG, megacycles LONG, runtime DURATION, min_freq LONG,
  max_freq LONG, avg_freq LONG
) AS
SELECT r.upid, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq AS r
WHERE r.upid IS NOT NULL
GROUP BY r.upid
ORDER BY r.upid;

CREATE PERFETTO FUNCTION cpu_cycles_per_process_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  upid JOINID(process.id), millicycles LONG, megacycles LONG, runtime DURATION, awake_runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.upid, _cpu_cycle_columns_awake!(r)
FROM _cpu_sched_with_freq_in($ts, $dur) AS r
WHERE r.upid IS NOT NULL
GROUP BY r.upid
ORDER BY r.upid;

CREATE PERFETTO FUNCTION cpu_process_utilization_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  upid JOINID(process.id), process_name STRING, awake_dur LONG, awake_utilization DOUBLE,
  awake_unnormalized_utilization DOUBLE
) AS
SELECT
  r.upid, p.name AS process_name, sum(r.dur) AS awake_dur,
  sum(r.dur) * 1.0 / (_cpu_awake_dur_in($ts, $dur) * _cpu_count()) AS awake_utilization,
  sum(r.dur) * 1.0 / _cpu_awake_dur_in($ts, $dur) AS awake_unnormalized_utilization
FROM _cpu_busy_awake_in($ts, $dur) AS r JOIN process AS p USING (upid)
GROUP BY r.upid
ORDER BY r.upid;
