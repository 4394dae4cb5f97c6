-- Cycles of threads by cpu.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  utid JOINID(thread.id), ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG,
  runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.utid, r.ucpu, c.cpu, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq AS r JOIN cpu AS c USING (ucpu)
GROUP BY r.utid, r.ucpu
ORDER BY r.utid, r.ucpu;

-- The same of an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  utid JOINID(thread.id), ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG,
  runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT r.utid, r.ucpu, c.cpu, _cpu_cycle_columns!(r)
FROM _cpu_sched_with_freq_in($ts, $dur) AS r JOIN cpu AS c USING (ucpu)
GROUP BY r.utid, r.ucpu
ORDER BY r.utid, r.ucpu;
