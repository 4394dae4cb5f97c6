-- Flows out of sets of slices.

INCLUDE PERFETTO MODULE graphs.search;

-- The flows that follow each of the slices (id). Columns: root_node_id, node_id, parent_node_id.
CREATE PERFETTO MACRO _slice_following_flow(slice_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT s.id AS root_node_id, f.slice_in AS node_id, f.slice_out AS parent_node_id
  FROM $slice_table AS s JOIN following_flow(s.id) AS f
);
