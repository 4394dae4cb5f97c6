/*
 * Generated queries twice: by the executor, and by SQLite over the same tables (which test_joins.c
 * compares with plain ones). They must agree to the bit, in the order of rows, in names and errors.
 *
 * ORMA_TEST_SEED=n makes other queries, ORMA_TEST_QUERIES=n so many.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/script/bound.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"
#include "tests/unit/sql/generator.h"
#include "tests/unit/sql/query_generator.h"

#define QUERIES 3000

/* ---- answers ---- */

enum ran { FAILED, BY_SQLITE, TRIED, BY_US };
static uint64_t looked; /* rows that the last one looked at */

/* What parameters are bound to, as literals. */
struct values {
    struct orma_str literals[64];
    unsigned num;
};

static void bind(struct orma_sql_stmt *stmt, unsigned param, struct orma_str literal)
{
    char text[512] = "";

    if (literal.data[0] == '\'') {
        for (size_t i = 1, len = 0; i + 1 < literal.len; i += literal.data[i] == '\'' ? 2 : 1)
            text[len++] = literal.data[i];
        sqlite3_bind_text(stmt->stmt, (int)param, text, -1, SQLITE_TRANSIENT);
        orma_bound_note_text(stmt, param, text, strlen(text));
        return;
    }
    memcpy(text, literal.data, literal.len);
    if (strpbrk(text, ".e")) {
        sqlite3_bind_double(stmt->stmt, (int)param, strtod(text, NULL));
        orma_bound_note_double(stmt, param, strtod(text, NULL));
    } else {
        sqlite3_bind_int64(stmt->stmt, (int)param, strtoll(text, NULL, 10));
        orma_bound_note_int(stmt, param, strtoll(text, NULL, 10));
    }
}

static enum ran run_with(struct engine *e, const char *query, const struct values *values,
                         enum orma_exec_mode mode, struct orma_buf *out)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r;

    e->sql->planner.exec = mode;
    e->sql->planner.off = mode == ORMA_EXEC_MODE_OFF;
    e->sql->planner.why = NULL;
    orma_buf_clear(out);
    cr_assert_eq(orma_runner_new(e->sql, "test", orma_str_from(query), &runner), 0);
    if (orma_runner_next(runner, &stmt) != 1) {
        orma_runner_free(runner);
        return FAILED;
    }
    for (unsigned i = 0; values && i < stmt->params; i++)
        bind(stmt, i + 1, values->literals[i]);
    struct orma_exec_plan *plan = NULL;
    while ((r = orma_sql_stmt_step(stmt)) > 0) {
        orma_buf_put_str(out, "\n");
        for (int i = 0; i < sqlite3_column_count(stmt->stmt); i++)
            gen_put_cell(out, stmt->stmt, i);
    }
    plan = orma_exec_plan_of(e->sql, stmt->stmt);
    orma_buf_put_str(out, "\n");
    for (int i = 0; i < sqlite3_column_count(stmt->stmt); i++)
        orma_buf_printf(out, "%s|", sqlite3_column_name(stmt->stmt, i));
    if (r < 0)
        orma_buf_printf(out, "\nerror %s", orma_sql_error_text(e->sql));
    bool ours = plan && !e->sql->planner.why;
    looked = orma_exec_rows_read(plan);
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    return ours ? BY_US : plan ? TRIED : BY_SQLITE;
}

static enum ran run(struct engine *e, const char *query, enum orma_exec_mode mode,
                    struct orma_buf *out)
{
    return run_with(e, query, NULL, mode, out);
}

/* Each query is taken, and gives what it gives without the executor. */
static void expect_same(struct engine *e, const char *const *queries, size_t num)
{
    struct orma_buf with = {0}, without = {0};

    for (size_t i = 0; i < num; i++) {
        cr_expect_eq(run(e, queries[i], ORMA_EXEC_MODE_ON, &with), BY_US, "%s: %s", queries[i],
                     e->sql->planner.why);
        run(e, queries[i], ORMA_EXEC_MODE_OFF, &without);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without), "%s\n%.300s\n%.300s",
                         queries[i], orma_buf_cstr(&with), orma_buf_cstr(&without));
    }
    orma_buf_fini(&with);
    orma_buf_fini(&without);
}

/* Over these tables, and nothing else. */
static void expect_same_over(const char *tables, const char *const *queries, size_t num)
{
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "tables", tables, "");
    expect_same(&e, queries, num);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Functions whose frame SQLite sets itself do not give it to others over the same window. */
Test(runner, keeps_frames_of_windows_apart)
{
    static const char *const queries[] = {
        "SELECT lag(id) OVER (ORDER BY k), sum(id) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) "
        "FROM t1",
        "SELECT rank() OVER (ORDER BY k ROWS UNBOUNDED PRECEDING), sum(id) OVER (ORDER BY k) "
        "FROM t1",
        "SELECT sum(id) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING), row_number() OVER (ORDER BY "
        "k), sum(id) OVER (ORDER BY k) FROM t1",
    };
    expect_same_over(query_gen_tables, queries, ORMA_ARRAY_LEN(queries));
}

/* What was rounded stays behind when a double leaves a frame: sums show in which order SQLite adds
 * and takes away. */
Test(runner, adds_up_doubles_of_frames_that_move)
{
    static const char mixed[] =
        "CREATE TABLE p(id INTEGER, k INTEGER, d DOUBLE);"
        "INSERT INTO p WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
        "4999) SELECT i, i * 31 % 7, CASE i * 7919 % 5 WHEN 0 THEN NULL WHEN 1 THEN i / 3.0 WHEN 2 "
        "THEN 1e15 + i / 7.0 WHEN 3 THEN -1e15 - i / 11.0 ELSE 0.1 END FROM n;"
        "CREATE PERFETTO TABLE t AS SELECT * FROM p;";
#define OVER(what, frame)                                                                          \
    "SELECT id, " what " OVER (PARTITION BY k ORDER BY id ROWS BETWEEN " frame ") AS x FROM t"
    static const char *const queries[] = {
        OVER("sum(d)", "3 PRECEDING AND CURRENT ROW"),
        OVER("avg(d)", "10 PRECEDING AND 2 FOLLOWING"),
        OVER("total(d)", "5 PRECEDING AND 2 PRECEDING"),
        OVER("sum(d)", "CURRENT ROW AND 4 FOLLOWING"),
        OVER("sum(d)", "CURRENT ROW AND CURRENT ROW"),
        OVER("avg(d)", "2 PRECEDING AND UNBOUNDED FOLLOWING"),
        OVER("sum(iif(id % 3, d, id * 1000000007))", "6 PRECEDING AND 1 FOLLOWING"),
        OVER("sum(d * 1e293)", "4 PRECEDING AND CURRENT ROW"),
        "SELECT avg(d) OVER (ORDER BY id ROWS 7 PRECEDING) AS x, sum(id) OVER (ORDER BY id ROWS 7 "
        "PRECEDING) AS y FROM t",
    };
#undef OVER
    expect_same_over(mixed, queries, ORMA_ARRAY_LEN(queries));
}

/* IS is weaker than what compares and computes: "IS NULL" ends only where nothing such follows. */
Test(runner, binds_null_to_what_follows_it)
{
    static const char *const queries[] = {
        "SELECT count(*) AS n FROM t1 WHERE v IS NULL >= 3",
        "SELECT count(*) AS n FROM t1 WHERE v IS NOT NULL < 1",
        "SELECT id, v IS NULL + 1 AS x, v IS NULL || s AS y FROM t1",
        "SELECT id, v IS NOT NULL & 0 AS x, v IS NULL = 1 AS y, v IS NULL IS NULL AS z FROM t1",
        "SELECT id, v ISNULL < 1 AS x, v NOTNULL < 1 AS y, v NOT NULL < 1 AS z FROM t1",
        "SELECT id FROM t1 WHERE v IS NULL AND id > 3 OR v IS NOT NULL = 0",
    };

    expect_same_over(query_gen_tables, queries, ORMA_ARRAY_LEN(queries));
}

/* Keys of few bits, of many, of more than 64 with the row, in order already, with NULL at either
 * end; over many blocks. */
Test(runner, sorts_many_rows)
{
    static const char many[] =
        "CREATE TABLE p(id INTEGER, ts INTEGER, k INTEGER, w INTEGER, h INTEGER, s TEXT, d DOUBLE);"
        "INSERT INTO p WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
        "9999) SELECT i, i / 3, iif(i % 7, i * 31 % 13, NULL), i * 7919 % 100003, "
        "iif(i % 5, i * 922337203685477, -i * 922337203685477), iif(i % 6, "
        "substr('hgfedcba', i * 7 % 8 + 1, i % 2 + 1), NULL), iif(i % 9, i * 37 % 1000 / 8.0, "
        "NULL) "
        "FROM n; CREATE PERFETTO TABLE t AS SELECT * FROM p;"
        "CREATE PERFETTO TABLE u AS SELECT id, id / 1700 AS ts, k, s FROM p;";
    static const char *const queries[] = {
        "SELECT id, k FROM t ORDER BY k",
        "SELECT id, k FROM t ORDER BY k DESC",
        "SELECT id, k FROM t ORDER BY k DESC NULLS FIRST, ts DESC",
        "SELECT id, k FROM t ORDER BY k NULLS LAST, w, ts",
        "SELECT id, s FROM t ORDER BY s DESC, k",
        "SELECT id, s FROM t ORDER BY w, s LIMIT 3000 OFFSET 2000",
        "SELECT id FROM t ORDER BY h, w DESC",
        "SELECT id FROM t ORDER BY h DESC, w, d",
        "SELECT id FROM t ORDER BY d",
        "SELECT id FROM t ORDER BY d DESC, s LIMIT 100 OFFSET 7",
        "SELECT id FROM t ORDER BY ts, w",
        "SELECT id FROM t ORDER BY ts DESC, k, w",
        "SELECT id FROM t ORDER BY ts DESC",
        "SELECT id, s FROM t WHERE k > 3 ORDER BY ts DESC LIMIT 70 OFFSET 5",
        "SELECT id FROM u ORDER BY ts DESC",
        "SELECT id, s FROM u WHERE k > 3 ORDER BY ts DESC",
        "SELECT id FROM t ORDER BY w % 40 DESC LIMIT 40",
        "SELECT id FROM t ORDER BY w + 1, k LIMIT 5",
        "SELECT id, lead(ts) OVER (PARTITION BY k ORDER BY ts) FROM t",
        "SELECT id, lag(w, 3) OVER (PARTITION BY s ORDER BY h DESC) FROM t",
        ("SELECT id, rank() OVER (PARTITION BY k % 3, s ORDER BY d), sum(w) OVER (ORDER BY ts) "
         "FROM "
         "t"),
        "SELECT k, s, count(*), sum(w) FROM t GROUP BY k, s ORDER BY 3 DESC LIMIT 20 OFFSET 5",
        "SELECT DISTINCT k, s FROM t ORDER BY s, k DESC",
        "SELECT max(id) FROM (SELECT id FROM t ORDER BY w DESC, id LIMIT -1 OFFSET 1000)",
    };
    expect_same_over(many, queries, ORMA_ARRAY_LEN(queries));
}

/* Results are tried before the first row is out; whether a call is worth it is decided then. Else
 * SQLite would begin anew behind the rows that were given. */
Test(runner, gives_up_before_the_first_row_or_never)
{
    static const char *const sizes[] = {"16000", "20000", "32767", "32769", "40000", "65537"};
    static const char query[] = "SELECT quote(id) || quote(k) FROM t ORDER BY id";
    struct orma_buf with = {0}, without = {0}, sql = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sizes); i++) {
        struct engine e;

        engine_init(&e);
        orma_buf_clear(&sql);
        orma_buf_printf(
            &sql,
            "CREATE TABLE p(id INTEGER, k INTEGER); INSERT INTO p WITH RECURSIVE n(i) AS (SELECT "
            "0 UNION ALL SELECT i + 1 FROM n WHERE i < %s) SELECT i, i %% 5 FROM n;"
            "CREATE PERFETTO TABLE t AS SELECT id, k FROM p;",
            sizes[i]);
        engine_expect(&e, "tables", orma_buf_cstr(&sql), "");
        e.sql->planner.by_columns = true;
        (void)run(&e, query, ORMA_EXEC_MODE_AUTO, &with);
        (void)run(&e, query, ORMA_EXEC_MODE_OFF, &without);
        cr_expect(!strcmp(orma_buf_cstr(&with), orma_buf_cstr(&without)), "%s rows", sizes[i]);
        engine_fini(&e);
    }
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    orma_buf_fini(&sql);
    orma_assert_no_leaks();
}

/* Rows of a scan with an equality come as columns where there are many. */
Test(runner, guesses_how_many_rows_are_equal)
{
    static const char tables[] =
        "CREATE TABLE p(id INTEGER, k INTEGER, s TEXT, d DOUBLE, n INTEGER); INSERT INTO p WITH "
        "RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 19999) SELECT i, "
        "i * 7 / 3 % 2, char(97 + i / 7 % 3), i % 2, NULL FROM c; CREATE PERFETTO TABLE t AS "
        "SELECT "
        "* FROM p;";
    static const struct {
        const char *query;
        bool ours;
    } cases[] = {
        {"SELECT id, s FROM t WHERE k = 1", true},
        {"SELECT id FROM t WHERE s = 'b'", true},
        {"SELECT id FROM t WHERE 0 = k AND s != 'a'", true},
        {"SELECT id FROM t WHERE s IN ('a', 'x', 'c')", true},
        {"SELECT id FROM t WHERE id = 17", false},
        {"SELECT id FROM t WHERE s = 'x'", false},
        {"SELECT id FROM t WHERE n = 0", false},
        {"SELECT id FROM t WHERE k = 1 AND id IN (1, 2, 3)", false},
        {"SELECT id FROM t WHERE k = 1 LIMIT 100", false},
    };
    struct orma_buf with = {0}, without = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "tables", tables, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        e.sql->planner.by_columns = true;
        cr_expect_eq(run(&e, cases[i].query, ORMA_EXEC_MODE_AUTO, &with) == BY_US, cases[i].ours,
                     "%s", cases[i].query);
        run(&e, cases[i].query, ORMA_EXEC_MODE_OFF, &without);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without), "%s", cases[i].query);
    }
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Texts of a group are put together in the order of its rows. */
Test(runner, puts_texts_of_groups_together)
{
    static const char *const queries[] = {
        "SELECT k, group_concat(s), count(*) FROM t1 GROUP BY k",
        "SELECT k, group_concat(v, ''), group_concat(s, ' | ') FROM t1 GROUP BY k",
        "SELECT s, group_concat(id) AS ids FROM t1 WHERE id % 3 GROUP BY s HAVING ids != '7' "
        "ORDER BY ids DESC",
        "SELECT group_concat(s) FROM t1 WHERE id < 0",
        "SELECT k, group_concat(s) FILTER (WHERE v > 5) FROM t1 GROUP BY k ORDER BY 2 LIMIT 4",
        "SELECT group_concat(s), group_concat(id, '') FROM t1",
        "SELECT a.k, group_concat(b.id) FROM t1 a JOIN t2 b ON b.id = a.k GROUP BY a.k",
        "SELECT id, (SELECT group_concat(s) FROM t2 b WHERE b.k = a.k) FROM t1 a",
        "SELECT length(group_concat(s)) + 1, group_concat(upper(s)) FROM t1 GROUP BY k, id % 3",
        "SELECT group_concat(s) || group_concat(k) FROM t1 GROUP BY id % 7 ORDER BY 1",
    };

    expect_same_over(query_gen_tables, queries, ORMA_ARRAY_LEN(queries));
}

/* A set of values for each row is looked into by value and key. */
Test(runner, looks_into_sets_that_depend_on_the_row)
{
    static const char *const queries[] = {
        "SELECT id FROM t1 a WHERE v IN (SELECT v FROM t2 b WHERE b.k = a.k)",
        "SELECT id FROM t1 a WHERE v NOT IN (SELECT v FROM t2 b WHERE b.k = a.k)",
        "SELECT id, v IN (SELECT v FROM t2 b WHERE b.k = a.k AND b.v IS NOT NULL) FROM t1 a",
        "SELECT id, v NOT IN (SELECT v FROM t2 b WHERE b.id = a.v) FROM t1 a",
        "SELECT id, s IN (SELECT s FROM t2 b WHERE b.k = a.k AND b.id > 5) FROM t1 a",
        "SELECT id, s NOT IN (SELECT s FROM t2 b WHERE b.k = a.k AND a.s = b.s) FROM t1 a",
        "SELECT id, k + 1 IN (SELECT DISTINCT v % 9 FROM t2 b WHERE a.k = b.k ORDER BY b.id) FROM "
        "t1 a",
        "SELECT count(*) FROM t1 a WHERE NULL IN (SELECT v FROM t2 b WHERE b.k = a.k)",
        "SELECT count(*) FROM t1 a WHERE NULL NOT IN (SELECT v FROM t2 b WHERE b.k = a.v)",
    };

    expect_same_over(query_gen_tables, queries, ORMA_ARRAY_LEN(queries));
}

/* Joins that find one row at most do not matter to the order of rows; others do. */
Test(runner, knows_what_comes_once)
{
    static const char *const queries[] = {
        ("SELECT a.id, b.n FROM t1 a LEFT JOIN (SELECT k, sum(v % 9) AS n FROM t2 GROUP BY k) b "
         "ON b.k = a.k"),
        "SELECT a.id, b.k FROM t1 a JOIN (SELECT DISTINCT k FROM t2) b ON b.k = a.k",
        "SELECT s, max(ts), id, k FROM t1 GROUP BY s ORDER BY 2 DESC",
        "SELECT k, id, s FROM t1 GROUP BY k",
        "SELECT k % 3 AS m, min(s), max(v), id, d FROM t1 GROUP BY m",
    };
    static const char *const left[] = {
        "SELECT a.id, b.n, b.s FROM t1 a LEFT JOIN (SELECT k, s, -max(v % 9) AS n FROM t2 GROUP BY "
        "k, "
        "s) b ON b.k = a.k",
        "SELECT ts, max(v), id FROM t1 GROUP BY ts ORDER BY ts DESC",
        "SELECT max(k), id FROM t1",
    };
    struct orma_buf out = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    expect_same(&e, queries, ORMA_ARRAY_LEN(queries));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(left); i++)
        cr_expect_neq(run(&e, left[i], ORMA_EXEC_MODE_ON, &out), BY_US, "%s", left[i]);
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Of a LEFT JOIN with a query that has no rows, nobody may look at one. */
Test(runner, joins_with_nothing)
{
    static const char *const queries[] = {
        ("SELECT a.id, b.n, b.n + a.id FROM t1 a LEFT JOIN (SELECT id, lag(v) OVER (ORDER BY id) "
         "AS "
         "n FROM t2 WHERE k > 100) b ON b.id = a.id"),
        ("SELECT a.k, sum(coalesce(CAST(b.n AS INT), 1)) FROM t1 a LEFT JOIN (SELECT id, "
         "coalesce(v - lag(v) OVER (ORDER BY id), min(v, coalesce(lead(v) OVER (ORDER BY id), v))) "
         "AS n FROM t2 WHERE k > 100) b ON b.id = a.id GROUP BY 1"),
        ("SELECT a.id, b.n FROM t1 a LEFT JOIN (SELECT k, count(*) + 1 AS n FROM t2 WHERE k > 100 "
         "GROUP BY k) b ON b.k = a.k"),
        ("SELECT a.id, b.n FROM t1 a LEFT JOIN (SELECT DISTINCT k, v + 1 AS n FROM t2 WHERE k > "
         "100) "
         "b ON b.k = a.k"),
        ("SELECT a.id, b.n FROM t1 a LEFT JOIN (SELECT id, v AS n FROM t2 WHERE k > 100 UNION ALL "
         "SELECT id, s FROM t3 WHERE k > 100) b ON b.id = a.id WHERE b.n IS NULL"),
    };
    expect_same_over(query_gen_tables, queries, ORMA_ARRAY_LEN(queries));
}

/* A row that is given by its number makes constants of what it is compared with. */
Test(runner, follows_what_a_given_row_says)
{
    static const char many[] =
        "CREATE PERFETTO TABLE m AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 9999) SELECT i AS id, nullif(i / 10, 7) AS up, i % 100 AS k FROM n;";
    static const char *const queries[] = {
        "SELECT c.id, p.up FROM m p JOIN m c ON c.up = p.id WHERE p.id = 21",
        "SELECT c.id, p.up FROM m p JOIN m c ON c.up = p.id WHERE p.id = 7",
        "SELECT c.id, p.id FROM m p JOIN m c ON c.up = p.up WHERE p.id = 75",
        "SELECT c.id, p.id FROM m p JOIN m c ON c.up = p.up AND c.k = p.k WHERE p.id = 215",
        "SELECT c.id, d.id FROM m p JOIN m c ON c.up = p.id JOIN m d ON d.k = p.k WHERE p.id = 3",
        "SELECT p.id, c.id FROM m p LEFT JOIN m c ON c.up = p.id AND c.k > 15 WHERE p.id = 31",
        "SELECT p.id, c.id FROM m p LEFT JOIN m c ON c.up = p.id WHERE p.id = 5000",
        "SELECT count(*) FROM m p JOIN m c ON c.k = p.id WHERE p.id = 21 AND c.up = p.k",
        "SELECT c.id FROM m p JOIN m c ON c.up = p.id WHERE p.id = 21 AND p.id = 22",
        "SELECT c.id FROM m p JOIN m c ON c.up = p.id WHERE p.id = 123456",
        "SELECT a.id, b.s FROM t1 a JOIN t2 b ON b.v = a.k WHERE a.k = 11",
    };
    static const struct {
        const char *query;
        uint64_t most;
    } looks[] = {
        {"SELECT count(*) FROM m p JOIN m c ON c.up = p.id WHERE p.id = 21", 20},
        {"SELECT count(*) FROM m p JOIN m c ON c.up = p.up AND c.k = p.k WHERE p.id = 215", 20},
    };
    struct orma_buf out = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    engine_expect(&e, "many", many, "");
    expect_same(&e, queries, ORMA_ARRAY_LEN(queries));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(looks); i++) {
        cr_expect_eq(run(&e, looks[i].query, ORMA_EXEC_MODE_ON, &out), BY_US);
        cr_expect_leq(looked, looks[i].most, "%s: %u rows", looks[i].query, (unsigned)looked);
    }
    cr_expect_eq(run(&e, "SELECT count(*) FROM m a JOIN m b ON b.id = a.up WHERE a.id = 5",
                     ORMA_EXEC_MODE_AUTO, &out),
                 BY_SQLITE);
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Functions of scripts that may give something else the next time, or fail where SQLite would not
 * call them; a few rows that look something up in a large table. */
Test(runner, leaves_to_sqlite_what_depends_on_it)
{
    static const char made[] =
        "CREATE PERFETTO FUNCTION drawn(x LONG) RETURNS LONG AS SELECT random() % 2 + $x;"
        "CREATE PERFETTO FUNCTION by_way(x LONG) RETURNS LONG AS SELECT drawn($x);"
        "CREATE PERFETTO FUNCTION half(x LONG) RETURNS LONG AS SELECT $x / 2;"
        "CREATE PERFETTO TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 "
        "FROM n WHERE i < 9999) SELECT i AS id, i % 5000 AS k FROM n;";
    static const struct {
        const char *query, *why;
        enum orma_exec_mode mode;
    } cases[] = {
        {"SELECT sum(drawn(k)) FROM t1", "a function that the executor does not know",
         ORMA_EXEC_MODE_ON},
        {"SELECT sum(by_way(k)) FROM t1", "a function that the executor does not know",
         ORMA_EXEC_MODE_ON},
        {"SELECT sum(half(k)) FROM t1", NULL, ORMA_EXEC_MODE_ON},
        {"SELECT count(*) FROM t1 WHERE half(k) > 3", NULL, ORMA_EXEC_MODE_ON},
        {"SELECT count(*) FROM t1 WHERE half(k) > 3 AND v > 3", "a function that may fail",
         ORMA_EXEC_MODE_ON},
        {"SELECT sum((SELECT count(*) FROM many o WHERE o.k = a.id)) FROM many a", NULL,
         ORMA_EXEC_MODE_AUTO},
        {"SELECT sum((SELECT count(*) FROM many o WHERE o.k = a.id)) FROM many a WHERE id < 1 + 4",
         "few rows that look something up", ORMA_EXEC_MODE_AUTO},
    };
    struct orma_buf out = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    engine_expect(&e, "functions", made, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        enum ran ran = run(&e, cases[i].query, cases[i].mode, &out);
        const char *why = e.sql->planner.why;

        cr_expect_eq(ran == BY_US, !cases[i].why, "%s: %s", cases[i].query, why);
        if (cases[i].why)
            cr_expect_str_eq(why ? why : "", cases[i].why, "%s", cases[i].query);
    }
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* ---- parameters ---- */

/* Half of the literals become parameters. */
static void take_literals(struct query_gen *g, const char *query, struct orma_buf *out,
                          struct values *ret)
{
    struct orma_str text = orma_str_from(query);
    struct orma_token tok = orma_token_next(text, 0);

    orma_buf_clear(out);
    ret->num = 0;
    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next(text, tok.at + tok.len)) {
        bool literal = tok.kind == ORMA_TOK_NUMBER || tok.kind == ORMA_TOK_STRING;

        if (!literal || below(g, 2) || ret->num == ORMA_ARRAY_LEN(ret->literals)) {
            orma_buf_put(out, text.data + tok.at, tok.len);
            continue;
        }
        ret->literals[ret->num++] = orma_token_text(text, tok);
        orma_buf_printf(out, "?");
    }
}

Test(runner, takes_values_of_parameters)
{
    uint64_t first = (uint64_t)gen_number_of("ORMA_TEST_SEED", 1) * 1000033;
    unsigned queries = gen_number_of("ORMA_TEST_QUERIES", QUERIES) / 3, taken = 0, valid = 0;
    struct orma_buf with = {0}, without = {0}, text = {0};
    struct query_gen g = {0};
    struct values values;
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    for (unsigned i = 0; i < queries; i++) {
        const char *query = query_gen_make(&g, first + i * 7919u);

        take_literals(&g, query, &text, &values);
        if (!values.num)
            continue;
        query = orma_buf_cstr(&text);
        enum ran ran = run_with(&e, query, &values, ORMA_EXEC_MODE_ON, &with);
        valid += ran != FAILED;
        taken += ran == BY_US;
        if (ran == FAILED)
            continue;
        run_with(&e, query, &values, ORMA_EXEC_MODE_OFF, &without);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without),
                         "%u: %s\n--- ours\n%.700s\n--- SQLite\n%.700s", i, query,
                         orma_buf_cstr(&with), orma_buf_cstr(&without));
    }
    cr_expect_eq(e.sql->planner.unlike, 0, "%u with other columns", e.sql->planner.unlike);
    cr_expect_gt(valid, queries / 3, "%u of %u queries are valid", valid, queries);
    cr_expect_gt(taken, valid / 4, "%u of %u queries were taken", taken, valid);
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    orma_buf_fini(&text);
    orma_buf_fini(&g.text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* All values of all types, names that come twice, what no literal says, and what would mean
 * something else as a literal. */
Test(runner, knows_what_parameters_mean)
{
    static const struct {
        const char *query;
        const char *values[4];
        bool ours;
    } cases[] = {
        {"SELECT id, k + ?1 + :x, :x FROM t1 WHERE k > ?1 ORDER BY d, id", {"3", "-7"}, true},
        {"SELECT ?2, count(*) FROM t1 WHERE s = ?1 GROUP BY k", {"'a''b'", "'''\"'"}, true},
        {"SELECT d * ?, typeof(?), - ? FROM t1 ORDER BY k, id", {"0.1", "1e300", "-3"}, true},
        {"SELECT id, -(?1), - ?1 FROM t1 ORDER BY k, id", {"0.0"}, true},
        {"SELECT sum(d + ?) FROM t1 GROUP BY k", {"0.30000000000000004"}, true},
        {"SELECT v FROM t1 ORDER BY k, id LIMIT ? OFFSET ?", {"7", "3"}, true},
        {"SELECT v FROM t1 ORDER BY v, id LIMIT ?", {"'x'"}, false},
        {"SELECT max(v) + ? FROM t1 GROUP BY k", {"9223372036854775807"}, true},
        {"SELECT sum(v + ?) FROM t1", {"-9223372036854775808"}, false},
        {"SELECT k, v FROM t1 ORDER BY ?, id DESC", {"2"}, false},
        {"SELECT k, count(*) FROM t1 GROUP BY s, ?", {"1"}, false},
        {"SELECT k, count(*) FROM t1 WHERE s IN (?, ?, ?) GROUP BY k", {"'a'", "'b'", "7"}, true},
        {"SELECT a.id, ? FROM t1 a JOIN t2 b ON b.k = a.k AND b.v > ? ORDER BY b.id, a.id",
         {"'a'", "5"},
         true},
    };
    struct orma_buf with = {0}, without = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct values values = {0};

        for (unsigned k = 0; k < 4 && cases[i].values[k]; k++)
            values.literals[values.num++] = orma_str_from(cases[i].values[k]);
        enum ran ran = run_with(&e, cases[i].query, &values, ORMA_EXEC_MODE_ON, &with);
        cr_expect_eq(ran == BY_US, cases[i].ours, "%s: %d %s", cases[i].query, ran,
                     e.sql->planner.why);
        run_with(&e, cases[i].query, &values, ORMA_EXEC_MODE_OFF, &without);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without), "%s\n%.300s\n%.300s",
                         cases[i].query, orma_buf_cstr(&with), orma_buf_cstr(&without));
    }
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Each pass over many rows looks, once a block or once for some thousands of steps: a pass that
 * does not makes the sum fall below these, which are four fifths of what it is. */
Test(runner, looks_often_whether_it_should_stop)
{
    static const struct {
        const char *query;
        unsigned least;
    } cases[] = {
        {"SELECT count(*) FROM (SELECT h, count(*), sum(k) FROM m GROUP BY h)", 1500},
        {"SELECT count(*) FROM (SELECT k, h, id, min(s) FROM m GROUP BY k, h, id)", 2200},
        {"SELECT count(*) FROM (SELECT DISTINCT h, k FROM m)", 1000},
        {"SELECT count(DISTINCT h) FROM m", 500},
        {"SELECT max(d) FROM (SELECT id - lag(id) OVER (ORDER BY h) AS d FROM m)", 1400},
        {"SELECT max(h) FROM (SELECT h FROM m ORDER BY h LIMIT -1 OFFSET 10)", 1200},
        {"SELECT count(*) FROM m a JOIN m b ON b.h = a.h", 900},
        {"SELECT count(*) FROM (SELECT h FROM m UNION SELECT id FROM m)", 2400},
        {"SELECT count(*) FROM m a WHERE EXISTS (SELECT 1 FROM m b WHERE b.h = a.id)", 700},
        {"SELECT median(h) FROM m GROUP BY k", 450},
    };
    struct orma_buf out = {0};
    struct engine e;

    engine_init(&e);
    e.sql->crew = NULL; /* others do not count how often they look */
    engine_expect(&e, "rows",
                  "CREATE PERFETTO TABLE m AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i "
                  "+ 1 FROM n WHERE i < 299999) SELECT i AS id, i % 17 AS k, i * 7919 % 1000003 * "
                  "1000003 AS h, printf('%d', i % 5) AS s FROM n",
                  "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint64_t before = e.sql->limits.memory.looks;

        cr_expect_eq(run(&e, cases[i].query, ORMA_EXEC_MODE_ON, &out), BY_US, "%s: %s",
                     cases[i].query, e.sql->planner.why);
        uint64_t looks = e.sql->limits.memory.looks - before;
        cr_expect_geq(looks, cases[i].least, "%s: %u", cases[i].query, (unsigned)looks);
    }
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(runner, gives_what_sqlite_gives)
{
    uint64_t first = (uint64_t)gen_number_of("ORMA_TEST_SEED", 1) * 1000003;
    unsigned queries = gen_number_of("ORMA_TEST_QUERIES", QUERIES), taken = 0, valid = 0;
    struct query_gen g = {0};
    struct engine e;
    struct orma_buf with = {0}, without = {0};

    engine_init(&e);
    engine_expect(&e, "rows", query_gen_tables, "");
    for (unsigned i = 0; i < queries; i++) {
        const char *query = query_gen_make(&g, first + i * 7919u);
        enum ran ran = run(&e, query, ORMA_EXEC_MODE_ON, &with);

        if (getenv("ORMA_TEST_SHOW") && (ran == BY_SQLITE || ran == TRIED))
            fprintf(stderr, "%s: %s\n", e.sql->planner.why ? e.sql->planner.why : "-", query);
        valid += ran != FAILED;
        taken += ran == BY_US;
        if (ran == FAILED)
            continue;
        run(&e, query, ORMA_EXEC_MODE_OFF, &without);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without),
                         "%u: %s\n--- ours\n%.700s\n--- SQLite\n%.700s", i, query,
                         orma_buf_cstr(&with), orma_buf_cstr(&without));
    }
    if (getenv("ORMA_TEST_SHOW"))
        fprintf(stderr, "%u of %u\n", taken, valid);
    cr_expect_eq(e.sql->planner.unlike, 0, "%u with other columns", e.sql->planner.unlike);
    cr_expect_gt(valid, queries * 8 / 10, "%u of %u queries are valid", valid, queries);
    cr_expect_gt(taken, queries / 3, "%u of %u queries were taken", taken, queries);
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    orma_buf_fini(&g.text);
    engine_fini(&e);
    orma_assert_no_leaks();
}
