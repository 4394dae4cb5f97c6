/*
 * The order of SQLite's rows: a test for each rule of processor/sql/exec/plan/order.c. The executor
 * gives the same rows in the same order as SQLite, or gives a statement up for the reason that the
 * rule has.
 */
#include <criterion/criterion.h>

#include "sdk/base/str.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static const char setup[] =
    "CREATE TABLE pa(id INTEGER, k INTEGER, v INTEGER, s TEXT);"
    "INSERT INTO pa WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) "
    "SELECT i, (i * 7) % 5, (i * 11) % 13, char(97 + (i * 5) % 7) FROM n;"
    "CREATE TABLE pb(id INTEGER, k INTEGER, w INTEGER);"
    "INSERT INTO pb WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19) "
    "SELECT i, (i * 3) % 5, (i * 7) % 11 FROM n;"
    "CREATE PERFETTO TABLE a AS SELECT * FROM pa; CREATE PERFETTO TABLE b AS SELECT * FROM pb;";

struct rule_case {
    const char *query;
    const char *why;   /* it is left to SQLite; NULL: it runs here */
    const char *newer; /* why SQLite after 3.40 may have it instead: its plan says less */
};

/* Both ways; the executor must have run those without a reason, and refused the others for it. */
static void check_rule(const struct rule_case *cases, size_t num)
{
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "setup", setup, "");
    for (size_t i = 0; i < num; i++) {
        e.sql->planner.exec = ORMA_EXEC_MODE_OFF;
        char *want = orma_str_dup(orma_str_from(engine_run(&e, cases[i].query)));

        e.sql->planner.exec = ORMA_EXEC_MODE_ON;
        engine_expect(&e, cases[i].query, cases[i].query, want);
        const char *why = e.sql->planner.why;
        const char *expected = why && cases[i].newer && sqlite3_libversion_number() > 3041000
                                   ? cases[i].newer
                                   : cases[i].why;
        cr_expect(!why == !expected && (!why || !strcmp(why, expected)), "%s\n  %s", cases[i].query,
                  why ? why : "it ran");
        cr_expect(want && strchr(want, '\n'), "%s: too few rows to show an order", cases[i].query);
        free(want);
    }
    engine_fini(&e);
    orma_assert_no_leaks();
}

#define RULE(number, says, ...)                                                                    \
    Test(exec_order, rule_##number##_##says)                                                       \
    {                                                                                              \
        static const struct rule_case cases[] = {__VA_ARGS__};                                     \
                                                                                                   \
        check_rule(cases, ORMA_ARRAY_LEN(cases));                                                  \
    }

RULE(1, joins_come_in_the_order_of_loops, {"SELECT a.id, b.id FROM a JOIN b ON a.k = b.id", NULL},
     {"SELECT a.id, b.w FROM b JOIN a ON a.id = b.w", NULL},
     {"SELECT a.id, b.id FROM a LEFT JOIN b ON b.id = a.v", NULL})

RULE(2, an_or_may_be_split,
     {"SELECT id, k FROM a WHERE k = 1 OR v = 3", "an OR that SQLite splits"},
     {"SELECT id, k FROM a WHERE k + 0 = 1 OR v = 3", NULL})

RULE(3, an_index_that_sqlite_makes_orders_rows,
     {"SELECT id, (SELECT w FROM b WHERE b.k = a.k) FROM a", NULL},
     {"SELECT id, (SELECT c.w FROM (SELECT DISTINCT k, w FROM b) c WHERE c.k = a.k) FROM a",
      "an index that SQLite makes"},
     {"SELECT a.id, c.n FROM a JOIN (SELECT k, w, count(*) AS n FROM b GROUP BY k, w) c ON c.k = "
      "a.k",
      NULL, "a join order that is not in the query plan: give each table its own alias"})

RULE(4, groups_come_in_the_order_of_keys, {"SELECT s, count(*) FROM a GROUP BY s", NULL},
     {"SELECT k, s, count(*) FROM a GROUP BY k, s ORDER BY 3 DESC, 1", NULL},
     {"SELECT k, count(*) AS n FROM a GROUP BY k ORDER BY n % 1 DESC", NULL},
     {"SELECT DISTINCT k, v % 2 FROM a", NULL})

RULE(5, columns_beside_groups_are_of_one_row, {"SELECT k, id FROM a GROUP BY k", NULL},
     {"SELECT k, max(v), id FROM a GROUP BY k", NULL},
     {"SELECT k, min(v), max(v), s FROM a GROUP BY k", NULL},
     {"SELECT k, s FROM a GROUP BY k ORDER BY k DESC", "a column that is not grouped by"})

RULE(6, sets_come_in_the_order_of_all_results,
     {"SELECT k, v % 3 FROM a UNION SELECT k, w FROM b", NULL},
     {"SELECT k FROM a EXCEPT SELECT w FROM b WHERE w < 2", NULL},
     {"SELECT v, k FROM a INTERSECT SELECT w, k FROM b", NULL},
     {"SELECT k, v FROM a UNION SELECT k, w FROM b ORDER BY 2 DESC", NULL})

RULE(7, an_order_of_a_compound_merges_its_parts,
     {"SELECT k, id FROM a UNION ALL SELECT k, id FROM b ORDER BY 1", NULL},
     {"SELECT k, count(*) AS n FROM a GROUP BY k UNION ALL SELECT k, w FROM b ORDER BY n",
      "windows or groups below the order of a compound query"},
     {"SELECT k, v FROM a UNION ALL SELECT k, w FROM b ORDER BY 1, 1",
      "a term of ORDER BY that comes twice"},
     {"SELECT k FROM a UNION SELECT w FROM b UNION ALL SELECT id FROM b ORDER BY 1",
      "an order of a UNION ALL of sets"})

RULE(8, an_order_below_may_be_dropped,
     {"SELECT k, id FROM (SELECT * FROM a ORDER BY v) WHERE id > 5", NULL},
     {"SELECT k, id FROM (SELECT * FROM a ORDER BY v LIMIT 20) ORDER BY k", NULL},
     {"SELECT id, k FROM (SELECT * FROM a ORDER BY v) ORDER BY k", "ORDER BY in a sub-select"})

RULE(9, a_limit_below_may_move, {"SELECT id, k FROM (SELECT * FROM a LIMIT 30)", NULL},
     {"SELECT id, k FROM (SELECT * FROM a LIMIT 30) ORDER BY k", "a LIMIT that SQLite moves"})

RULE(10, windows_run_from_the_last_to_the_first,
     {"SELECT id, row_number() OVER (PARTITION BY k ORDER BY v), rank() OVER (ORDER BY s) FROM a",
      NULL},
     {"SELECT id, row_number() OVER (PARTITION BY k) AS r, rank() OVER (ORDER BY s) FROM a "
      "ORDER BY r",
      "an order by one of several windows"},
     {"SELECT k, count(*) FROM a GROUP BY k ORDER BY 1 + 1", "groups ordered by a constant"})
