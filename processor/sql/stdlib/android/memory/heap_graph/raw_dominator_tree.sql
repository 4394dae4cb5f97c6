-- For each object the one that every way from a root to it goes through.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;
INCLUDE PERFETTO MODULE graphs.dominator_tree;
INCLUDE PERFETTO MODULE graphs.search;

-- All graphs as one: a node of its own stands above all roots.
CREATE PERFETTO TABLE _heap_graph_kept_edges AS
SELECT r.owner_id AS source_node_id, r.owned_id AS dest_node_id
FROM heap_graph_reference AS r
JOIN heap_graph_object AS o ON o.id = r.owner_id
WHERE o.reachable AND r.owned_id IS NOT NULL AND r.id NOT IN (SELECT id FROM _excluded_refs)
UNION ALL
SELECT (SELECT coalesce(max(id), -1) + 1 FROM heap_graph_object) AS source_node_id, id AS dest_node_id
FROM heap_graph_object WHERE root_type IS NOT NULL;

-- Objects that only soft references lead to are within reach, but nobody holds them.
CREATE PERFETTO TABLE _heap_graph_held_edges AS
WITH held AS (
  SELECT node_id
  FROM graph_reachable_bfs!(
    _heap_graph_kept_edges, (SELECT coalesce(max(id), -1) + 1 AS node_id FROM heap_graph_object)
  )
)
SELECT source_node_id, dest_node_id
FROM _heap_graph_kept_edges WHERE source_node_id IN (SELECT node_id FROM held);

-- idom_id is NULL for objects that only roots stand above.
CREATE PERFETTO TABLE _raw_heap_graph_dominator_tree AS
SELECT
  d.node_id AS id,
  nullif(d.dominator_node_id, (SELECT coalesce(max(id), -1) + 1 FROM heap_graph_object)) AS idom_id
FROM graph_dominator_tree!(
  _heap_graph_held_edges, (SELECT coalesce(max(id), -1) + 1 FROM heap_graph_object)
) AS d
WHERE d.dominator_node_id IS NOT NULL
ORDER BY d.node_id;
