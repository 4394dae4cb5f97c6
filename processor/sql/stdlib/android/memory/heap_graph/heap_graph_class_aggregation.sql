-- What the objects of each class take, are reached of, and hold.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;

-- Whether it comes with the platform, or is an array: such classes say little of a program.
CREATE PERFETTO FUNCTION _heap_graph_is_libcore_or_array(name STRING)
RETURNS BOOL AS
SELECT
  $name GLOB 'java.*' OR $name GLOB 'j$.*' OR $name GLOB 'int[[]*' OR $name GLOB 'long[[]*'
  OR $name GLOB 'byte[[]*' OR $name GLOB 'char[[]*' OR $name GLOB 'short[[]*'
  OR $name GLOB 'float[[]*' OR $name GLOB 'double[[]*' OR $name GLOB 'boolean[[]*'
  OR $name GLOB 'android.util.*Array*' OR $name GLOB '*[[]]';

-- Objects that nobody holds count for themselves only.
CREATE PERFETTO TABLE android_heap_graph_class_aggregation(
  upid JOINID(process.id), graph_sample_ts TIMESTAMP, type_id LONG, type_name STRING,
  is_libcore_or_array BOOL, obj_count LONG, size_bytes LONG, native_size_bytes LONG,
  reachable_obj_count LONG, reachable_size_bytes LONG, reachable_native_size_bytes LONG,
  dominated_obj_count LONG, dominated_size_bytes LONG, dominated_native_size_bytes LONG
) AS
WITH
  -- An object below another one of its class is counted with that one.
  outermost AS (
    SELECT d.*
    FROM heap_graph_dominator_tree AS d
    JOIN heap_graph_object AS o USING (id)
    LEFT JOIN heap_graph_object AS up ON up.id = d.idom_id
    WHERE up.type_id IS NOT o.type_id
  )
SELECT
  o.upid, o.graph_sample_ts, o.type_id, coalesce(c.deobfuscated_name, c.name) AS type_name,
  _heap_graph_is_libcore_or_array(coalesce(c.deobfuscated_name, c.name)) AS is_libcore_or_array,
  count(*) AS obj_count,
  sum(o.self_size) AS size_bytes,
  sum(o.native_size) AS native_size_bytes,
  coalesce(sum(1) FILTER (WHERE o.reachable), 0) AS reachable_obj_count,
  coalesce(sum(o.self_size) FILTER (WHERE o.reachable), 0) AS reachable_size_bytes,
  coalesce(sum(o.native_size) FILTER (WHERE o.reachable), 0) AS reachable_native_size_bytes,
  coalesce(sum(d.dominated_obj_count), 0) AS dominated_obj_count,
  coalesce(sum(d.dominated_size_bytes), 0) AS dominated_size_bytes,
  coalesce(sum(d.dominated_native_size_bytes), 0) AS dominated_native_size_bytes
FROM heap_graph_object AS o
JOIN heap_graph_class AS c ON c.id = o.type_id
LEFT JOIN outermost AS d ON d.id = o.id
GROUP BY o.upid, o.graph_sample_ts, o.type_id
ORDER BY o.upid, o.graph_sample_ts, o.type_id;
