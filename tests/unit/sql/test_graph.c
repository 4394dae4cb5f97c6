#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

/*      ┌─ 1 ─┐
 *   0 ─┤     ├─ 3 ── 4        7 ⇄ 8
 *      └─ 2 ─┘                 */
#define EDGES                                                                                      \
    "INCLUDE PERFETTO MODULE graphs.*;"                                                            \
    "CREATE PERFETTO TABLE e AS SELECT column1 AS source_node_id, column2 AS dest_node_id FROM "   \
    "(VALUES (0,1),(0,2),(1,3),(2,3),(3,4));"                                                      \
    "CREATE PERFETTO TABLE c AS SELECT 7 AS source_node_id, 8 AS dest_node_id UNION ALL SELECT "   \
    "8, 7;"

#define FROM(n) "(SELECT " #n " AS node_id)"

Test(graph, reachable)
{
    CHECKS(
        EDGES,
        {"depth first", "SELECT * FROM graph_reachable_dfs!(e, " FROM(0) ")",
         "0 NULL\n1 0\n3 1\n4 3\n2 0"},
        {"breadth first", "SELECT * FROM graph_reachable_bfs!(e, " FROM(0) ")",
         "0 NULL\n1 0\n2 0\n3 1\n4 3"},
        {"circle", "SELECT * FROM graph_reachable_dfs!(c, " FROM(8) ")", "8 NULL\n7 8"},
        {"two starts",
         "SELECT * FROM graph_reachable_bfs!(e, (SELECT 3 AS node_id UNION ALL SELECT 2))",
         "3 NULL\n2 NULL\n4 3"},
        {"a start that no edge has", "SELECT * FROM graph_reachable_dfs!(e, " FROM(99) ")",
         "99 NULL"},
        {"no edges", "SELECT * FROM graph_reachable_bfs!((SELECT * FROM e WHERE 0), " FROM(1) ")",
         ""},
        {"no starts", "SELECT * FROM graph_reachable_bfs!(e, (SELECT 1 AS node_id WHERE 0))", ""},
        {"large ids",
         "SELECT * FROM graph_reachable_dfs!((SELECT 4294967294 AS source_node_id, 5 AS "
         "dest_node_id), " FROM(4294967294) ")",
         "4294967294 NULL\n5 4294967294"},
        {"negative ids", "SELECT __intrinsic_graph_agg(-1, 2)",
         "error: must be integers from 0 to 4294967294"},
        {"texts", "SELECT __intrinsic_graph_agg('a', 2)", "error: must be integers"},
        {"texts as starts", "SELECT * FROM graph_reachable_dfs!(e, " FROM('x') ")",
         "error: start nodes must be an array of integers"},
        {"ancestors",
         "SELECT id FROM _tree_reachable_ancestors_or_self!("
         "(SELECT dest_node_id AS id, source_node_id AS parent_id FROM e WHERE dest_node_id != 3), "
         "(SELECT 1 AS id))",
         "1\n0"},
        {"siblings",
         "SELECT * FROM graph_next_sibling!((SELECT dest_node_id AS node_id, source_node_id AS "
         "node_parent_id, -dest_node_id AS sort_key FROM e WHERE source_node_id = 0))",
         "2 1\n1 NULL"}, );
}

Test(graph, reachable_within_a_weight)
{
#define BOUNDED(weight, target, floor)                                                             \
    "SELECT * FROM graph_reachable_weight_bounded_dfs!((SELECT *, " #weight                        \
    " AS edge_weight FROM "                                                                        \
    "e), (SELECT 0 AS root_node_id, " #target " AS root_target_weight), " #floor ")"
    CHECKS(
        EDGES, {"below", BOUNDED(1, 2, 0), "0 0 NULL\n0 1 0\n0 3 1"},
        {"just above", BOUNDED(1, 2, 1), "0 0 NULL\n0 1 0\n0 3 1\n0 4 3"},
        {"nothing but the root", BOUNDED(9, 1, 0), "0 0 NULL"},
        {"no roots",
         "SELECT * FROM graph_reachable_weight_bounded_dfs!((SELECT *, 1 AS edge_weight FROM e),"
         "(SELECT 0 AS root_node_id, 1 AS root_target_weight WHERE 0), 0)",
         ""},
        {"lengths",
         "SELECT * FROM __intrinsic_dfs_weight_bounded((SELECT __intrinsic_array_agg(1)), "
         "(SELECT __intrinsic_array_agg(1)), (SELECT __intrinsic_array_agg(dest_node_id) FROM e),"
         "(SELECT __intrinsic_array_agg(1)), (SELECT __intrinsic_array_agg(1)), 0)",
         "error: the arrays of edges, and those of roots, must have equal lengths"}, );
#undef BOUNDED
}

Test(graph, dominators_and_partitions)
{
    CHECKS(
        EDGES,
        {"dominators", "SELECT * FROM graph_dominator_tree!(e, 0)", "0 NULL\n1 0\n2 0\n3 0\n4 3"},
        {"with a circle",
         "SELECT * FROM graph_dominator_tree!((SELECT * FROM c UNION ALL SELECT 6, 8), 6)",
         "6 NULL\n7 8\n8 6"},
        {"out of reach", "SELECT * FROM graph_dominator_tree!(e, 1)", "1 NULL\n3 1\n4 3"},
        {"nothing in reach", "SELECT * FROM graph_dominator_tree!(e, 4)",
         "error: no other node can be reached from the root 4"},
        {"no such root", "SELECT * FROM graph_dominator_tree!(e, 77)",
         "error: the root 77 is not a node"},
        {"a chain of which each leads to the end",
         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
         "SELECT count(*), sum(dominator_node_id), max(iif(node_id = 700000, dominator_node_id, 0))"
         "FROM graph_dominator_tree!((SELECT i AS source_node_id, i + 1 AS dest_node_id FROM n "
         "UNION ALL SELECT i, 700000 FROM n), 0)",
         "100003 5000050000 0"},
        {"nobody's semidominator",
         "WITH g(source_node_id, dest_node_id) AS (VALUES (0, 1), (0, 2), (1, 3), (2, 3), (3, 4), "
         "(2, 5), (5, 6), (6, 5), (4, 6), (6, 1)) SELECT * FROM graph_dominator_tree!(g, 0)",
         "0 NULL\n1 0\n2 0\n3 0\n4 3\n5 0\n6 0"},
        {"empty", "SELECT * FROM graph_dominator_tree!((SELECT * FROM e WHERE 0), 0)", ""},
        {"groups",
         "SELECT * FROM tree_structural_partition_by_group!((SELECT column1 AS id, column2 AS "
         "parent_id, column3 AS group_key FROM (VALUES (0,NULL,1),(1,0,2),(2,1,1),(3,2,2))))",
         "0 NULL 1\n1 NULL 2\n2 0 1\n3 1 2"},
        {"a deep tree of many groups",
         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
         "SELECT count(*), count(parent_id), sum(id - parent_id) FROM "
         "tree_structural_partition_by_group!((SELECT i AS id, nullif(i - 1, -1) AS parent_id, "
         "i % 70000 AS group_key FROM n))",
         "100000 30000 2100000000"},
        {"a circle and a stranger beside the tree",
         "SELECT * FROM tree_structural_partition_by_group!((SELECT column1 AS id, column2 AS "
         "parent_id, 5 AS group_key FROM (VALUES (0,NULL),(1,0),(2,3),(3,2),(4,4),(5,77),(6,5))))",
         "0 NULL 5\n1 0 5\n2 NULL 5\n3 NULL 5\n4 NULL 5\n5 NULL 5\n6 5 5"},
        {"no root",
         "SELECT * FROM tree_structural_partition_by_group!((SELECT 1 AS id, 1 AS parent_id, 1 "
         "AS group_key))",
         "error: no root"},
        {"two roots",
         "SELECT * FROM tree_structural_partition_by_group!((SELECT column1 AS id, NULL AS "
         "parent_id, 1 AS group_key FROM (VALUES (1), (2))))",
         "error: there are several roots"}, );
}

Test(graph, scans)
{
#define INIT "(SELECT 0 AS id, 0 AS depth, 'x' AS s)"
    CHECKS(
        EDGES,
        {"each way",
         "SELECT * FROM _graph_scan!(e, " INIT ", (depth, s), (SELECT t.id, t.depth + 1 AS depth,"
         "t.s || t.id AS s FROM $table t))",
         "0 0 x\n1 1 x1\n2 1 x2\n3 2 x13\n3 2 x23\n4 3 x134\n4 3 x234"},
        {"put together",
         "SELECT * FROM _graph_aggregating_scan!(e, (SELECT 0 AS id, 1 AS ways), (ways), "
         "(SELECT t.id, sum(t.ways) AS ways FROM $table t GROUP BY t.id))",
         "0 1\n1 1\n2 1\n3 2\n4 2"},
        {"a query that gives nothing",
         "SELECT * FROM _graph_scan!(e, " INIT ", (depth, s), (SELECT * FROM $table WHERE 0))",
         "0 0 x"},
        {"no first rows",
         "SELECT * FROM _graph_scan!(e, (SELECT 0 AS id WHERE 0), (), (SELECT * FROM $table))", ""},
        {"no edges",
         "SELECT * FROM _graph_scan!((SELECT * FROM e WHERE 0), " INIT ", (s), (SELECT * FROM "
         "$table))",
         "0 x"},
        {"circle",
         "SELECT * FROM _graph_scan!(c, (SELECT 7 AS id, 0 AS depth), (depth), (SELECT * FROM "
         "$table))",
         "error: the graph contains a cycle"},
        {"a column that is missing in the query",
         "SELECT * FROM _graph_scan!(e, " INIT ", (depth), (SELECT id FROM $table))",
         "error: the step query has no column 'depth'"},
        {"a column that is missing at first",
         "SELECT * FROM _graph_scan!(e, (SELECT 1 AS id), (depth), (SELECT id, 1 AS depth FROM "
         "$table))",
         "error: no such column: first_rows.depth"},
        {"wrong query", "SELECT * FROM _graph_scan!(e, " INIT ", (depth), (SELECT FROM $table))",
         "error: "},
        {"an error while it runs",
         "SELECT * FROM _graph_scan!(e, " INIT ", (depth), (SELECT id, abs(-9223372036854775807 "
         "- depth - 1) AS depth FROM $table))",
         "error: graph scan: step query: integer overflow"},
        {"types that change",
         "SELECT * FROM _graph_scan!(e, " INIT ", (depth), (SELECT id, ''x'' AS depth FROM "
         "$table))",
         "error: graph scan: column 'depth'"}, );
#undef INIT
}

Test(graph, counters_as_intervals)
{
#define SAMPLES(...)                                                                               \
    "INCLUDE PERFETTO MODULE counters.intervals; SELECT * FROM "                                   \
    "counter_leading_intervals!((SELECT "                                                          \
    "column1 AS id, column2 AS ts, column3 AS track_id, column4 AS value FROM "                    \
    "(VALUES " #__VA_ARGS__ ")))"
    CHECKS(NULL,
           {"two tracks", SAMPLES((0, 0, 1, 10), (1, 0, 2, 5), (2, 10, 1, 30), (3, 15, 2, 5)),
            "0 0 10 1 10.0 30.0 NULL\n2 10 -10 1 30.0 NULL 20.0\n1 0 15 2 5.0 5.0 NULL\n"
            "3 15 -15 2 5.0 NULL 0.0"},
           {"equal values", SAMPLES((0, 0, 1, 1), (1, 1, 1, 1), (2, 2, 1, 1), (3, 3, 1, 2)),
            "0 0 1 1 1.0 1.0 NULL\n1 1 1 1 1.0 1.0 0.0\n2 2 1 1 1.0 2.0 0.0\n"
            "3 3 -3 1 2.0 NULL 1.0"},
           {"a run without an end", SAMPLES((0, 0, 1, 1), (1, 1, 1, 1), (2, 2, 1, 1), (3, 3, 1, 1)),
            "0 0 1 1 1.0 1.0 NULL\n1 1 -1 1 1.0 NULL 0.0"},
           {"NULL is 0", SAMPLES((0, 0, 1, NULL)), "0 0 0 1 0.0 NULL NULL"},
           {"text", SAMPLES((0, 0, 1, 'x')), "error: value must be numbers"},
           {"unsorted",
            "SELECT __intrinsic_counter_per_track_agg(column1, column2, 1, 1) FROM (VALUES (0,5), "
            "(1,4))",
            "error: in order of ts"},
           {"lagging", "SELECT __intrinsic_counter_intervals('lagging', 0, NULL)",
            "error: 'lagging' is not supported"},
           {"nothing", "SELECT __intrinsic_counter_intervals('leading', 0, NULL)", "NULL"}, );
#undef SAMPLES
}

#define TREES                                                                                      \
    "INCLUDE PERFETTO MODULE std.trees.table_conversion;"                                          \
    "CREATE PERFETTO TABLE t AS SELECT column1 AS id, column2 AS parent_id, column3 AS name, "     \
    "column4 AS w FROM (VALUES (30,10,'b',1),(10,NULL,'a',2),(-7,30,NULL,NULL),(40,NULL,'r',4.5)"  \
    ");"
#define TREE(rows)                                                                                 \
    "SELECT * FROM _tree_to_table!(_tree_from_table!((SELECT column1 AS id, column2 AS parent_id " \
    "FROM (VALUES " rows ")), ()), ())"

Test(graph, trees)
{
    CHECKS(TREES,
           {"both ways",
            "SELECT * FROM _tree_to_table!(_tree_from_table!(t, (name, w)), (name, w))",
            "0 1 30 10 b 1.0\n1 NULL 10 NULL a 2.0\n2 0 -7 30 NULL NULL\n3 NULL 40 NULL r 4.5"},
           {"some of the columns",
            "SELECT * FROM _tree_to_table!(_tree_from_table!(t, (name, w)), (w)) WHERE w > 2",
            "3 NULL 40 NULL 4.5"},
           {"no rows",
            "SELECT count() FROM _tree_to_table!(_tree_from_table!((SELECT * FROM t WHERE 0), "
            "(name)), (name))",
            "0"},
           {"one node", TREE("(5, NULL)"), "0 NULL 5 NULL"},
           {"twice", TREE("(1, NULL), (2, 1), (1, NULL)"), "error: duplicate node 1"},
           {"no such parent", TREE("(1, NULL), (2, 9)"),
            "error: node 2 has the parent 9, which is not a node"},
           {"own parent", TREE("(1, NULL), (3, 3)"), "error: node 3 is an ancestor of itself"},
           {"circle", TREE("(1, NULL), (2, 1), (3, 4), (4, 5), (5, 4)"),
            "error: is an ancestor of itself"},
           {"ids", TREE("('x', NULL)"), "error: the id of a node must be an integer"},
           {"parents", TREE("(1, NULL), (2, 1.5)"),
            "error: the parent of a node must be an integer or NULL"}, );
}

Test(graph, tree_arguments)
{
    CHECKS(
        TREES,
        {"no parent", "SELECT __intrinsic_tree_from_table(id) FROM t",
         "error: expected the id, the parent"},
        {"a name instead of the id", "SELECT __intrinsic_tree_from_table('id', id) FROM t",
         "error: the id of a node must be an integer"},
        {"name", "SELECT __intrinsic_tree_from_table('id', id, 5, parent_id) FROM t",
         "error: expected the id, the parent"},
        {"blob",
         "SELECT __intrinsic_tree_from_table('id', id, 'parent_id', parent_id, 'x', x'00') FROM t",
         "error: Bytes type is not supported"},
        {"no tree", "SELECT __intrinsic_tree_to_table(5)", "error: must be a tree"},
        {"any other pointer is NULL to it",
         "SELECT __intrinsic_tree_to_table(__intrinsic_row_dataframe_agg('id', id)) FROM t",
         "NULL"},
        {"no such column",
         "SELECT c0 FROM __intrinsic_table_ptr(__intrinsic_tree_to_table(_tree_from_table!(t, "
         "(name)))) WHERE __intrinsic_table_ptr_bind(c0, 'w')",
         "error: column 'w' does not exist in table"}, );
}
