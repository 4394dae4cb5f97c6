-- What the trees of classes share.

INCLUDE PERFETTO MODULE graphs.scan;

-- Objects with the name of their class.
CREATE PERFETTO TABLE _heap_graph_named_objects AS
SELECT
  o.id, o.upid, o.graph_sample_ts, o.self_size, o.native_size, o.root_type, o.heap_type,
  coalesce(c.deobfuscated_name, c.name) AS name
FROM heap_graph_object AS o JOIN heap_graph_class AS c ON c.id = o.type_id
WHERE o.reachable
ORDER BY o.id;

-- A tree of objects (id, parent_id) as one of classes: objects of one class, below one another
-- in the same way, are one node. Columns: id, parent_id, upid, graph_sample_ts, name, root_type,
-- heap_type, self_count, self_size, path_hash_stable.
CREATE PERFETTO MACRO _heap_graph_classes_of_tree(object_tree TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _hgc_tree AS MATERIALIZED (SELECT id, parent_id FROM $object_tree),
    _hgc_paths AS MATERIALIZED (
      SELECT id, path_hash, parent_hash
      FROM _graph_scan!(
        (SELECT parent_id AS source_node_id, id AS dest_node_id FROM _hgc_tree WHERE parent_id IS NOT NULL),
        (
          SELECT
            t.id,
            hash(
              o.upid, o.graph_sample_ts, coalesce(o.name, ''), coalesce(o.root_type, ''),
              coalesce(o.heap_type, '')
            ) AS path_hash,
            0 AS parent_hash
          FROM _hgc_tree AS t JOIN _heap_graph_named_objects AS o USING (id)
          WHERE t.parent_id IS NULL
        ),
        (path_hash, parent_hash),
        (
          SELECT
            t.id,
            hash(
              t.path_hash, coalesce(o.name, ''), coalesce(o.root_type, ''),
              coalesce(o.heap_type, '')
            ) AS path_hash,
            t.path_hash AS parent_hash
          FROM $table AS t JOIN _heap_graph_named_objects AS o USING (id)
        )
      )
    ),
    _hgc_nodes AS MATERIALIZED (
      SELECT
        row_number() OVER (ORDER BY min(p.id)) - 1 AS id,
        p.path_hash, min(p.parent_hash) AS parent_hash, min(o.upid) AS upid,
        min(o.graph_sample_ts) AS graph_sample_ts, min(o.name) AS name,
        min(o.root_type) AS root_type, min(o.heap_type) AS heap_type,
        count(*) AS self_count, sum(o.self_size) AS self_size
      FROM _hgc_paths AS p JOIN _heap_graph_named_objects AS o USING (id)
      GROUP BY p.path_hash
    )
  SELECT
    n.id, up.id AS parent_id, n.upid, n.graph_sample_ts, n.name, n.root_type, n.heap_type,
    n.self_count, n.self_size, n.path_hash AS path_hash_stable
  FROM _hgc_nodes AS n LEFT JOIN _hgc_nodes AS up ON up.path_hash = n.parent_hash
  ORDER BY n.id
);
