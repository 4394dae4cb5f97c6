-- Counters that were read with perf samples.

-- The value of the counter of that name at that sample; NULL if it was not read.
CREATE PERFETTO FUNCTION linux_perf_counter_for_sample(
  sample_id JOINID(perf_sample.id), counter_name STRING
)
RETURNS DOUBLE
DELEGATES TO __intrinsic_perf_counter_for_sample;

CREATE PERFETTO VIEW linux_perf_sample_with_counters(
  sample_id JOINID(perf_sample.id), ts TIMESTAMP, utid JOINID(thread.id), cpu LONG,
  cpu_mode STRING, callsite_id JOINID(stack_profile_callsite.id), unwind_error STRING,
  perf_session_id JOINID(perf_session.id), counter_id JOINID(counter.id),
  track_id JOINID(track.id), counter_value DOUBLE
) AS
SELECT
  s.id AS sample_id, s.ts, s.utid, s.cpu, s.cpu_mode, s.callsite_id, s.unwind_error,
  s.perf_session_id, c.id AS counter_id, c.track_id, c.value AS counter_value
FROM perf_sample AS s
JOIN __intrinsic_profiler_sample AS i ON i.id = s.id
JOIN __intrinsic_profiler_counter_set AS cs ON cs.counter_set_id = i.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = cs.counter_id;
