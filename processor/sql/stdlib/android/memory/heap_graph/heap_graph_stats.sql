-- Sums over heap graphs of processes.

CREATE PERFETTO TABLE android_heap_graph_stats(
  upid JOINID(process.id), graph_sample_ts TIMESTAMP, total_heap_size LONG,
  total_native_alloc_registry_size LONG, total_obj_count LONG, reachable_heap_size LONG,
  reachable_native_alloc_registry_size LONG, reachable_obj_count LONG
) AS
SELECT
  upid, graph_sample_ts,
  sum(self_size) AS total_heap_size,
  sum(native_size) AS total_native_alloc_registry_size,
  count(*) AS total_obj_count,
  coalesce(sum(self_size) FILTER (WHERE reachable), 0) AS reachable_heap_size,
  coalesce(sum(native_size) FILTER (WHERE reachable), 0) AS reachable_native_alloc_registry_size,
  coalesce(sum(1) FILTER (WHERE reachable), 0) AS reachable_obj_count
FROM heap_graph_object
GROUP BY upid, graph_sample_ts
ORDER BY upid, graph_sample_ts;
