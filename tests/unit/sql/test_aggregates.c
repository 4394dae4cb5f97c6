/*
 * Generated queries, three ways: by the executor, by SQLite over our tables, and by
 * plain SQLite tables with the same rows. Rows, types, names and errors must be
 * the same; order too between the first two, and with plain tables where the
 * query decides about it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/exec/exec.h"
#include "processor/sql/functions/functions.h"
#include "processor/sql/tables/index.h"
#include "processor/sql/tables/sort.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"
#include "tests/unit/sql/generator.h"

#define ROWS 1500
#define QUERIES 4000
/* More than the tail of a table has: the others lie in blocks. */
#define MANY_ROWS 37000
#define MANY_QUERIES 100

/* Whatever ORMA_EXEC says. */
static void begin(struct engine *e)
{
    engine_init(e);
    e->sql->planner.exec = ORMA_EXEC_MODE_ON;
}

struct gen {
    uint64_t seed;
    struct orma_buf text;
    bool total_order; /* the query decides about the order of all its rows */
};

/* Columns: r the row; a few integers; b large ones; c texts; d, e doubles; s rising; n all NULL;
 * u texts, all different; f doubles with infinities and both zeros. */
static const char make_rows[] =
    "WITH RECURSIVE i(r) AS (SELECT 0 UNION ALL SELECT r + 1 FROM i WHERE r + 1 < %u),"
    " x AS (SELECT r, (r * 7919 + r / 3) %% 101 AS h FROM i) "
    "SELECT r, CASE WHEN h < 9 THEN NULL ELSE h %% 13 - 4 END AS a,"
    " CASE WHEN h = 50 AND r > 700 THEN 9223372036854775807 - r WHEN h = 51 THEN "
    "-9223372036854775807 + r"
    "  WHEN h = 7 THEN NULL ELSE h * h * 1000003 END AS b,"
    " CASE WHEN h %% 11 = 0 THEN NULL WHEN h %% 5 = 1 THEN '' ELSE substr('abcABCxyz', h %% 9 + 1, "
    "h %% 3 + 1)"
    "  END AS c,"
    " CASE WHEN h %% 17 = 0 THEN NULL ELSE h / 4.0 - 7 END AS d,"
    " CASE WHEN h %% 19 = 0 THEN NULL ELSE h * 1.0 END AS e,"
    " r / 3 + 10 AS s, NULL AS n, 'text ' || (r * 31 %% 1511) AS u, h * 2000000000 AS w,"
    " CASE h %% 8 WHEN 1 THEN 9e999 WHEN 2 THEN -9e999 WHEN 3 THEN -0.0 WHEN 4 THEN 0.0 WHEN 5 "
    "THEN 2.5 * h WHEN 6 THEN 9007199254740993.0 WHEN 7 THEN -1e-300 END AS f FROM x";

static const char *column(struct gen *g)
{
    return PICK(g, "r", "a", "a", "b", "c", "c", "d", "e", "s", "n", "u", "w", "f");
}

static const char *number_column(struct gen *g)
{
    return PICK(g, "r", "a", "a", "b", "d", "e", "s", "n", "w", "f");
}

static void put(struct gen *g, const char *text)
{
    orma_buf_put_str(&g->text, text);
}

static void put_literal(struct gen *g)
{
    switch (below(g, 9)) {
    case 0:
    case 1:
    case 2:
        orma_buf_printf(&g->text, "%d", (int)below(g, 30) - 8);
        break;
    case 3:
        orma_buf_printf(&g->text, "%u", below(g, 2000));
        break;
    case 4:
        orma_buf_printf(&g->text, "%d.%u", (int)below(g, 40) - 10, below(g, 4) * 25);
        break;
    case 5:
        put(g, PICK(g, "9223372036854775807", "-9223372036854775808", "1e30", "-1e300", "0.0",
                    "-0.0", "2147483648", "100000000000", "9e999", "-9e999", "9007199254740993",
                    "9007199254740992.0", "9223372036854775808", "1e-301", "TRUE", "x''"));
        break;
    case 6:
    case 7:
        put(g, PICK(g, "'a'", "'AB'", "''", "'cA'", "'7'", "'x'", "'2.5'", "'none'", "'text 7'"));
        break;
    case 8:
        put(g, PICK(g, "NULL", "3", "x'61'", "'it''s'"));
        break;
    }
}

static void put_list(struct gen *g)
{
    put(g, "(");
    for (uint32_t i = below(g, below(g, 9) ? 5 : 40) + 1; i; i--) {
        put_literal(g);
        put(g, i > 1 ? ", " : ")");
    }
}

static void put_comparison(struct gen *g);

/* What the columns leave to SQLite, in part or as a whole. */
static void put_odd_comparison(struct gen *g)
{
    const char *col = column(g);

    switch (below(g, 9)) {
    case 0:
        orma_buf_printf(&g->text, "%s NOT IN ", col);
        put_list(g);
        return;
    case 1:
        orma_buf_printf(&g->text, "%s NOT BETWEEN ", col);
        put_literal(g);
        put(g, " AND ");
        put_literal(g);
        return;
    case 2:
        orma_buf_printf(&g->text, "%s %s ", col, PICK(g, "IS", "IS NOT", "IS DISTINCT FROM"));
        put_literal(g);
        return;
    case 3:
        /* Numbers with numbers only: with a text, and a constant for one of them elsewhere, SQLite
         * does not tell a virtual table what to convert. */
        orma_buf_printf(&g->text, "%s %s %s", number_column(g), PICK(g, "=", "<", ">=", "!=", "IS"),
                        number_column(g));
        return;
    case 4:
        put(g, "(");
        put_comparison(g);
        put(g, PICK(g, " OR ", " AND ", " OR NOT "));
        put_comparison(g);
        put(g, ")");
        return;
    case 5:
        put(g, "NOT (");
        put_comparison(g);
        put(g, ")");
        return;
    case 6:
        orma_buf_printf(&g->text, "%s %s %s", col, PICK(g, "LIKE", "NOT LIKE", "GLOB", "NOT GLOB"),
                        PICK(g, "'1%'", "'%e%'", "'*.5'", "'?'", "'B'", "'a'", "NULL", "7",
                             "'text 1%'", "'text 1*'"));
        return;
    case 7:
        orma_buf_printf(&g->text, "%s%s COLLATE NOCASE %s ", PICK(g, "", "+"), col,
                        PICK(g, "=", "<", ">"));
        put_literal(g);
        return;
    case 8:
        orma_buf_printf(&g->text, "%s%s %s ", PICK(g, "+", "-", "1 + "), col,
                        PICK(g, "=", "<", ">", "<>"));
        put_literal(g);
        return;
    }
}

static void put_comparison(struct gen *g)
{
    const char *col = column(g);

    switch (below(g, 12)) {
    case 0:
        orma_buf_printf(&g->text, "%s IS %sNULL", col, below(g, 2) ? "NOT " : "");
        return;
    case 1:
        orma_buf_printf(&g->text, "%s BETWEEN ", col);
        put_literal(g);
        put(g, " AND ");
        put_literal(g);
        return;
    case 2:
        orma_buf_printf(&g->text, "%s IN ", col);
        put_list(g);
        return;
    case 3:
        orma_buf_printf(&g->text, "c %s '%s'", below(g, 2) ? "GLOB" : "LIKE",
                        PICK(g, "a*", "*b*", "A%", "%z", "", "[a-c]*", "_"));
        return;
    case 4:
        put_literal(g);
        orma_buf_printf(&g->text, " %s %s", PICK(g, "=", "<", ">=", "!="), col);
        return;
    case 5:
    case 6:
        put_odd_comparison(g);
        return;
    default:
        orma_buf_printf(&g->text, "%s %s ", col,
                        PICK(g, "=", "==", "<>", "!=", "<", "<=", ">", ">="));
        put_literal(g);
    }
}

static void put_where(struct gen *g)
{
    uint32_t num = below(g, 4);

    for (uint32_t i = 0; i < num; i++) {
        put(g, i ? " AND " : " WHERE ");
        put_comparison(g);
    }
}

static void put_agg(struct gen *g)
{
    switch (below(g, 12)) {
    case 0:
        put(g, "count(*)");
        break;
    case 1:
        orma_buf_printf(&g->text, "count(%s%s)", below(g, 3) ? "" : "DISTINCT ", column(g));
        break;
    case 2:
    case 3:
        orma_buf_printf(&g->text, "sum(%s)", number_column(g));
        break;
    case 4:
        orma_buf_printf(&g->text, "avg(%s)", number_column(g));
        break;
    case 5:
    case 6:
        orma_buf_printf(&g->text, "%s(%s)", PICK(g, "min", "max", "MAX"), column(g));
        break;
    case 7:
        orma_buf_printf(&g->text, "sum(%s) / 4 + count( * )", PICK(g, "a", "d", "s", "w"));
        break;
    case 8:
        orma_buf_printf(&g->text, "round(avg(%s), 2) || 'x'", PICK(g, "a", "d", "w"));
        break;
    case 9:
        orma_buf_printf(&g->text, "%s(DISTINCT %s)", PICK(g, "sum", "avg", "min", "max"),
                        PICK(g, "a", "s", "n", "w"));
        break;
    case 10:
        orma_buf_printf(&g->text, "%s(%s) FILTER (WHERE ", PICK(g, "sum", "count", "max"),
                        number_column(g));
        put_comparison(g);
        put(g, ")");
        break;
    case 11:
        orma_buf_printf(&g->text, "total(%s)", number_column(g));
        break;
    }
}

static void put_aggs(struct gen *g, bool comma)
{
    for (uint32_t i = below(g, 3) + 1; i; i--) {
        put(g, comma ? ", " : "");
        put_agg(g);
        put(g, below(g, 3) ? "" : i == 1 ? " AS total" : " one");
        comma = true;
    }
}

static void put_limit(struct gen *g)
{
    if (!below(g, 3))
        orma_buf_printf(&g->text, " LIMIT %d", (int)below(g, 20) - 1);
    else if (!below(g, 9))
        orma_buf_printf(&g->text, " LIMIT %s",
                        PICK(g, "9223372036854775807", "0", "-5", "2 + 3", "4000000000", "1500"));
    else
        return;
    if (!below(g, 3))
        orma_buf_printf(&g->text, " OFFSET %s",
                        PICK(g, "0", "1", "3", "8", "-2", "1495", "1501", "9223372036854775807"));
}

/* The table, or a sub-select of it; the names stay. */
static void put_source(struct gen *g)
{
    if (below(g, 3)) {
        put(g, " FROM t");
        return;
    }
    put(g, PICK(g, " FROM (SELECT * FROM t", " FROM (SELECT r, a, b, c, d, e, s, n, u, w, f FROM t",
                " FROM (SELECT r AS a, a AS r, b, c, d, e, w AS s, n, u, s w, f FROM t AS y"));
    put_where(g);
    if (!below(g, 2)) {
        orma_buf_printf(&g->text, " ORDER BY %s%s", column(g), PICK(g, "", " DESC", ", r"));
        put(g, PICK(g, "", " LIMIT -1"));
    }
    put(g, PICK(g, ")", ") AS q", ") q"));
}

/* SELECT keys, aggs FROM t GROUP BY keys */
static void put_grouped(struct gen *g)
{
    uint32_t num = below(g, 3) + 1;
    const char *keys[3];
    bool ordered = false;

    put(g, "SELECT ");
    for (uint32_t i = 0; i < num; i++) {
        keys[i] = below(g, 4) ? column(g)
                              : PICK(g, "a / 3", "w % 1000", "s + 5", "b * 3", "r - 7", "a % 4",
                                     "b / 1000000", "r / 100", "s % 7", "w / 1000000000");
        orma_buf_printf(&g->text, "%s%s", i ? ", " : "", keys[i]);
    }
    put_aggs(g, true);
    put_source(g);
    put_where(g);
    for (uint32_t i = 0; i < num; i++) {
        put(g, i ? ", " : " GROUP BY ");
        if (below(g, 5))
            put(g, keys[i]);
        else
            orma_buf_printf(&g->text, "%u", i + 1);
    }
    if (!below(g, 4)) {
        put(g, " HAVING ");
        put_agg(g);
        orma_buf_printf(&g->text, " %s %u", PICK(g, ">", "<", "="), below(g, 50));
    }
    if (!below(g, 3)) {
        ordered = true;
        put(g, " ORDER BY ");
        put_agg(g);
        put(g, PICK(g, "", " DESC", " ASC"));
        for (uint32_t i = 0; i < num; i++)
            orma_buf_printf(&g->text, ", %s%s", keys[i], PICK(g, "", " DESC"));
    }
    g->total_order = ordered;
    if (ordered || below(g, 2))
        put_limit(g);
}

static void put_plain(struct gen *g)
{
    orma_buf_printf(&g->text, "SELECT r, %s, %s FROM t", column(g), column(g));
    put_where(g);
    put(g, " ORDER BY ");
    for (uint32_t i = below(g, 3); i; i--)
        orma_buf_printf(&g->text, "%s%s%s, ",
                        below(g, 5) ? column(g) : PICK(g, "2", "3", "-a", "c || d", "b / 7"),
                        PICK(g, "", " DESC", " ASC"),
                        below(g, 5) ? "" : PICK(g, " NULLS FIRST", " NULLS LAST"));
    orma_buf_printf(&g->text, "r%s", PICK(g, "", " DESC"));
    put_limit(g);
    g->total_order = true;
}

/* SELECT DISTINCT with an order of all its columns. */
static void put_distinct(struct gen *g)
{
    const char *a = column(g), *b = column(g);

    orma_buf_printf(&g->text, "SELECT DISTINCT %s, %s FROM t", a, b);
    put_where(g);
    orma_buf_printf(&g->text, " ORDER BY %s%s, %s%s", a, PICK(g, "", " DESC"), b,
                    PICK(g, "", " DESC", " NULLS LAST"));
    put_limit(g);
    g->total_order = true;
}

/* Aggregates over the first rows of an order, and of a name for the table. */
static void put_nested(struct gen *g)
{
    if (below(g, 2)) {
        orma_buf_printf(&g->text, "SELECT count(x.%s), \"x\".%s, sum(x.a) FROM t AS x", column(g),
                        "c");
        put(g, " WHERE x.s > 20 GROUP BY x.c");
        return;
    }
    put(g, "SELECT count(*), min(p), max(q), sum(r) FROM (");
    orma_buf_printf(&g->text, "SELECT r, %s AS p, %s AS q FROM t", column(g), column(g));
    put_where(g);
    orma_buf_printf(&g->text, " ORDER BY %s%s, r", column(g), PICK(g, "", " DESC"));
    put_limit(g);
    put(g, ")");
    g->total_order = true;
}

static const char *generate(struct gen *g)
{
    orma_buf_clear(&g->text);
    g->total_order = false;
    switch (below(g, 10)) {
    case 8:
        put_distinct(g);
        break;
    case 9:
        put_nested(g);
        break;
    case 0:
    case 1:
        put(g, "SELECT ");
        put_aggs(g, false);
        put_source(g);
        put_where(g);
        g->total_order = true;
        break;
    case 2:
        orma_buf_printf(&g->text, "SELECT DISTINCT %s%s%s FROM t", column(g),
                        below(g, 2) ? ", " : " AS ", below(g, 2) ? "c" : "a");
        put_where(g);
        break;
    case 3:
    case 4:
        put_plain(g);
        break;
    default:
        put_grouped(g);
    }
    return orma_buf_cstr(&g->text);
}

/* ---- answers ---- */

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One line for each row, sorted if `sorted`, and the error at the end. */
static void take_answer(sqlite3 *db, sqlite3_stmt *stmt, struct orma_buf *out, bool names,
                        bool sorted)
{
    struct orma_buf lines = {0};
    int columns = sqlite3_column_count(stmt), r;
    char **at = NULL;
    size_t num = 0;

    for (int i = 0; i < columns && names; i++)
        orma_buf_printf(out, "%s|", sqlite3_column_name(stmt, i));
    while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            gen_put_cell(&lines, stmt, i);
        orma_buf_put_byte(&lines, 0);
        num++;
    }
    at = calloc(num + 1, sizeof(*at));
    for (size_t i = 0, pos = 0; i < num; i++) {
        at[i] = (char *)lines.data + pos;
        pos += strlen(at[i]) + 1;
    }
    if (sorted && num)
        qsort(at, num, sizeof(*at), by_line);
    if (r != SQLITE_DONE && sorted)
        num = 0; /* rows before an error come in any order */
    for (size_t i = 0; i < num; i++)
        orma_buf_printf(out, "\n%s", at[i]);
    if (r != SQLITE_DONE)
        orma_buf_printf(out, "\nerror %s", sqlite3_errmsg(db));
    free(at);
    orma_buf_fini(&lines);
}

static bool ours(struct engine *e, const char *query, bool on, struct orma_buf *out, bool names,
                 bool sorted)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;

    e->sql->planner.off = !on;
    orma_buf_clear(out);
    cr_assert_eq(orma_runner_new(e->sql, "test", orma_str_from(query), &runner), 0);
    cr_assert_eq(orma_runner_next(runner, &stmt), 1, "%s\n%s", query, orma_sql_error_text(e->sql));
    const struct orma_exec_plan *plan = orma_exec_plan_of(e->sql, stmt->stmt);
    take_answer(e->sql->db, stmt->stmt, out, names, sorted);
    bool used = plan && !orma_exec_gave_up(plan);
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    return used;
}

static void plain(sqlite3 *db, const char *query, struct orma_buf *out, bool sorted)
{
    sqlite3_stmt *stmt = NULL;

    orma_buf_clear(out);
    cr_assert_eq(sqlite3_prepare_v2(db, query, -1, &stmt, NULL), SQLITE_OK, "%s\n%s", query,
                 sqlite3_errmsg(db));
    take_answer(db, stmt, out, false, sorted);
    sqlite3_finalize(stmt);
}

static sqlite3 *make_plain(unsigned num)
{
    sqlite3 *db;
    char rows[2048];
    struct orma_buf text = {0};

    snprintf(rows, sizeof(rows), make_rows, num);
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(orma_sums_register(db), SQLITE_OK);
    orma_buf_printf(&text,
                    "CREATE TABLE t(r INTEGER, a INTEGER, b INTEGER, c TEXT, d DOUBLE, e DOUBLE, "
                    "s INTEGER, n INTEGER, u TEXT, w INTEGER, f DOUBLE); INSERT INTO t %s",
                    rows);
    cr_assert_eq(sqlite3_exec(db, orma_buf_cstr(&text), NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(db));
    orma_buf_fini(&text);
    return db;
}

static void make_ours(struct engine *e, unsigned num)
{
    struct orma_buf text = {0};
    char rows[2048];

    begin(e);
    snprintf(rows, sizeof(rows), make_rows, num);
    orma_buf_printf(&text, "CREATE PERFETTO TABLE t AS %s", rows);
    engine_expect(e, "rows", orma_buf_cstr(&text), "");
    orma_buf_fini(&text);
}

static void compare_many(unsigned rows, unsigned queries)
{
    const char *seed = getenv("ORMA_TEST_SEED"); /* other queries than those of every day */
    struct gen g = {.seed = seed ? strtoull(seed, NULL, 10) : 1};
    struct engine e;
    sqlite3 *db = make_plain(rows);
    struct orma_buf with = {0}, without = {0}, reference = {0};
    unsigned used = 0;

    make_ours(&e, rows);
    for (unsigned i = 0; i < queries; i++) {
        const char *query = generate(&g);

        bool taken = ours(&e, query, true, &with, true, false);
        used += taken;
        if (taken) {
            ours(&e, query, false, &without, true, false);
            cr_assert_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without),
                             "%s\n%.900s\n---\n%.900s", query, orma_buf_cstr(&with),
                             orma_buf_cstr(&without));
        }
        if (!g.total_order && strstr(query, "LIMIT"))
            continue; /* which rows are shown is up to the engine */
        if (strstr(query, "round(") && sqlite3_libversion_number() < 3050000)
            continue; /* ours is that of newer ones */
        ours(&e, query, true, &with, false, !g.total_order);
        plain(db, query, &reference, !g.total_order);
        cr_assert_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&reference),
                         "plain tables: %s\n%.900s\n---\n%.900s", query, orma_buf_cstr(&with),
                         orma_buf_cstr(&reference));
    }
    cr_assert_gt(used, queries / 8, "only %u of %u queries were taken", used, queries);
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    orma_buf_fini(&reference);
    orma_buf_fini(&g.text);
    sqlite3_close(db);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(aggregates, gives_what_sqlite_gives)
{
    compare_many(ROWS, gen_number_of("ORMA_TEST_QUERIES", QUERIES));
}

Test(aggregates, gives_what_sqlite_gives_for_rows_in_blocks)
{
    compare_many(MANY_ROWS, MANY_QUERIES);
}

/* Groups that ORDER BY leaves equal come as SQLite gives them. */
Test(aggregates, turns_groups_as_sqlite_does)
{
    static const char *const queries[] = {
        "SELECT a, count(*) % 1 FROM t GROUP BY a ORDER BY 2 DESC",
        "SELECT a, count(*) % 1 FROM t GROUP BY a ORDER BY 2",
        "SELECT c, count(*) % 1 AS n FROM t GROUP BY c ORDER BY n DESC LIMIT 3",
        "SELECT a % 3 AS m, count(*) % 1 FROM t GROUP BY m ORDER BY 2 DESC",
        "SELECT a, c, count(*) % 1 AS n FROM t GROUP BY a, c ORDER BY n DESC",
        "SELECT a, c, count(*) % 1 AS n FROM t GROUP BY a, c ORDER BY n DESC, max(1, 2)",
        "SELECT a, c, count(*) % 1 AS n FROM t GROUP BY a, c ORDER BY n, n + 1 DESC",
        "SELECT a, sum(b) % 2 FROM t GROUP BY a HAVING count(*) > 1 ORDER BY sum(b) % 2 DESC",
    };
    struct orma_buf with = {0}, without = {0};
    struct engine e;

    make_ours(&e, 100);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        ours(&e, queries[i], true, &with, false, false);
        ours(&e, queries[i], false, &without, false, false);
        cr_expect_str_eq(orma_buf_cstr(&with), orma_buf_cstr(&without), "%s", queries[i]);
    }
    orma_buf_fini(&with);
    orma_buf_fini(&without);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(aggregates, takes_what_it_knows)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM slice",
        "SELECT count(*) AS n FROM slice AS s WHERE s.dur > 5",
        "select name, sum(dur)/1e6 ms from slice group by name order by ms desc limit 3",
        "SELECT \"name\", max(ts) FROM slice GROUP BY 1",
        "SELECT ts / 1000000000 AS s, count(*) FROM slice GROUP BY s ORDER BY s",
        "SELECT dur % 10, sum(dur) + 1 FROM slice GROUP BY dur % 10",
        "SELECT depth + 1, count(*) FROM slice GROUP BY depth",
        "SELECT DISTINCT name FROM slice",
        "SELECT count(*) FROM thread_track",
        "SELECT count(*) FROM (SELECT * FROM slice)",
        "SELECT sum(d) FROM (SELECT dur AS d FROM slice WHERE ts > 5 ORDER BY ts LIMIT -1)",
        ("SELECT s.n, count(*) AS c FROM (SELECT name n FROM slice) s WHERE s.n > 'a' GROUP BY s.n "
         "ORDER BY c"),
        "SELECT count(*) FROM slice WHERE dur = +5",
        "SELECT count(*) FROM slice WHERE name GLOB 'a*' AND dur > 5",
        "SELECT count(DISTINCT name) FROM slice",
    };
    struct engine e;
    struct orma_buf out = {0};

    begin(&e);
    for (size_t n = 0; n < ORMA_ARRAY_LEN(queries); n++)
        cr_expect(ours(&e, queries[n], true, &out, false, false), "%s: %s", queries[n],
                  e.sql->planner.why);
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(aggregates, stands_back_for_what_users_made)
{
    struct engine e;

    begin(&e);
    engine_expect(&e, "switch", "SELECT orma_columnar(0)", "0");
    engine_expect(&e, "still", "SELECT count(*) FROM slice", "0");
    engine_expect(&e, "switch", "SELECT orma_columnar(1)", "1");
    engine_expect(&e, "a view before a table",
                  "CREATE TEMP VIEW slice AS SELECT dur + 1 AS dur FROM main.thread_state;"
                  "SELECT count(*), max(dur) FROM slice",
                  "0 NULL");
    engine_expect(&e, "own sum",
                  "CREATE PERFETTO TABLE q AS SELECT 3 AS a; SELECT sum(a) FROM q;"
                  "CREATE PERFETTO FUNCTION sum(x LONG) RETURNS LONG AS SELECT $x * 100;"
                  "SELECT sum(a) FROM q",
                  "3\n300");
    engine_expect(&e, "for the engine alone", "SELECT * FROM __orma_exec(1)",
                  "error: __orma_exec is for the engine alone");
    engine_expect(&e, "without a plan", "SELECT * FROM __orma_exec", "error: no query solution");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Sorting stops in the middle when somebody asks for it, and no half-made index stays. */
Test(aggregates, sorting_can_be_interrupted)
{
    struct engine e;
    struct orma_table *t;
    struct orma_sort_key key = {ORMA_SLICE_DUR, false};
    uint32_t num = 700000;
    uint32_t *rows = malloc(num * sizeof(*rows));

    begin(&e);
    t = &e.storage.tables[ORMA_TABLE_SLICE];
    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = orma_table_add(t);

        orma_table_set(t, ORMA_SLICE_DUR, row, i * 2654435761u % 1000000);
        rows[i] = row;
    }
    atomic_store(&e.sql->run.interrupted, true);
    cr_assert_not(orma_sort_rows(e.sql, t, &key, 1, rows, num));
    cr_assert_null(orma_index_get(e.sql, t, ORMA_SLICE_DUR, true));
    atomic_store(&e.sql->run.interrupted, false);
    cr_assert_not_null(orma_index_get(e.sql, t, ORMA_SLICE_DUR, true));
    engine_expect(&e, "order",
                  "SELECT count(*) FROM (SELECT dur < lag(dur) OVER () AS falls FROM "
                  "(SELECT dur FROM slice ORDER BY dur LIMIT -1)) WHERE falls",
                  "0");
    free(rows);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* SQLite offers the limit, but keeps the comparison of two columns to itself. */
Test(aggregates, a_limit_counts_what_passes)
{
    struct engine e;

    begin(&e);
    engine_expect(&e, "rows",
                  "CREATE PERFETTO TABLE q AS WITH RECURSIVE i(a) AS (SELECT 0 UNION ALL SELECT a "
                  "+ 1 FROM i WHERE a < 4999) SELECT a, a * 7919 % 5000 AS b, a % 3 AS c FROM i",
                  "");
    engine_expect(&e, "two columns",
                  "SELECT a, b FROM q WHERE b > a AND c < a AND a >= 100 ORDER BY b LIMIT 4",
                  "108 252\n120 280\n132 308\n317 323");
    engine_expect(&e, "and an offset",
                  "SELECT a, b FROM q WHERE a > b ORDER BY b DESC LIMIT 3 OFFSET 2",
                  "4964 4916\n4952 4888\n4940 4860");
    engine_expect(&e, "one column", "SELECT c, a FROM q WHERE c = c AND b > a ORDER BY c LIMIT 3",
                  "0 3\n0 6\n0 9");
    engine_expect(&e, "two keys",
                  "SELECT c, b FROM q WHERE a > b + 100 ORDER BY c DESC, b LIMIT 4 OFFSET 1",
                  "2 5\n2 10\n2 11\n2 15");
    engine_expect(&e, "through a view",
                  "CREATE VIEW v AS SELECT * FROM q WHERE b > a; "
                  "SELECT a FROM v WHERE a > 107 ORDER BY a DESC LIMIT 1",
                  "4815");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* The table goes away between the preparation and the first step. */
Test(aggregates, sees_tables_that_changed)
{
    struct engine e;
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;

    begin(&e);
    engine_expect(&e, "make", "CREATE PERFETTO TABLE q AS SELECT 3 AS a UNION ALL SELECT 4", "");
    cr_assert_eq(orma_runner_new(e.sql, "test", ORMA_STR("SELECT sum(a), max(a) FROM q"), &runner),
                 0);
    cr_assert_eq(orma_runner_next(runner, &stmt), 1);
    cr_assert_not_null(orma_exec_plan_of(e.sql, stmt->stmt));
    engine_expect(&e, "replace", "CREATE OR REPLACE PERFETTO TABLE q AS SELECT 'x' AS b, 7 AS a",
                  "");
    cr_assert_eq(orma_sql_stmt_step(stmt), 1, "%s", orma_sql_error_text(e.sql));
    cr_assert_eq(sqlite3_column_int(stmt->stmt, 0), 7);
    sqlite3_reset(stmt->stmt);
    engine_expect(&e, "drop", "DROP TABLE q", "");
    cr_assert_lt(orma_sql_stmt_step(stmt), 0);
    cr_assert(strstr(orma_sql_error_text(e.sql), "no such table: q"), "%s",
              orma_sql_error_text(e.sql));
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    engine_fini(&e);
    orma_assert_no_leaks();
}
