-- Samples of where cpus spent their time, of all profilers.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Samples of sessions that count time; samples without a stack are left out.
CREATE PERFETTO TABLE cpu_profiling_samples(
  id LONG, ts TIMESTAMP, utid JOINID(thread.id), tid LONG, thread_name STRING, ucpu LONG,
  cpu LONG, callsite_id LONG, source STRING
) AS
SELECT
  row_number() OVER (ORDER BY s.ts, s.id) - 1 AS id, s.ts, t.utid, t.tid, t.name AS thread_name,
  e.ucpu, c.cpu, s.callsite_id, s.source
FROM stack_sample AS s
LEFT JOIN stack_sample_session AS n ON n.id = s.session_id
LEFT JOIN __intrinsic_profiler_task_context AS k ON k.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN thread AS t ON t.utid = k.utid
LEFT JOIN cpu AS c ON c.ucpu = e.ucpu
WHERE s.callsite_id IS NOT NULL AND coalesce(n.timebase_unit, 'ns') = 'ns'
ORDER BY s.ts, s.id;

CREATE PERFETTO TABLE _cpu_profiling_self_callsites AS
SELECT * FROM _callstacks_for_callsites!((SELECT callsite_id FROM cpu_profiling_samples));

CREATE PERFETTO TABLE cpu_profiling_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING,
  line_number LONG, self_count LONG, cumulative_count LONG
) AS
SELECT
  r.id, r.parent_id, r.name, r.mapping_name, r.source_file, r.line_number, r.self_count,
  a.cumulative_count
FROM _callstacks_self_to_cumulative!(_cpu_profiling_self_callsites) AS a
JOIN _cpu_profiling_self_callsites AS r USING (id)
ORDER BY r.id;
