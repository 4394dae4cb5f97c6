-- What the objects of each class take in heap graphs, are reached of, and hold.
INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_class_aggregation;

SELECT RUN_METRIC('process_metadata.sql');

DROP VIEW IF EXISTS _java_heap_class_stats_sample;
CREATE VIEW _java_heap_class_stats_sample AS
SELECT
  upid,
  JavaHeapClassStats_Sample(
    'ts', graph_sample_ts,
    'type_count', RepeatedField(JavaHeapClassStats_TypeCount(
      'type_name', type_name, 'is_libcore_or_array', is_libcore_or_array,
      'obj_count', obj_count, 'size_bytes', size_bytes, 'native_size_bytes', native_size_bytes,
      'reachable_obj_count', reachable_obj_count, 'reachable_size_bytes', reachable_size_bytes,
      'reachable_native_size_bytes', reachable_native_size_bytes,
      'dominated_obj_count', dominated_obj_count, 'dominated_size_bytes', dominated_size_bytes,
      'dominated_native_size_bytes', dominated_native_size_bytes
    ))
  ) AS sample
FROM android_heap_graph_class_aggregation
GROUP BY upid, graph_sample_ts;

DROP VIEW IF EXISTS java_heap_class_stats_output;
CREATE VIEW java_heap_class_stats_output AS
SELECT JavaHeapClassStats(
  'instance_stats', (
    SELECT RepeatedField(JavaHeapClassStats_InstanceStats(
      'upid', upid, 'process', metadata, 'samples', samples
    ))
    FROM (
      SELECT upid, RepeatedField(sample) AS samples
      FROM _java_heap_class_stats_sample
      GROUP BY upid
    )
    LEFT JOIN process_metadata USING (upid)
  )
);
