-- What samples of Instruments found on the stacks.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

CREATE PERFETTO TABLE _appleos_instruments_callstacks AS
SELECT *
FROM _callstacks_for_callsites!(
  (SELECT callsite_id FROM instruments_sample WHERE callsite_id IS NOT NULL)
);

-- All stacks as one forest.
CREATE PERFETTO TABLE appleos_instruments_samples_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING,
  line_number LONG, self_count LONG, cumulative_count LONG
) AS
SELECT
  r.id, r.parent_id, r.name, r.mapping_name, r.source_file, r.line_number, r.self_count,
  a.cumulative_count
FROM _callstacks_self_to_cumulative!(_appleos_instruments_callstacks) AS a
JOIN _appleos_instruments_callstacks AS r USING (id)
ORDER BY r.id;
