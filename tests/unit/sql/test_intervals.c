#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

/*  a  0 [0      10)      1 [20 30)     2 |40
 *  b       0 [5         25)     1 |28  2 |40   3 [40 41) */
#define AB                                                                                         \
    "INCLUDE PERFETTO MODULE intervals.intersect; INCLUDE PERFETTO MODULE intervals.overlap;"      \
    "CREATE PERFETTO TABLE a(id LONG, ts LONG, dur LONG, p STRING) AS "                            \
    "SELECT column1 AS id, column2 AS ts, column3 AS dur, column4 AS p FROM "                      \
    "(VALUES (0,0,10,'x'),(1,20,10,'y'),(2,40,0,'x'));"                                            \
    "CREATE PERFETTO TABLE b(id LONG, ts LONG, dur LONG, p STRING) AS "                            \
    "SELECT column1 AS id, column2 AS ts, column3 AS dur, column4 AS p FROM "                      \
    "(VALUES (0,5,20,'y'),(1,28,0,'y'),(2,40,0,'x'),(3,40,1,'x'));"

Test(intervals, intersect)
{
    CHECKS(
        AB,
        {"two", "SELECT * FROM _interval_intersect!((a, b), ())",
         "5 5 0 0\n20 5 1 0\n28 0 1 1\n40 0 2 2\n40 0 2 3"},
        {"partitions", "SELECT * FROM _interval_intersect!((a, b), (p))",
         "40 0 2 2 x\n40 0 2 3 x\n20 5 1 0 y\n28 0 1 1 y"},
        {"one", "SELECT ts, dur, id_0 FROM _interval_intersect!((a), ())",
         "0 10 0\n20 10 1\n40 0 2"},
        {"an empty one", "SELECT * FROM _interval_intersect!((a, (SELECT * FROM b WHERE 0)), (p))",
         ""},
        {"overlaps within a table",
         "SELECT ts, dur, id_0, id_1 FROM _interval_intersect!((a, "
         "(SELECT 7 AS id, 2 AS ts, 100 AS dur UNION ALL SELECT 8, 3, 30)), ()) ORDER BY 1, 3, 4",
         "2 8 0 7\n3 7 0 8\n20 10 1 7\n20 10 1 8\n40 0 2 7"},
        {"many tables",
         "SELECT ts, dur, id_14 FROM _interval_intersect!((a,a,a,a,a,a,a,a,a,a,a,a,a,a,a), ())",
         "0 10 0\n20 10 1\n40 0 2"},
        {"clipped", "SELECT * FROM _interval_intersect_single!(5, 20, a)", "0 5 5\n1 20 5"},
        {"with NULL as partition",
         "SELECT ts, id_0, id_1 FROM _interval_intersect!(("
         "(SELECT 1 AS id, 1 AS ts, 5 AS dur, NULL AS q), "
         "(SELECT 2 AS id, 2 AS ts, 5 AS dur, NULL AS q)), (q))",
         "2 1 2"}, );
}

Test(intervals, refuses_what_is_no_interval)
{
#define ONE(what) "(SELECT 0 AS id, " what ")"
    CHECKS(AB,
           {"open", "SELECT * FROM _interval_intersect!((a, " ONE("0 AS ts, -1 AS dur") "), ())",
            "error: non negative duration"},
           {"early", "SELECT * FROM _interval_intersect!((a, " ONE("-5 AS ts, 1 AS dur") "), ())",
            "error: only accepts positive `ts` values"},
           {"text", "SELECT * FROM _interval_intersect!((a, " ONE("'x' AS ts, 1 AS dur") "), ())",
            "error: must be integers"},
           {"blob",
            "SELECT * FROM _interval_intersect!((a, (SELECT 1 AS id, 1 AS ts, 1 AS dur, x'00' AS "
            "p)), (p))",
            "error: cannot be a blob"},
           {"unsorted",
            "SELECT __intrinsic_interval_tree_intervals_agg(column1, column2, column3) FROM "
            "(VALUES (1,5,1),(2,4,1))",
            "error: sorted by ts"},
           {"no set", "SELECT __intrinsic_interval_intersect(1, 2, '')",
            "error: argument 1 is not a set of intervals"},
           {"a pointer to something else is no set",
            "SELECT count(*) FROM __intrinsic_table_ptr(__intrinsic_interval_intersect("
            "(SELECT __intrinsic_array_agg(ts) FROM a), ''))",
            "0"},
           {"different partitions",
            "SELECT __intrinsic_interval_intersect("
            "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM a), "
            "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM a), 'p')",
            "error: the sets have 0 and 1 partition columns"},
           {"odd arguments",
            "SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p') FROM a",
            "error: expected id, ts, dur and up to 8 pairs"},
           {"no column of that name",
            "SELECT c0 FROM __intrinsic_table_ptr(__intrinsic_struct('x', 1)) "
            "WHERE __intrinsic_table_ptr_bind(c0, 'y')",
            "error: column 'y' does not exist in table"},
           {"no pointer", "SELECT count(*) FROM __intrinsic_table_ptr(5)",
            "error: not a pointer to a table"},
           {"no argument", "SELECT c0 FROM __intrinsic_table_ptr", "error: table must be bound"}, );
#undef ONE
}

Test(intervals, self_intersect)
{
    CHECKS(AB,
           {"pieces and ends",
            "SELECT * FROM interval_self_intersect!("
            "(SELECT 1 AS id, 1 AS ts, 9 AS dur UNION ALL SELECT 2, 4, 2))",
            "1 3 1 1 0\n4 2 2 1 0\n4 2 2 2 0\n6 4 3 1 0\n6 4 3 2 1\n10 0 4 1 1"},
           {"empty",
            "SELECT * FROM interval_self_intersect!((SELECT 1 AS id, 1 AS ts, 9 AS dur WHERE 0))",
            ""}, );
}

Test(intervals, count_and_merge)
{
    CHECKS(AB,
           {"count",
            "SELECT * FROM intervals_overlap_count!((SELECT 0 AS ts, 10 AS dur UNION ALL "
            "SELECT 5, 2 UNION ALL SELECT 8, -1), ts, dur)",
            "0 1\n5 2\n7 1\n8 2\n10 1"},
           {"merge", "SELECT * FROM interval_merge_overlapping!(b, 15)", "5 36"},
           {"merge by partition", "SELECT * FROM interval_merge_overlapping_partitioned!(b, (p))",
            "40 1 x\n5 20 y\n28 0 y"},
           {"merge nothing",
            "SELECT * FROM interval_merge_overlapping!((SELECT * FROM b WHERE 0), 0)", ""},
           {"overlaps", "SELECT * FROM _intervals_overlap_in_table!(a)", "0"},
           {"overlaps of nothing",
            "SELECT * FROM _intervals_overlap_in_table!((SELECT * FROM a WHERE 0))", "0"},
           {"flatten",
            "SELECT * FROM _intervals_flatten!((SELECT 1 AS root_id, 1 AS id, NULL AS parent_id, "
            "0 AS ts, 10 AS dur UNION ALL SELECT 1, 2, 1, 0, 10 UNION ALL SELECT 1, 3, 2, 4, 6))",
            "0 4 2 1\n4 6 3 1"},
           {"starts and ends",
            "INCLUDE PERFETTO MODULE intervals.create_intervals;"
            "SELECT * FROM _interval_create!((SELECT 5 AS ts UNION ALL SELECT 1), "
            "(SELECT 5 AS ts UNION ALL SELECT 7))",
            "1 4\n5 2"},
           {"text as a start", "SELECT __intrinsic_timestamp_set_agg('x')",
            "error: ts must be an integer"}, );
}

Test(intervals, frames_as_pointers)
{
    CHECKS(
        NULL,
        {"rows",
         "SELECT c1, c0 FROM __intrinsic_table_ptr((SELECT __intrinsic_row_dataframe_agg("
         "'a', column1, 'b', column2) FROM (VALUES (1, 'x'), (2, NULL)))) "
         "WHERE __intrinsic_table_ptr_bind(c0, 'a') AND __intrinsic_table_ptr_bind(c1, 'B')",
         "x 1\nNULL 2"},
        {"array",
         "SELECT c0 FROM __intrinsic_table_ptr((SELECT __intrinsic_array_agg(column1) FROM "
         "(VALUES (2.5), (1)))) WHERE __intrinsic_table_ptr_bind(c0, 'value')",
         "2.5\n1.0"},
        {"array of two types", "SELECT __intrinsic_array_agg(column1) FROM (VALUES (1), ('x'))",
         "error: later received a value of type STRING"},
        {"no rows", "SELECT __intrinsic_array_agg(1) WHERE 0", "NULL"},
        {"nothing", "SELECT count(*) FROM __intrinsic_table_ptr(NULL)", "0"},
        {"pointers print as NULL", "SELECT __intrinsic_struct('a', 1)", "NULL"},
        {"pairs", "SELECT __intrinsic_struct('a')", "error: expected names, then as many values"},
        {"names", "SELECT __intrinsic_struct(1, 2)", "error: argument 1 must be the name"},
        {"bind elsewhere", "SELECT __intrinsic_table_ptr_bind(1, 'a')",
         "error: must be one of __intrinsic_table_ptr"}, );
}
