-- What perf samples found on the stacks.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

CREATE PERFETTO TABLE _linux_perf_raw_callstacks AS
SELECT *
FROM _callstacks_for_callsites!((SELECT callsite_id FROM perf_sample WHERE callsite_id IS NOT NULL));

-- All stacks as one forest.
CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING,
  line_number LONG, self_count LONG, cumulative_count LONG
) AS
SELECT
  r.id, r.parent_id, r.name, r.mapping_name, r.source_file, r.line_number, r.self_count,
  a.cumulative_count
FROM _callstacks_self_to_cumulative!(_linux_perf_raw_callstacks) AS a
JOIN _linux_perf_raw_callstacks AS r USING (id)
ORDER BY r.id;
