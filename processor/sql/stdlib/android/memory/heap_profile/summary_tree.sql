-- All heap profiles of a trace as one tree of functions.

INCLUDE PERFETTO MODULE android.memory.heap_profile.callstacks;
INCLUDE PERFETTO MODULE graphs.scan;

CREATE PERFETTO TABLE _android_heap_profile_raw_callstacks AS
SELECT *
FROM _android_heap_profile_callstacks_for_allocations!((
  SELECT
    callsite_id, size, count, max(size, 0) AS alloc_size, max(count, 0) AS alloc_count
  FROM heap_profile_allocation
));

CREATE PERFETTO TABLE _android_heap_profile_cumulatives AS
SELECT id, cumulative_size, cumulative_alloc_size
FROM _graph_aggregating_scan!(
  (
    SELECT id AS source_node_id, parent_id AS dest_node_id
    FROM _android_heap_profile_raw_callstacks WHERE parent_id IS NOT NULL
  ),
  (
    SELECT id, self_size AS cumulative_size, self_alloc_size AS cumulative_alloc_size
    FROM _android_heap_profile_raw_callstacks
    WHERE id NOT IN (
      SELECT parent_id FROM _android_heap_profile_raw_callstacks WHERE parent_id IS NOT NULL
    )
  ),
  (cumulative_size, cumulative_alloc_size),
  (
    SELECT
      t.id,
      sum(t.cumulative_size) + c.self_size AS cumulative_size,
      sum(t.cumulative_alloc_size) + c.self_alloc_size AS cumulative_alloc_size
    FROM $table AS t JOIN _android_heap_profile_raw_callstacks AS c USING (id)
    GROUP BY t.id
  )
)
ORDER BY id;

-- Functions as a tree: what each allocated and did not free, and what it allocated at all; itself,
-- and with all that it called.
CREATE PERFETTO TABLE android_heap_profile_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING, line_number LONG,
  self_size LONG, cumulative_size LONG, self_alloc_size LONG, cumulative_alloc_size LONG
) AS
SELECT
  c.id, c.parent_id, c.name, c.mapping_name, c.source_file, c.line_number,
  c.self_size, s.cumulative_size, c.self_alloc_size, s.cumulative_alloc_size
FROM _android_heap_profile_raw_callstacks AS c
JOIN _android_heap_profile_cumulatives AS s USING (id)
ORDER BY c.id;
