-- How busy all cpus were.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO FUNCTION cpu_utilization_per_period(interval LONG)
RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT * FROM _cpu_avg_utilization_per_period!($interval, _cpu_sched_busy);

CREATE PERFETTO TABLE cpu_utilization_per_second(
  ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization FROM cpu_utilization_per_period(1000000000);

CREATE PERFETTO TABLE cpu_cycles(
  millicycles LONG, megacycles LONG, runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT _cpu_cycle_columns!(r) FROM _cpu_sched_with_freq AS r;

CREATE PERFETTO FUNCTION cpu_cycles_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  millicycles LONG, megacycles LONG, runtime DURATION, awake_runtime DURATION, min_freq LONG,
  max_freq LONG, avg_freq LONG
) AS
SELECT _cpu_cycle_columns_awake!(r) FROM _cpu_sched_with_freq_in($ts, $dur) AS r;

CREATE PERFETTO FUNCTION cpu_utilization_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(awake_dur LONG, awake_utilization DOUBLE, awake_unnormalized_utilization DOUBLE) AS
SELECT
  sum(dur) AS awake_dur,
  sum(dur) * 1.0 / (_cpu_awake_dur_in($ts, $dur) * _cpu_count()) AS awake_utilization,
  sum(dur) * 1.0 / _cpu_awake_dur_in($ts, $dur) AS awake_unnormalized_utilization
FROM _cpu_busy_awake_in($ts, $dur);

CREATE PERFETTO TABLE cpu_cycles_per_cpu(
  ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG, runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.ucpu, c.cpu, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq AS r JOIN cpu AS c USING (ucpu)
GROUP BY r.ucpu
ORDER BY r.ucpu;

CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG, runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.ucpu, c.cpu, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq_in($ts, $dur) AS r JOIN cpu AS c USING (ucpu)
GROUP BY r.ucpu
ORDER BY r.ucpu;
