-- What the trees of classes share.

-- Objects with the name of their class.
CREATE PERFETTO TABLE _heap_graph_named_objects AS
SELECT
  o.id, o.upid, o.graph_sample_ts, o.self_size, o.native_size, o.root_type, o.heap_type,
  coalesce(c.deobfuscated_name, c.name) AS name
FROM heap_graph_object AS o JOIN heap_graph_class AS c ON c.id = o.type_id
WHERE o.reachable
ORDER BY o.id;

-- A tree of objects (id, parent_id) as one of classes: objects of one class, below one another
-- in the same way, are one node, which is known by the hash of its path. Columns: id, path_hash,
-- parent_hash, upid, graph_sample_ts, name, root_type, heap_type, self_count, self_size.
CREATE PERFETTO MACRO _heap_graph_class_nodes(object_tree TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH RECURSIVE
    _hgc_tree AS MATERIALIZED (
      SELECT
        t.id, t.parent_id,
        hash(
          o.upid, o.graph_sample_ts, coalesce(o.name, ''), coalesce(o.root_type, ''),
          coalesce(o.heap_type, '')
        ) AS own_hash
      FROM $object_tree AS t JOIN _heap_graph_named_objects AS o USING (id)
    ),
    -- However deep: a row for each object, not a query for each level.
    _hgc_paths(id, path_hash, parent_hash) AS (
      SELECT id, own_hash, 0 FROM _hgc_tree WHERE parent_id IS NULL
      UNION ALL
      SELECT t.id, hash(p.path_hash, t.own_hash), p.path_hash
      FROM _hgc_paths AS p JOIN _hgc_tree AS t ON t.parent_id = p.id
    )
  SELECT
    row_number() OVER (ORDER BY min(p.id)) - 1 AS id,
    p.path_hash, min(p.parent_hash) AS parent_hash, min(o.upid) AS upid,
    min(o.graph_sample_ts) AS graph_sample_ts, min(o.name) AS name,
    min(o.root_type) AS root_type, min(o.heap_type) AS heap_type,
    count(*) AS self_count, sum(o.self_size) AS self_size
  FROM _hgc_paths AS p JOIN _heap_graph_named_objects AS o USING (id)
  GROUP BY p.path_hash
  ORDER BY id
);

-- The nodes (a table) with their parents. Columns: id, parent_id, upid, graph_sample_ts, name,
-- root_type, heap_type, self_count, self_size, path_hash_stable.
CREATE PERFETTO MACRO _heap_graph_linked_classes(nodes TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    n.id, up.id AS parent_id, n.upid, n.graph_sample_ts, n.name, n.root_type, n.heap_type,
    n.self_count, n.self_size, n.path_hash AS path_hash_stable
  FROM $nodes AS n LEFT JOIN $nodes AS up ON up.path_hash = n.parent_hash
  ORDER BY n.id
);
