-- Each object below one of those that keep it on a shortest way from a root.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;

CREATE PERFETTO TABLE _heap_graph_object_min_depth_tree AS
SELECT o.id, min(up.id) AS parent_id
FROM heap_graph_object AS o
LEFT JOIN heap_graph_reference AS r
  ON r.owned_id = o.id AND r.id NOT IN (SELECT id FROM _excluded_refs)
LEFT JOIN heap_graph_object AS up ON up.id = r.owner_id AND up.root_distance = o.root_distance - 1
  AND up.reachable
WHERE o.reachable
GROUP BY o.id
HAVING o.root_distance = 0 OR parent_id IS NOT NULL
ORDER BY o.id;
