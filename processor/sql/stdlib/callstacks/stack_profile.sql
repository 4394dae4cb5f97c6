-- Call sites as a forest of functions: one node for each function of each call site, those that
-- were inlined included.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE graphs.scan;

-- Outermost functions come first; a symbol set lists the innermost first.
CREATE PERFETTO TABLE _callstack_nodes AS
SELECT
  row_number() OVER (ORDER BY c.id, s.id DESC) - 1 AS node,
  c.id AS callsite_id,
  c.parent_id AS parent_callsite_id,
  coalesce(
    nullif(demangle(s.name), ''), nullif(s.name, ''), nullif(f.deobfuscated_name, ''),
    nullif(demangle(f.name), ''), nullif(f.name, ''), 'unknown'
  ) AS name,
  f.mapping AS mapping_id,
  s.source_file,
  s.line_number,
  s.inlined,
  s.id AS symbol_id,
  c.frame_id,
  row_number() OVER (PARTITION BY c.id ORDER BY s.id DESC) = 1 AS outermost,
  row_number() OVER (PARTITION BY c.id ORDER BY s.id) = 1 AS innermost
FROM stack_profile_callsite AS c
JOIN stack_profile_frame AS f ON f.id = c.frame_id
LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id
ORDER BY node;

-- Frames with the symbols that they have: several where functions were inlined.
CREATE PERFETTO TABLE _callstack_spf_summary AS
SELECT
  f.id, f.symbol_set_id, min(s.id) AS min_symbol_id, max(s.id) AS max_symbol_id
FROM stack_profile_frame AS f
LEFT JOIN stack_profile_symbol AS s USING (symbol_set_id)
GROUP BY f.id
ORDER BY f.id;

-- The nodes by what they were made of.
CREATE PERFETTO TABLE _callstack_spc_raw_forest AS
SELECT
  n.callsite_id, n.symbol_id,
  iif(n.outermost, n.parent_callsite_id, n.callsite_id) AS parent_callsite_id,
  iif(
    n.outermost, p.min_symbol_id,
    (SELECT b.symbol_id FROM _callstack_nodes AS b WHERE b.node = n.node - 1)
  ) AS parent_symbol_id,
  n.frame_id, CAST(NULL AS INT) AS jit_code_id, n.innermost AS is_leaf
FROM _callstack_nodes AS n
LEFT JOIN stack_profile_callsite AS c ON c.id = n.parent_callsite_id
LEFT JOIN _callstack_spf_summary AS p ON p.id = c.frame_id
ORDER BY n.node;

CREATE PERFETTO TABLE _callstack_innermost AS
SELECT callsite_id, node FROM _callstack_nodes WHERE innermost ORDER BY callsite_id;

CREATE PERFETTO TABLE _callstack_spc_forest AS
SELECT
  n.node AS id,
  iif(n.outermost, above.node, n.node - 1) AS parent_id,
  n.name,
  n.mapping_id,
  n.source_file,
  n.line_number,
  0 AS column_number,
  n.inlined,
  n.callsite_id,
  n.innermost AS is_leaf_function_in_callsite_frame
FROM _callstack_nodes AS n
LEFT JOIN _callstack_innermost AS above ON above.callsite_id = n.parent_callsite_id
ORDER BY n.node;

CREATE PERFETTO INDEX _callstack_spc_forest_by_callsite ON _callstack_spc_forest(callsite_id);

-- The nodes of the call sites (callsite_id) and all above them.
CREATE PERFETTO MACRO _callstacks_for_stack_profile_samples(spc_samples TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    f.id, f.parent_id, f.callsite_id, f.name, m.name AS mapping_name, f.source_file,
    f.line_number, f.inlined, f.is_leaf_function_in_callsite_frame
  FROM _tree_reachable_ancestors_or_self!(
    _callstack_spc_forest,
    (
      SELECT DISTINCT f.id
      FROM $spc_samples AS s JOIN _callstack_spc_forest AS f USING (callsite_id)
      WHERE f.is_leaf_function_in_callsite_frame
    )
  ) AS r
  JOIN _callstack_spc_forest AS f ON f.id = r.id
  LEFT JOIN stack_profile_mapping AS m ON m.id = f.mapping_id
  ORDER BY f.id
);

-- The same with the number of samples that ended in each. Columns: id, parent_id, name,
-- mapping_name, source_file, line_number, self_count.
CREATE PERFETTO MACRO _callstacks_for_callsites(samples TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH _cfc_counts AS MATERIALIZED (
    SELECT callsite_id, count(*) AS self_count FROM $samples GROUP BY callsite_id
  )
  SELECT
    n.id, n.parent_id, n.name, n.mapping_name, n.source_file, n.line_number,
    iif(n.is_leaf_function_in_callsite_frame, coalesce(c.self_count, 0), 0) AS self_count
  FROM _callstacks_for_stack_profile_samples!(_cfc_counts) AS n
  LEFT JOIN _cfc_counts AS c USING (callsite_id)
  ORDER BY n.id
);

-- The same where samples (callsite_id, value) have weights. Columns: ..., self_value.
CREATE PERFETTO MACRO _callstacks_for_callsites_weighted(samples TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH _cfw_sums AS MATERIALIZED (
    SELECT callsite_id, sum(value) AS self_value FROM $samples GROUP BY callsite_id
  )
  SELECT
    n.id, n.parent_id, n.name, n.mapping_name, n.source_file, n.line_number,
    iif(n.is_leaf_function_in_callsite_frame, coalesce(c.self_value, 0), 0) AS self_value
  FROM _callstacks_for_stack_profile_samples!(_cfw_sums) AS n
  LEFT JOIN _cfw_sums AS c USING (callsite_id)
  ORDER BY n.id
);

-- For a tree (id, parent_id, self_count): the counts of whole subtrees. Columns: id,
-- cumulative_count.
CREATE PERFETTO MACRO _callstacks_self_to_cumulative(callstacks TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT a.id, a.cumulative_count
  FROM _graph_aggregating_scan!(
    (
      SELECT id AS source_node_id, parent_id AS dest_node_id
      FROM $callstacks WHERE parent_id IS NOT NULL
    ),
    (
      SELECT id, self_count AS cumulative_count
      FROM $callstacks
      WHERE id NOT IN (SELECT parent_id FROM $callstacks WHERE parent_id IS NOT NULL)
    ),
    (cumulative_count),
    (
      SELECT t.id, sum(t.cumulative_count) + c.self_count AS cumulative_count
      FROM $table AS t JOIN $callstacks AS c USING (id)
      GROUP BY t.id
    )
  ) AS a
);
