SELECT o.id, c.name, c.kind, o.self_size, o.reachable, o.heap_type, o.root_type, o.root_distance, o.object_data_id FROM heap_graph_object o JOIN heap_graph_class c ON c.id = o.type_id;
SELECT owner_id, owned_id, field_name FROM heap_graph_reference;
SELECT d.id, field_set_id, value_string, array_element_type, array_element_count, __intrinsic_heap_graph_array_json(array_data_id) AS json, hex(__intrinsic_heap_graph_array(array_data_id)) AS bytes FROM heap_graph_object_data d;
SELECT field_set_id, field_name, field_type, bool_value, byte_value, char_value, short_value, int_value, long_value, float_value, double_value FROM heap_graph_primitive;
SELECT * FROM heap_graph;
SELECT name, value FROM stats WHERE name GLOB 'hprof*' AND value;
SELECT * FROM trace_bounds;
SELECT depth, name, count, size, cumulative_size FROM experimental_flamegraph('graph', 5000000, NULL, 1, NULL, NULL);
