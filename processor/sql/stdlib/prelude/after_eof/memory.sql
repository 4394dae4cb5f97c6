-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Dumps of managed heaps.
CREATE PERFETTO VIEW heap_graph(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The process, of all machines.
  upid JOINID(process.upid),
  dump_reason STRING,
  heap_size LONG,
  -- Whether packets of it are missing.
  truncated BOOL
);

-- Classes of managed heaps.
CREATE PERFETTO VIEW heap_graph_class(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  -- Name by the mapping of names.
  deobfuscated_name STRING,
  location STRING,
  superclass_id JOINID(heap_graph_class.id),
  classloader_id LONG,
  kind STRING
);

-- Objects of managed heaps.
CREATE PERFETTO VIEW heap_graph_object(
  -- Number of the row.
  id ID,
  -- The process, of all machines.
  upid JOINID(process.id),
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- Bytes of the object itself.
  self_size LONG,
  -- Bytes outside of the heap.
  native_size LONG,
  reference_set_id JOINID(heap_graph_reference.reference_set_id),
  reachable BOOL,
  heap_type STRING,
  -- The class.
  type_id JOINID(heap_graph_class.id),
  root_type STRING,
  root_distance LONG,
  object_data_id LONG
);

-- What objects of managed heaps hold.
CREATE PERFETTO VIEW heap_graph_object_data(
  -- Number of the row.
  id ID,
  field_set_id JOINID(heap_graph_primitive.field_set_id),
  value_string STRING,
  array_element_type STRING,
  array_element_count LONG,
  array_data_id LONG,
  array_data_hash LONG
);

-- Fields of objects that hold no reference.
CREATE PERFETTO VIEW heap_graph_primitive(
  -- Number of the row.
  id ID,
  field_set_id JOINID(heap_graph_object_data.field_set_id),
  field_name STRING,
  field_type STRING,
  bool_value LONG,
  byte_value LONG,
  char_value LONG,
  short_value LONG,
  -- Value, if it is a whole number.
  int_value LONG,
  long_value LONG,
  float_value DOUBLE,
  double_value DOUBLE
);

-- References from objects to objects.
CREATE PERFETTO VIEW heap_graph_reference(
  -- Number of the row.
  id ID,
  reference_set_id JOINID(heap_graph_object.reference_set_id),
  owner_id JOINID(heap_graph_object.id),
  owned_id JOINID(heap_graph_object.id),
  field_name STRING,
  field_type_name STRING,
  deobfuscated_field_name STRING
);

-- Stacks of threads when a heap was dumped.
CREATE PERFETTO VIEW heap_graph_thread_callsite(
  -- Number of the row.
  id ID,
  heap_graph_id JOINID(heap_graph.id),
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id)
);

-- Profiles of heaps: the time of each.
CREATE PERFETTO VIEW heap_profile(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  ts_end TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The process, of all machines.
  upid JOINID(process.upid),
  -- The heap.
  heap_name STRING
);

-- Snapshots of memory.
CREATE PERFETTO VIEW memory_snapshot(
  -- Number of the row.
  id ID,
  timestamp TIMESTAMP,
  -- The track it is on.
  track_id JOINID(track.id),
  detail_level STRING
);

-- How nodes of a snapshot of memory own others.
CREATE PERFETTO VIEW memory_snapshot_edge(
  -- Number of the row.
  id ID,
  source_node_id JOINID(memory_snapshot_node.id),
  target_node_id JOINID(memory_snapshot_node.id),
  importance LONG
);

-- Nodes of a snapshot of memory.
CREATE PERFETTO VIEW memory_snapshot_node(
  -- Number of the row.
  id ID,
  process_snapshot_id JOINID(process_memory_snapshot.id),
  parent_node_id JOINID(memory_snapshot_node.id),
  path STRING,
  -- Bytes.
  size LONG,
  effective_size LONG,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Snapshots of the memory of one process.
CREATE PERFETTO VIEW process_memory_snapshot(
  -- Number of the row.
  id ID,
  -- Readings of one moment.
  snapshot_id JOINID(memory_snapshot.id),
  -- The process, of all machines.
  upid JOINID(process.id)
);
*/
