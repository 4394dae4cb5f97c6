#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

/*  main 1 ┬ read 2 ── copy 5        main 1 ── read 4
 *         └ draw 3 ── copy 6   and  (another root of that name, elsewhere) */
#define FRAMES                                                                                     \
    "CREATE PERFETTO TABLE t AS SELECT column1 AS id, column2 AS parent_id, column3 AS name, "     \
    "column4 AS v, column5 AS lib FROM (VALUES (0,NULL,'main',1,'a'),(1,0,'read',2,'b'),"          \
    "(2,1,'copy',5,'c'),(3,0,'draw',3,'b'),(4,3,'copy',6,'d'),(5,NULL,'main',1,'x'),"              \
    "(6,5,'read',4,'b'));"                                                                         \
    "CREATE VIRTUAL TABLE f USING __intrinsic_flamegraph((SELECT * FROM t));"

#define CONFIG "__intrinsic_flamegraph_config("
#define VIEW(v) CONFIG "'view', '" v "')"
#define VALUE CONFIG "'value', 'v')"
#define WITH(view, ...) CONFIG "'config', " VIEW(view) ", " VALUE __VA_ARGS__ ")"
#define ROWS(config)                                                                               \
    "SELECT depth, name, self_value, cumulative_value, x_start, x_end FROM f(" config ")"

Test(flamegraph, views)
{
    CHECKS(
        FRAMES,
        {"top down", ROWS(WITH("TOP_DOWN")),
         "1 main 2 22 0 22\n2 read 6 11 0 11\n2 draw 3 9 11 20\n3 copy 5 5 0 5\n3 copy 6 6 11 17"},
        {"ids",
         "SELECT _tree_id, _tree_parent_id, parent_cumulative_value FROM f(" WITH("TOP_DOWN") ")",
         "0 NULL NULL\n1 0 22\n2 0 22\n3 1 11\n4 2 9"},
        {"bottom up", ROWS(WITH("BOTTOM_UP")),
         "-1 copy 0 11 0 11\n-1 read 0 6 11 17\n-1 draw 0 3 17 20\n-1 main 2 2 20 22\n"
         "-2 draw 0 6 0 6\n-2 read 0 5 6 11\n-2 main 6 6 11 17\n-2 main 3 3 17 20\n"
         "-3 main 6 6 0 6\n-3 main 5 5 6 11"},
        {"from a frame", ROWS(WITH("FROM_FRAME", ", " CONFIG "'view_pattern', '^read$')")),
         "1 read 6 11 0 11\n2 copy 5 5 0 5"},
        {"pivot", ROWS(WITH("PIVOT", ", " CONFIG "'view_pattern', 'READ', 'i')")),
         "1 read 6 11 0 11\n-1 read 0 11 0 11\n2 copy 5 5 0 5\n-2 main 11 11 0 11"}, );
}

Test(flamegraph, filters)
{
#define FILTER(kind, pattern) ", " CONFIG "'filter', '" kind "', '" pattern "')"
    CHECKS(FRAMES,
           {"show", ROWS(WITH("TOP_DOWN", FILTER("SHOW_STACK", "copy"))),
            "1 main 0 11 0 11\n2 draw 0 6 0 6\n2 read 0 5 6 11\n3 copy 6 6 0 6\n3 copy 5 5 6 11"},
           {"show both",
            ROWS(WITH("TOP_DOWN", FILTER("SHOW_STACK", "copy") FILTER("SHOW_STACK", "draw"))),
            "1 main 0 6 0 6\n2 draw 0 6 0 6\n3 copy 6 6 0 6"},
           {"hide stacks", ROWS(WITH("TOP_DOWN", FILTER("HIDE_STACK", "read|draw"))),
            "1 main 2 2 0 2"},
           {"hide frames", ROWS(WITH("TOP_DOWN", FILTER("HIDE_FRAME", "read|draw"))),
            "1 main 11 22 0 22\n2 copy 11 11 0 11"},
           {"hide roots", ROWS(WITH("TOP_DOWN", FILTER("HIDE_FRAME", "main"))),
            "1 read 6 11 0 11\n1 draw 3 9 11 20\n2 copy 5 5 0 5\n2 copy 6 6 11 17"},
           {"nothing left", ROWS(WITH("TOP_DOWN", FILTER("SHOW_STACK", "nope"))), ""},
           {"a wrong pattern", ROWS(WITH("TOP_DOWN", FILTER("SHOW_STACK", "("))), "error: "}, );
}

Test(flamegraph, groups_and_properties)
{
    CHECKS(FRAMES,
           {"grouping",
            "SELECT name, lib, cumulative_v FROM f(" WITH(
                "TOP_DOWN", ", " CONFIG "'grouping', 'lib')") ") WHERE depth = 1",
            "main a 17\nmain x 5"},
           {"one or a summary",
            "SELECT name, lib FROM f(" WITH(
                "TOP_DOWN", ", " CONFIG "'aggregate', 'ONE_OR_SUMMARY', 'lib')") ")",
            "main x and 1 others\nread b\ndraw b\ncopy c\ncopy d"},
           {"all with commas",
            "SELECT name, lib FROM f(" WITH(
                "TOP_DOWN", ", " CONFIG "'aggregate', 'CONCAT_WITH_COMMA', 'lib')") ") LIMIT 1",
            "main x,a"},
           {"sums",
            "SELECT v, self_v FROM f(" WITH("TOP_DOWN",
                                            ", " CONFIG "'aggregate', 'SUM', 'v')") ") LIMIT 2",
            "2 2\n6 6"},
           {"not asked for", "SELECT lib FROM f(" WITH("TOP_DOWN") ") LIMIT 1", "NULL"}, );
}

Test(flamegraph, refuses_what_is_wrong)
{
    CHECKS(FRAMES, {"no configuration", "SELECT * FROM f", "error: expected a configuration"},
           {"a number", "SELECT * FROM f(1)", "error: is not a configuration"},
           {"no value", "SELECT * FROM f(" VIEW("TOP_DOWN") ")", "error: at least one value"},
           {"unknown view", ROWS(WITH("SIDEWAYS")), "error: unknown view 'SIDEWAYS'"},
           {"unknown column", ROWS(CONFIG "'value', 'nope')"), "error: no column 'nope'"},
           {"unknown setting", ROWS(WITH("TOP_DOWN", ", " CONFIG "'colour', 'red')")),
            "error: unknown setting 'colour'"},
           {"a pattern is missing", ROWS(WITH("PIVOT")), "error: need a view_pattern"},
           {"a pattern too many", ROWS(WITH("TOP_DOWN", ", " CONFIG "'view_pattern', 'x')")),
            "error: others take none"},
           {"a number as tag", "SELECT __intrinsic_flamegraph_config(1)", "error: must be a tag"},
           {"children before parents",
            "CREATE VIRTUAL TABLE g USING __intrinsic_flamegraph((SELECT 1 AS id, 2 AS parent_id, "
            "'x' AS name))",
            "error: parents must come before"},
           {"ids that are not distinct",
            "CREATE VIRTUAL TABLE g USING __intrinsic_flamegraph((SELECT 1 AS id, NULL AS "
            "parent_id, 'x' AS name UNION ALL SELECT 1, NULL, 'x'))",
            "error: distinct integers"},
           {"no name",
            "CREATE VIRTUAL TABLE g USING __intrinsic_flamegraph((SELECT 1 AS id, 2 AS parent_id))",
            "error: no column 'name'"},
           {"empty",
            "CREATE VIRTUAL TABLE g USING __intrinsic_flamegraph((SELECT * FROM t WHERE 0)); "
            "SELECT * FROM g(" WITH("TOP_DOWN") ")",
            ""}, );
}
