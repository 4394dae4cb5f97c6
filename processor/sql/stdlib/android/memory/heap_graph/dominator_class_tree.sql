-- Heap graphs as trees of classes, along the dominators of their objects.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;

CREATE PERFETTO TABLE _heap_graph_class_nodes_by_dominator AS
SELECT *
FROM _heap_graph_class_nodes!((SELECT id, idom_id AS parent_id FROM heap_graph_dominator_tree));

CREATE PERFETTO TABLE _heap_graph_dominator_class_tree AS
SELECT * FROM _heap_graph_linked_classes!(_heap_graph_class_nodes_by_dominator);
