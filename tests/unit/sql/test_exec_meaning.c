/*
 * What statements mean: rules of SQLite that are easy to miss, each with its rows. The executor, if
 * it takes the statement, SQLite over the same tables, and the default give them, whatever the size
 * of the tables: t1 has few rows, big has more than the default leaves to SQLite.
 */
#include <criterion/criterion.h>

#include "processor/sql/exec/exec.h"
#include "processor/sql/exec/functions.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static const char setup[] =
    "CREATE TABLE p1(id INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "INSERT INTO p1 VALUES (0, 1, 10, 'a', 1.5), (1, 1, NULL, '7', -0.5), (2, 2, 0, NULL, 7.0), "
    "(3, 2, -3, 'b', NULL), (4, NULL, 7, '', 0.0);"
    "CREATE TABLE pb(id INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "INSERT INTO pb WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) "
    "SELECT i, i % 7, iif(i % 9, i % 50 - 10, NULL), iif(i % 11, i % 5 || '', NULL), i / 4.0 "
    "FROM n;"
    "CREATE PERFETTO TABLE t1 AS SELECT * FROM p1; CREATE PERFETTO TABLE big AS SELECT * FROM pb;"
    "CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;";

static void expect(struct engine *e, const char *what, const char *script, const char *want)
{
    const char *got = engine_run(e, script);
    const bool same = strncmp(want, "error: ", 7) ? !strcmp(got, want) : !!strstr(got, want + 7);

    cr_expect(same, "%s (mode %d)\n  got  <%s>\n  want <%s>", what, e->sql->planner.exec, got,
              want);
}

static void check_in_all_modes(const struct engine_check *checks, size_t num)
{
    static const enum orma_exec_mode modes[] = {ORMA_EXEC_MODE_ON, ORMA_EXEC_MODE_OFF,
                                                ORMA_EXEC_MODE_AUTO};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "setup", setup, "");
    for (size_t i = 0; i < num; i++) {
        for (size_t m = 0; m < ORMA_ARRAY_LEN(modes); m++) {
            e.sql->planner.exec = modes[m];
            expect(&e, checks[i].what, checks[i].script, checks[i].want);
        }
    }
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* An aggregate that is not known makes one row, whether or not somebody reads it. */
Test(exec_meaning, never_takes_an_aggregate_for_a_scalar)
{
    static const char *const aggregates[] = {
        "group_concat(s)",
        "group_concat(s, '-')",
        "group_concat(DISTINCT s)",
        "json_group_array(s)",
        "json_group_object(id, s)",

        "percentile_sketch(v)",
        "group_concat(s || v)",
        "json_group_array(id) FILTER (WHERE k > 1)",
    };
    static const struct {
        const char *before, *after, *want;
    } around[] = {
        {"SELECT count(*) FROM (SELECT ", " AS g FROM big)", "1"},
        {"SELECT count(*) FROM (SELECT ", " AS g, k FROM big GROUP BY k)", "7"},
        {"SELECT sum(k) FROM (SELECT max(k) AS k, ", " AS g FROM big)", "6"},
        {"SELECT count(*) FROM t1 WHERE EXISTS (SELECT ", " FROM big WHERE id < 0)", "5"},
        {"SELECT count(*) FROM t1 WHERE NOT EXISTS (SELECT ", " FROM big WHERE big.id = t1.id)",
         "0"},
        {"SELECT count(*) FROM t1 JOIN (SELECT ", " AS g, 1 AS one FROM big) ON t1.id < 9", "5"},
        {"SELECT count(*) FROM t1 LEFT JOIN (SELECT ",
         " AS g, max(id) AS m FROM big) b ON b.m = t1.id", "5"},
        {"WITH c AS (SELECT ", " AS g, 3 AS three FROM big) SELECT three FROM c, t1 WHERE id = 0",
         "3"},
        {"SELECT count(*) FROM (SELECT k FROM big GROUP BY k HAVING ", " IS NOT NULL)", "7"},
        {"SELECT count(*) FROM (SELECT k FROM big GROUP BY k ORDER BY ", ")", "7"},
        {"SELECT count(*) FROM (SELECT max(id) AS m FROM big UNION ALL SELECT ", " FROM t1)", "2"},
    };

    struct engine e;
    struct orma_buf sql = {0};

    engine_init(&e);
    engine_expect(&e, "setup", setup, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(aggregates) * ORMA_ARRAY_LEN(around); i++) {
        const size_t k = i % ORMA_ARRAY_LEN(around);

        orma_buf_clear(&sql);
        orma_buf_printf(&sql, "%s%s%s", around[k].before, aggregates[i / ORMA_ARRAY_LEN(around)],
                        around[k].after);
        for (int mode = ORMA_EXEC_MODE_AUTO; mode <= ORMA_EXEC_MODE_ON; mode++) {
            e.sql->planner.exec = (enum orma_exec_mode)mode;
            expect(&e, orma_buf_cstr(&sql), orma_buf_cstr(&sql), around[k].want);
        }
    }
    orma_buf_fini(&sql);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(exec_meaning, finds_what_names_mean)
{
    static const struct engine_check checks[] = {
        {"a CTE sees later ones of its WITH",
         "WITH a AS (SELECT count(*) AS n FROM t1), t1 AS (SELECT * FROM big) SELECT n FROM a",
         "5000"},
        {"also in a sub-select",
         "SELECT count(*) FROM (WITH a AS (SELECT 1 AS one FROM t1), t1 AS (SELECT * FROM big) "
         "SELECT one FROM a)",
         "5000"},
        {"an inner WITH hides an outer one",
         "WITH a AS (SELECT count(*) AS n FROM big) SELECT (WITH a AS (SELECT count(*) AS n FROM "
         "t1) "
         "SELECT n FROM a) AS x, n FROM a, t1 WHERE id = 0",
         "5 5000"},
        {"USING with a sub-select without a name",
         "SELECT count(*) FROM t1 JOIN (SELECT id FROM big WHERE id > 2) USING (id)", "2"},
        {"and with groups", "SELECT count(*) FROM big JOIN (SELECT k FROM t1 GROUP BY k) USING (k)",
         "1429"},
        {"and on the left", "SELECT count(*) FROM (SELECT k FROM t1 GROUP BY k) JOIN big USING (k)",
         "1429"},
        {"NATURAL JOIN of sub-selects without names",
         "SELECT count(*) FROM (SELECT id, k FROM t1) NATURAL JOIN (SELECT id FROM big)", "5"},
        {"USING of two columns",
         "SELECT count(*) FROM t1 JOIN (SELECT id, k FROM big) USING (id, k)", "2"},
        {"LEFT JOIN USING",
         "SELECT count(*), count(m) FROM t1 LEFT JOIN (SELECT id, 1 AS m FROM big WHERE id < 2) "
         "USING (id)",
         "5 2"},
        {"of columns with the same name the first is meant",
         "SELECT sum(x) FROM (SELECT id AS x, 1000 * id AS x FROM t1)", "10"},
        {"a column wins over the name of a result",
         "SELECT count(*) FROM (SELECT -id AS id FROM t1 WHERE id > 2)", "2"},
        {"a name of a result in WHERE",
         "SELECT count(*) FROM (SELECT -id AS neg FROM t1 WHERE neg < -2)", "2"},
        {"a name in a query that depends on the row is its own first",
         "SELECT sum((SELECT count(*) FROM big WHERE k = t1.k AND id = id)) FROM t1", "2858"},
        {"a table that nobody reads", "SELECT count(*) FROM (SELECT t1.id FROM t1, big)", "25000"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

Test(exec_meaning, knows_truth_and_numbers)
{
    static const struct engine_check checks[] = {
        {"IS TRUE", "SELECT count(*) FROM t1 WHERE v IS TRUE", "3"},
        {"IS NOT TRUE", "SELECT count(*) FROM t1 WHERE v IS NOT TRUE", "2"},
        {"IS FALSE", "SELECT count(*) FROM t1 WHERE v IS FALSE", "1"},
        {"IS NOT FALSE", "SELECT count(*) FROM t1 WHERE v IS NOT FALSE", "4"},
        {"of a text", "SELECT s IS TRUE AS t, count(*) FROM t1 GROUP BY 1", "0 4\n1 1"},
        {"of a real", "SELECT count(*) FROM t1 WHERE d IS TRUE", "3"},
        {"in a FILTER", "SELECT count(*) FILTER (WHERE v IS TRUE) FROM big", "4355"},
        {"of a condition", "SELECT count(*) FROM t1 WHERE (k > 1) IS NOT TRUE", "3"},
        {"in parentheses", "SELECT count(*) FROM t1 WHERE v IS (TRUE)", "3"},
        {"+TRUE is the number 1", "SELECT count(*) FROM t1 WHERE k IS +TRUE", "2"},
        {"= TRUE is the number 1", "SELECT count(*) FROM t1 WHERE k = TRUE", "2"},
        {"a result of that name", "SELECT count(*) FROM (SELECT k AS true FROM t1 WHERE k IS true)",
         "5"},
        {"the smallest integer",
         "SELECT typeof(x), x FROM (SELECT coalesce(max(v), -9223372036854775808) AS x FROM t1 "
         "WHERE "
         "id > 99)",
         "integer -9223372036854775808"},
        {"in a condition", "SELECT count(*) FROM t1 WHERE v > -9223372036854775808", "4"},
        {"in a window",
         "SELECT typeof(x), x FROM (SELECT lag(v, 1, -9223372036854775808) OVER (ORDER BY id) AS x "
         "FROM t1) LIMIT 1",
         "integer -9223372036854775808"},
        {"a minus before a column of zeros", "SELECT max(-d) FROM t1 WHERE d = 0", "0.0"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* A column that is a constant is NULL beside aggregates of no rows, unless SQLite dissolves. */
Test(exec_meaning, knows_aggregates_of_no_rows)
{
    static const struct engine_check checks[] = {
        {"MATERIALIZED",
         "WITH c AS MATERIALIZED (SELECT 'all' AS what, v FROM big) SELECT what, count(*), sum(v) "
         "FROM c WHERE v < -99",
         "NULL 0 NULL"},
        {"an expression of it",
         "WITH c AS MATERIALIZED (SELECT s, 5 AS five FROM big) SELECT five + 1 AS x, count(*) "
         "FROM c "
         "WHERE s = 'no'",
         "NULL 0"},
        {"dissolved", "SELECT what, count(*) FROM (SELECT 'all' AS what, v FROM big) WHERE v < -99",
         "all 0"},
        {"a literal", "SELECT 'all', count(*) FROM big WHERE v < -99", "all 0"},
        {"a column that fails, and that nobody reads",
         "WITH c AS MATERIALIZED (SELECT abs(-9223372036854775808 + 0 * v) AS bad, id FROM t1) "
         "SELECT count(id) FROM c",
         "error: integer overflow"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

Test(exec_meaning, keeps_windows_of_a_set_apart)
{
    static const struct engine_check checks[] = {
        {"UNION",
         "SELECT sum(r * n) FROM (SELECT row_number() OVER () AS r, count(*) OVER (PARTITION BY k) "
         "AS n FROM t1 UNION SELECT -1, -1 FROM big ORDER BY 1)",
         "26"},
        {"EXCEPT",
         "SELECT row_number() OVER () AS r, sum(k) OVER (PARTITION BY k) AS n FROM t1 EXCEPT "
         "SELECT "
         "id + 1, 2 FROM big ORDER BY 1 LIMIT 1",
         "3 4"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* What SQLite 3.40 answers otherwise than newer ones: sqlite/older.h. */
Test(exec_meaning, answers_on_an_older_sqlite_as_on_a_newer_one)
{
    static const struct engine_check checks[] = {
        {"a compound query with values of two types, written down",
         "SELECT typeof(x), count(*) FROM (SELECT id AS x FROM t1 WHERE id < 0 UNION SELECT s FROM "
         "t1) u, t1 GROUP BY 1",
         "null 5\ntext 20"},
        {"of a large table",
         "SELECT typeof(x), count(*) FROM (SELECT id AS x FROM big WHERE id < 0 UNION SELECT s "
         "FROM big) u, t1 GROUP BY 1",
         "null 5\ntext 25"},
        {"a name of WITH that is used twice, with a constant",
         "WITH c AS (SELECT 'all' AS what, v FROM t1) SELECT what, count(*) FROM c WHERE v < -99 "
         "UNION ALL SELECT what, count(*) FROM c WHERE v < -98",
         "all 0\nall 0"},
        {"ON behind a RIGHT JOIN, and a LEFT JOIN that nobody reads",
         "SELECT b.id FROM t1 a RIGHT JOIN t1 b JOIN (SELECT x.id FROM t1 x LEFT JOIN t1 y ON x.id "
         "= y.id) ON b.k = 77",
         ""},
        {"a collation beside an equality",
         "SELECT count(*) FROM t1 x JOIN t1 y USING (s) WHERE y.s COLLATE NOCASE = 'B'", "1"},
        {"RIGHT JOIN in a part of UNION ALL",
         "SELECT count(*), count(id) FROM (SELECT id FROM t1 WHERE id > 9 UNION ALL SELECT x.id "
         "FROM t1 x RIGHT JOIN t1 y ON y.id = 77)",
         "5 0"},
        {"behind a part with a sub-select",
         "SELECT count(*), sum(id) FROM (SELECT id FROM t1 WHERE (SELECT id < 0) UNION ALL SELECT "
         "y.id FROM (SELECT s FROM t1 WHERE id = 3) x RIGHT JOIN t1 y) LIMIT 100",
         "5 10"},
        {"in a view",
         "CREATE OR REPLACE PERFETTO VIEW both AS SELECT id FROM t1 WHERE id > 9 UNION ALL SELECT "
         "x.id FROM t1 x RIGHT JOIN t1 y ON y.id = 77; SELECT count(*), count(id) FROM both",
         "5 0"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* What stands in each other is worked out once, or left to SQLite. */
Test(exec_meaning, does_not_work_out_the_same_again_and_again)
{
#define TEN(x) x x x x x x x x x x
    static const struct engine_check checks[] = {
        {"coalesce()",
         "SELECT sum(" TEN("coalesce(") TEN("coalesce(") "NULL" TEN(", v)")
             TEN(", k)") ") FROM big",
         "66115"},
        {"nullif()",
         "SELECT count(" TEN("nullif(") TEN("nullif(") "id" TEN(", v)") TEN(", k)") ") FROM big",
         "4993"},
        {"BETWEEN",
         "SELECT count(*) FROM big WHERE " TEN("(") TEN("(") "id" TEN(" BETWEEN 0 AND v)")
             TEN(" BETWEEN 1 AND k)"),
         "3048"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* What is not shown counts all the same. */
Test(exec_meaning, looks_at_what_is_not_shown_as_sqlite_does)
{
    static const struct engine_check checks[] = {
        {"EXISTS of what is left of a set",
         "SELECT count(*) FROM t1 WHERE EXISTS (SELECT k + 100 FROM big EXCEPT SELECT k FROM t1)",
         "5"},
        {"of what is in both",
         "SELECT count(*) FROM t1 WHERE EXISTS (SELECT k + 100 FROM big INTERSECT SELECT k FROM "
         "t1)",
         "0"},
        {"an error in a row behind the limit",
         "SELECT twice(iif(id, 1, s)) FROM t1 ORDER BY -v DESC LIMIT 1", "error: twice["},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* SQL does not say which row of equal ones counts: that of the table is the first, always. */
Test(exec_meaning, orders_distinct_rows_by_the_first_of_each)
{
    static const struct engine_check checks[] = {
        {"falling", "SELECT DISTINCT k FROM t1 ORDER BY id DESC", "NULL\n2\n1"},
        {"by no id", "SELECT DISTINCT k FROM t1 ORDER BY v DESC", "1\nNULL\n2"},
        {"of a large table", "SELECT DISTINCT k FROM big WHERE k < 3 ORDER BY id DESC", "2\n1\n0"},
        {"with a limit", "SELECT DISTINCT k FROM big ORDER BY id DESC LIMIT 2", "6\n5"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* It shows in what a compound query compares with. */
Test(exec_meaning, gives_columns_without_values_the_types_they_come_from)
{
    static const struct engine_check checks[] = {
        {"types",
         "CREATE OR REPLACE PERFETTO TABLE none AS SELECT * FROM p1 WHERE id > 9;"
         "SELECT group_concat(type, ' ') FROM pragma_table_xinfo('none')",
         "INTEGER INTEGER INTEGER TEXT DOUBLE INTEGER"},
        {"those that were declared",
         "CREATE OR REPLACE PERFETTO TABLE none(id STRING, k DOUBLE) AS SELECT NULL AS id, NULL AS "
         "k; SELECT group_concat(type, ' ') FROM pragma_table_xinfo('none')",
         "TEXT DOUBLE INTEGER"},
    };

    check_in_all_modes(checks, ORMA_ARRAY_LEN(checks));
}

/* Each row of the table is a function of SQLite's, of that kind, with as many arguments. */
static void expect_rows_of_sqlite(struct engine *e)
{
    struct orma_buf sql = {0};

    for (size_t i = 0; i < orma_exec_catalog.functions_num; i++) {
        const struct orma_exec_function *f = &orma_exec_catalog.functions[i];
        const int most = f->args_max < 0 ? f->args_min : f->args_max;

        for (int args = f->args_min; args <= most; args++) {
            orma_buf_clear(&sql);
            orma_buf_printf(&sql,
                            "SELECT count(*) > 0 FROM pragma_function_list WHERE name = '%s' AND "
                            "type IN (%s) AND (narg < 0 OR narg = %d)",
                            f->name,
                            f->kinds & EXEC_WINDOW      ? "'w'"
                            : f->kinds & EXEC_AGGREGATE ? "'a', 'w'"
                                                        : "'s'",
                            args);
            expect(e, f->name, orma_buf_cstr(&sql), "1");
        }
    }
    orma_buf_fini(&sql);
}

/* Whatever the table says a function is, SQLite takes it for that, too. */
Test(exec_meaning, knows_of_functions_what_sqlite_knows)
{
    static const struct {
        const char *name;
        unsigned args;
        bool over;
        uint8_t kinds;
    } known[] = {
        {"count", 0, false, EXEC_AGGREGATE | EXEC_WINDOW},
        {"max", 1, false, EXEC_AGGREGATE | EXEC_WINDOW},
        {"max", 2, false, EXEC_SCALAR},
        {"lead", 3, true, EXEC_WINDOW},
        {"lead", 4, true, 0},
        {"lead", 1, false, 0},
        {"median", 1, true, 0},
        {"iif", 2, false, 0},
        {"group_concat", 1, false, EXEC_AGGREGATE},
        {"group_concat", 3, false, 0},
        {"group_concat", 1, true, 0},
        {"substr", 4, false, 0},
    };
    struct orma_exec_function f;
    struct engine e;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(known); i++) {
        const struct orma_exec_function *got = orma_exec_function_find(
            &orma_exec_catalog, orma_str_from(known[i].name), known[i].args, known[i].over);

        cr_expect_eq(got ? got->kinds : 0, known[i].kinds, "%s of %u", known[i].name,
                     known[i].args);
    }
    engine_init(&e);
    engine_expect(&e, "setup", setup, "");
    expect_rows_of_sqlite(&e);
    cr_expect(orma_exec_function_of_engine(&orma_exec_catalog, e.sql, ORMA_STR("twice"), 1, &f) &&
              f.may_fail);
    cr_expect(
        orma_exec_function_of_engine(&orma_exec_catalog, e.sql, ORMA_STR("str_split"), 3, &f) &&
        f.is_pure);
    cr_expect(
        !orma_exec_function_of_engine(&orma_exec_catalog, e.sql, ORMA_STR("group_concat"), 1, &f));
    cr_expect(!orma_exec_function_of_engine(&orma_exec_catalog, e.sql, ORMA_STR("random"), 0, &f));
    engine_fini(&e);
    orma_assert_no_leaks();
}
