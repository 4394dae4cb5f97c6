#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

Test(mipmap, windows)
{
    CHECKS(NULL,
           {"steps", "SELECT * FROM __intrinsic_window(10, 25, 10)", "10 10 0\n20 10 1\n30 10 2"},
           {"whole", "SELECT * FROM __intrinsic_window(10, 25, 0)", "10 25 0"},
           {"none", "SELECT * FROM __intrinsic_window(10, 0, 5)", ""},
           {"hidden columns",
            "SELECT ts, quantum FROM __intrinsic_window WHERE window_start = 1 AND window_dur = 4 "
            "AND quantum = 2",
            "1 2\n3 2"},
           {"endless ones stream",
            "SELECT ts FROM __intrinsic_window(0, 9223372036854775807, 1) LIMIT 2", "0\n1"},
           {"missing", "SELECT * FROM __intrinsic_window(1, 2)", "error: expected 3 arguments"},
           {"negative", "SELECT * FROM __intrinsic_window(1, -2, 1)",
            "error: must not be negative"}, );
}

Test(mipmap, windows_that_are_made)
{
    static const char setup[] =
        "CREATE PERFETTO TABLE s AS SELECT column1 AS ts, column2 AS dur, column3 AS x FROM "
        "(VALUES (5,10,'a'),(25,10,'b'));"
        "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 0, 1);"
        "CREATE VIRTUAL TABLE j USING SPAN_JOIN(s, w);"
        "DROP TABLE w; CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 35, 10)";

    CHECKS(setup, {"its columns", "SELECT * FROM w", "0 10 0\n10 10 1\n20 10 2\n30 10 3"},
           {"a join over one that was made again", "SELECT ts, dur, x, quantum_ts FROM j",
            "5 5 a 0\n10 5 a 1\n25 5 b 2\n30 5 b 3"},
           {"a table function still", "SELECT count(*) FROM __intrinsic_window(0, 7, 2)", "4"}, );
    CHECKS(NULL,
           {"too few", "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 1)",
            "error: expected start, duration and quantum"},
           {"no numbers", "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, x, 1)",
            "error: must be integers"},
           {"negative",
            "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, -5, 1); SELECT * FROM w",
            "error: must not be negative"}, );
}

Test(mipmap, counters)
{
    static const char setup[] =
        "CREATE PERFETTO TABLE c AS SELECT column1 AS ts, column2 AS value FROM "
        "(VALUES (0,5.0),(10,1.0),(12,9.0),(13,4.0),(40,2.0));"
        "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT ts, value FROM c));";

    CHECKS(
        setup,
        {"buckets", "SELECT * FROM m(0, 50, 10)", "5.0 5.0 0 5.0\n1.0 9.0 13 4.0\n2.0 2.0 40 2.0"},
        {"the value before", "SELECT * FROM m(11, 51, 20)", "1.0 9.0 13 4.0\n2.0 2.0 40 2.0"},
        {"nothing but the value before", "SELECT * FROM m(20, 30, 5)", "4.0 4.0 13 4.0"},
        {"tiny steps", "SELECT count(*) FROM m(0, 9223372036854775807, 1)", "5"},
        {"huge step", "SELECT * FROM m(-5, 100, 9223372036854775807)", "1.0 9.0 40 2.0"},
        {"empty window", "SELECT * FROM m(50, 50, 1)", ""},
        {"no step", "SELECT * FROM m(0, 50, 0)", "error: the step must be positive"},
        {"no arguments", "SELECT * FROM m", "error: expected 3 arguments"},
        {"joined",
         "SELECT w.ts, m.last_value FROM __intrinsic_window(0, 20, 10) w JOIN m(w.ts, w.ts + 10, "
         "10) m",
         "0 5.0\n10 4.0"}, );
}

/* SQLite connects to tables again after a failure: their rows must not come from what is gone. */
Test(mipmap, outlives_what_it_was_made_of)
{
    static const char setup[] =
        "CREATE PERFETTO TABLE c AS SELECT 10 AS ts, 5.0 AS value;"
        "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT ts, value FROM c));"
        "CREATE VIRTUAL TABLE e USING __intrinsic_counter_mipmap((SELECT ts, value FROM c WHERE "
        "0));"
        "DROP TABLE c;";

    CHECKS(setup, {"at once", "SELECT * FROM m(0, 50, 10)", "5.0 5.0 10 5.0"},
           {"a failure", "CREATE VIRTUAL TABLE n USING __intrinsic_counter_mipmap((SELECT 1))",
            "error: has no column"},
           {"renamed", "ALTER TABLE m RENAME TO k; SELECT * FROM k(0, 50, 10)", "5.0 5.0 10 5.0"},
           {"no samples: a row of zeros", "SELECT * FROM e(0, 50, 10)", "0.0 0.0 0 0.0"},
           {"dropped and made again",
            "DROP TABLE m; CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT 1 AS "
            "ts, 2.0 AS value)); SELECT * FROM m(0, 50, 10)",
            "2.0 2.0 1 2.0"}, );
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "setup", setup, "");
    engine_expect(&e, "a failure",
                  "CREATE VIRTUAL TABLE n USING __intrinsic_counter_mipmap((SELECT 1))",
                  "error: has no column");
    engine_expect(&e, "rows are still there", "SELECT * FROM m(0, 50, 10)", "5.0 5.0 10 5.0");
    engine_fini(&e);
}

Test(mipmap, slices)
{
    static const char setup[] =
        "CREATE PERFETTO TABLE s(id LONG, ts LONG, dur LONG, depth LONG) AS SELECT column1 AS id, "
        "column2 AS ts, column3 AS dur, column4 AS depth FROM "
        "(VALUES (0,0,100,0),(1,10,2,1),(2,13,5,1),(3,19,0,1),(4,60,30,1),(5,200,-1,0));"
        "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT * FROM s));";

    CHECKS(setup,
           {"buckets", "SELECT * FROM m(0, 300, 20)",
            "0 0 1 100 0\n200 5 1 -1 0\n13 2 3 5 1\n60 4 1 30 1"},
           {"what comes before the window", "SELECT * FROM m(50, 150, 10)",
            "0 0 1 100 0\n19 3 1 0 1\n60 4 1 30 1"},
           {"what ended before is there, as viewers expect", "SELECT * FROM m(110, 150, 10)",
            "0 0 1 100 0\n60 4 1 30 1"},
           {"unless one begins at the start", "SELECT * FROM m(60, 150, 10)",
            "0 0 1 100 0\n60 4 1 30 1"},
           {"none before", "SELECT * FROM m(-20, -10, 10)", ""},
           {"what is still open", "SELECT id FROM m(1000, 1001, 1) WHERE depth = 0", "5"}, );
    CHECKS("CREATE VIRTUAL TABLE e USING __intrinsic_slice_mipmap((SELECT 1 AS id, 2 AS ts, 3 AS "
           "dur, 4 AS depth WHERE 0));",
           {"no slices: a row of zeros", "SELECT * FROM e(10, 50, 10)", "0 0 1 0 0"}, );
}

Test(mipmap, refuses_wrong_sources)
{
    CHECKS(NULL,
           {"no query", "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap",
            "error: expected one query in parentheses"},
           {"column missing",
            "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT 1 AS ts, 2 AS id))",
            "error: the query has no column 'dur'"},
           {"two statements",
            "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT 1 AS ts, 2 AS value); "
            "DROP TABLE x)",
            "error: "},
           {"text as time",
            "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT 'a' AS ts, 1 AS "
            "value))",
            "error: ts must be an integer"},
           {"syntax", "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT FROM))",
            "error: "},
           {"no half-made table",
            "CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT nope))", "error: "}, );
}
