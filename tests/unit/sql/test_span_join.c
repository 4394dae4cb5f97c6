#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

/*  a  [0    x   10)     [20 y 30)
 *  b       [5       25)            [40 50)  */
#define TWO                                                                                        \
    "CREATE PERFETTO TABLE a AS SELECT 0 AS ts, 10 AS dur, 'x' AS va UNION ALL SELECT 20, 10, "    \
    "'y';"                                                                                         \
    "CREATE PERFETTO TABLE b AS SELECT 5 AS ts, 20 AS dur, 1 AS vb UNION ALL SELECT 40, 10, 2;"

/* The same, each row with a partition: a has 1, 2; b has 2, 3. */
#define PARTS                                                                                      \
    "CREATE PERFETTO TABLE a AS SELECT 1 AS p, 0 AS ts, 10 AS dur, 'x' AS va "                     \
    "UNION ALL SELECT 2, 20, 10, 'y';"                                                             \
    "CREATE PERFETTO TABLE b AS SELECT 2 AS p, 5 AS ts, 20 AS dur, 1 AS vb "                       \
    "UNION ALL SELECT 3, 40, 10, 2;"

#define INNER "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, b);"
#define LEFT "CREATE VIRTUAL TABLE s USING SPAN_LEFT_JOIN(a, b);"
#define OUTER "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(a, b);"

Test(span_join, cuts_where_either_side_changes)
{
    CHECKS(TWO, {"inner", INNER "SELECT * FROM s", "5 5 x 1\n20 5 y 1"},
           {"left", LEFT "SELECT * FROM s", "0 5 x NULL\n5 5 x 1\n20 5 y 1\n25 5 y NULL"},
           {"outer", OUTER "SELECT * FROM s",
            "0 5 x NULL\n5 5 x 1\n10 10 NULL 1\n20 5 y 1\n25 5 y NULL\n40 10 NULL 2"},
           {"an empty side",
            "DROP TABLE b; CREATE VIEW b AS SELECT 0 AS ts, 0 AS dur, 0 AS vb "
            "WHERE 0;" LEFT "SELECT * FROM s",
            "0 10 x NULL\n20 10 y NULL"},
           {"names in any case",
            "CREATE VIRTUAL TABLE s USING span_join([a], \"b\");"
            "SELECT count(*) FROM s",
            "2"}, );
}

Test(span_join, keeps_partitions_apart)
{
    CHECKS(PARTS,
           {"inner",
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a PARTITIONED p, b PARTITIONED p);"
            "SELECT * FROM s",
            "20 5 2 y 1"},
           {"left",
            "CREATE VIRTUAL TABLE s USING SPAN_LEFT_JOIN(a PARTITIONED p, b PARTITIONED p);"
            "SELECT * FROM s",
            "0 10 1 x NULL\n20 5 2 y 1\n25 5 2 y NULL"},
           {"outer",
            "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(a PARTITIONED p, b PARTITIONED p);"
            "SELECT * FROM s",
            "0 10 1 x NULL\n5 15 2 NULL 1\n20 5 2 y 1\n25 5 2 y NULL\n40 10 3 NULL 2"},
           {"one partition asked for",
            "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(a PARTITIONED p, b PARTITIONED p);"
            "SELECT * FROM s WHERE p = 3",
            "40 10 3 NULL 2"},
           {"NULL is no partition",
            "CREATE VIEW n AS SELECT NULL AS p, 0 AS ts, 99 AS dur UNION ALL SELECT 2, 21, 1;"
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a PARTITIONED p, n PARTITIONED p);"
            "SELECT * FROM s",
            "21 1 2 y"},
           {"partitions at the ends of all numbers",
            "CREATE VIEW m AS SELECT -9223372036854775807 - 1 AS p, 1 AS ts, 2 AS dur, 3 AS vm "
            "UNION ALL SELECT 9223372036854775807, 4, 5, 6;"
            "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(a PARTITIONED p, m PARTITIONED p);"
            "SELECT * FROM s",
            "1 2 -9223372036854775808 NULL 3\n0 10 1 x NULL\n20 10 2 y NULL\n"
            "4 5 9223372036854775807 NULL 6"}, );
}

Test(span_join, repeats_a_side_without_partitions_for_each_one)
{
    static const char setup[] =
        PARTS "CREATE PERFETTO TABLE u AS SELECT 5 AS ts, 20 AS dur, 7 AS vu;";

    CHECKS(setup,
           {"inner",
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a PARTITIONED p, u);"
            "SELECT * FROM s",
            "5 5 1 x 7\n20 5 2 y 7"},
           {"inner, other way round",
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(u, a PARTITIONED p);"
            "SELECT * FROM s",
            "5 5 1 7 x\n20 5 2 7 y"},
           {"left",
            "CREATE VIRTUAL TABLE s USING SPAN_LEFT_JOIN(a PARTITIONED p, u);"
            "SELECT * FROM s",
            "0 5 1 x NULL\n5 5 1 x 7\n20 5 2 y 7\n25 5 2 y NULL"},
           {"outer",
            "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(a PARTITIONED p, u);"
            "SELECT * FROM s",
            "0 5 1 x NULL\n5 5 1 x 7\n10 15 1 NULL 7\n5 15 2 NULL 7\n20 5 2 y 7\n25 5 2 y NULL"},
           {"no partitions at all",
            "CREATE VIEW e AS SELECT * FROM a WHERE va = 'none';"
            "CREATE VIRTUAL TABLE s USING SPAN_OUTER_JOIN(u, e PARTITIONED p);"
            "SELECT * FROM s",
            ""}, );
}

Test(span_join, treats_points_and_open_spans_as_told)
{
    CHECKS(TWO "CREATE VIEW p AS SELECT 20 AS ts, 'p' AS vp UNION ALL SELECT 30, 'q';",
           {"a point joins what begins with it, not what ends",
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, p); SELECT * FROM s", "20 0 y p"},
           {"points on both sides",
            "CREATE VIEW z AS SELECT 20 AS ts, 0 AS dur, 1 AS vz;"
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(z, p); SELECT * FROM s",
            "20 0 1 p"},
           {"an open span has no length",
            "CREATE VIEW o AS SELECT 3 AS ts, -1 AS dur, 1 AS vo;"
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, o); SELECT * FROM s",
            "3 -1 x 1"},
           {"a span to the end of time",
            "CREATE VIEW o AS SELECT 3 AS ts, 9223372036854775807 AS dur, 1 AS vo;"
            "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, o); SELECT * FROM s",
            "3 7 x 1\n20 10 y 1"}, );
}

Test(span_join, passes_conditions_on)
{
    CHECKS(TWO, {"columns", INNER "SELECT ts FROM s WHERE va = 'y' AND vb >= 1", "20"},
           {"times", INNER "SELECT ts FROM s WHERE ts < 20", "5"},
           {"a gap is not prolonged", LEFT "SELECT ts, dur FROM s WHERE ts < 5", "0 5"},
           {"NULL of a gap", LEFT "SELECT ts FROM s WHERE vb IS NULL", "0\n25"},
           {"order", INNER "SELECT ts FROM s ORDER BY ts DESC", "20\n5"},
           {"source_geq on ts", INNER "SELECT * FROM s WHERE source_geq(ts, 5)", "20 5 y 1"},
           {"source_geq on a value", INNER "SELECT * FROM s WHERE source_geq(va, 'y')", "20 5 y 1"},
           {"source_geq elsewhere", "SELECT source_geq(ts, 5) FROM a",
            "error: must be one of a span join"},
           {"joined with a table", INNER "SELECT s.ts FROM a JOIN s USING (ts)", "20"},
           {"twice in one query", INNER "SELECT count(*) FROM s x, s y", "4"}, );
}

Test(span_join, says_what_is_wrong)
{
#define S "CREATE VIRTUAL TABLE s USING "
    CHECKS(TWO, {"no arguments", S "span_join", "error: expected two tables, got 0"},
           {"one table", S "span_join(a)", "error: expected two tables, got 1"},
           {"no such table", S "span_join(a, nope)", "error: SPAN_JOIN: no such table: nope"},
           {"garbage", S "span_join(a, b PARTITION p)", "error: expected 'table' or 'table PARTI"},
           {"no partition", S "span_join(a PARTITIONED, b)", "error: PARTITIONED needs the name"},
           {"unknown partition", S "span_join(a PARTITIONED q, b)", "error: no column 'q'"},
           {"partition ts", S "span_join(a PARTITIONED ts, b)", "error: cannot be 'ts'"},
           {"two names",
            "CREATE VIEW c AS SELECT 0 AS ts, 1 AS dur, 1 AS p;"
            "CREATE VIEW d AS SELECT 0 AS ts, 1 AS dur, 1 AS q;" S
            "span_left_join(c PARTITIONED p, d PARTITIONED q)",
            "error: SPAN_LEFT_JOIN: the tables are partitioned by columns of different names"},
           {"no ts", "CREATE VIEW c AS SELECT 1 AS dur;" S "span_join(a, c)",
            "error: table 'c' has no column 'ts'"},
           {"no dur",
            "CREATE VIEW c AS SELECT 1 AS ts; CREATE VIEW d AS SELECT 1 AS ts;" S "span_join(c, d)",
            "error: needs a column 'dur'"},
           {"same name", "CREATE VIEW c AS SELECT 1 AS ts, 2 AS va;" S "span_outer_join(a, c)",
            "error: SPAN_OUTER_JOIN: both tables have a column 'va'"},
           {"comma", "CREATE VIEW c AS SELECT 1 AS ts, 2 AS \"x,y\";" S "span_join(a, c)",
            "error: ',' or ':'"},
           {"text for time",
            "CREATE VIEW c AS SELECT 'x' AS ts;" S "span_join(a, c); SELECT * FROM s",
            "error: column 'ts' of 'c' has a value that is not an integer"},
           {"without create", "SELECT * FROM span_join", "error: no such table: span_join"},
           {"names are quoted", S "span_join(a, \"b\"\"; DROP TABLE a; --\")",
            "error: no such table: b\"; DROP TABLE a; --"},
           {"broken view", "CREATE VIEW c AS SELECT ts FROM gone;" S "span_join(a, c)",
            "error: no such table"},
           {"error in a source",
            "CREATE VIEW c AS SELECT ts, regexp('(', va) AS x FROM a;" S
            "span_join(b, c); SELECT * FROM s",
            "error: "},
           {"of itself",
            "CREATE VIEW c AS SELECT 1 AS ts;" S
            "span_join(a, c); DROP VIEW c; CREATE VIEW c AS SELECT * FROM s; SELECT * FROM s",
            "error: "}, );
#undef S
}

/* Against the same join in plain SQL, on spans that never overlap within their table. */
Test(span_join, gives_the_rows_of_the_plain_join)
{
    static const char setup[] =
        "CREATE PERFETTO TABLE a AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 999) SELECT i % 7 AS p, i * 10 + i * i % 5 AS ts, 1 + i * 7 % 9 * 7 % 61 AS dur,"
        "i AS va FROM n;"
        "CREATE PERFETTO TABLE b AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 999) SELECT i % 5 AS p, i * 11 + i * i % 3 AS ts, 1 + i * 5 % 7 * 8 % 50 AS dur,"
        "i AS vb FROM n;"
        "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a PARTITIONED p, b PARTITIONED p);"
        "CREATE PERFETTO TABLE w AS SELECT max(a.ts, b.ts) AS ts, "
        "min(a.ts + a.dur, b.ts + b.dur) - max(a.ts, b.ts) AS dur, a.p, va, vb "
        "FROM a JOIN b ON a.p = b.p AND a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur;";

    CHECKS(setup, {"there are some", "SELECT count(*) > 500 FROM s", "1"},
           {"none too many", "SELECT count(*) FROM (SELECT * FROM s EXCEPT SELECT * FROM w)", "0"},
           {"none too few", "SELECT count(*) FROM (SELECT * FROM w EXCEPT SELECT * FROM s)", "0"},
           {"none twice", "SELECT (SELECT count(*) FROM s) = (SELECT count(*) FROM w)", "1"}, );
}
