-- Heap graphs as trees of classes, along the shortest ways from the roots.

INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;
INCLUDE PERFETTO MODULE android.memory.heap_graph.object_tree;

CREATE PERFETTO TABLE _heap_graph_class_nodes_by_depth AS
SELECT * FROM _heap_graph_class_nodes!(_heap_graph_object_min_depth_tree);

CREATE PERFETTO TABLE _heap_graph_class_tree AS
SELECT * FROM _heap_graph_linked_classes!(_heap_graph_class_nodes_by_depth);
