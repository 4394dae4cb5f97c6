-- Which classes descend from which.

-- All classes below some others, not these themselves: `id`, and the class that each was found below, as
-- `ancestor_class_id` and `ancestor_class_name`. A class below several has a row for each.
CREATE PERFETTO MACRO android_heap_graph_class_find_descendants(
  -- Classes: a table with a column `id`.
  ancestor_class_ids TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH RECURSIVE
    below(id, ancestor_class_id) AS (
      SELECT c.id, a.id FROM $ancestor_class_ids AS a JOIN heap_graph_class AS c ON c.superclass_id = a.id
      UNION
      SELECT c.id, b.ancestor_class_id FROM below AS b JOIN heap_graph_class AS c ON c.superclass_id = b.id
    )
  SELECT b.id, b.ancestor_class_id, c.name AS ancestor_class_name
  FROM below AS b JOIN heap_graph_class AS c ON c.id = b.ancestor_class_id
);
