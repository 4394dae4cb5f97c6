/*
 * Generated queries twice: by the executor, and by SQLite over the same tables (which test_joins.c
 * compares with plain ones). They must agree to the bit, in the order of rows, in names and errors.
 * Tables are small and full of edges: NULL, 2^53 + 1, the ends of 64 bits, minus zero, texts that
 * look like numbers, empty ones, equal keys.
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

#define QUERIES 3000

struct gen {
    uint64_t seed;
    int depth;
    unsigned aliases; /* a, b, ... */
    bool over;        /* names are those of a sub-select: a.x, a.y, a.z */
    struct orma_buf text;
};

static const char rows[] =
    "CREATE TABLE p1(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "CREATE TABLE p2(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "CREATE TABLE p3(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "INSERT INTO p1 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 249) "
    "SELECT i, i * 7, i * 31 % 17, CASE WHEN i % 9 = 0 THEN NULL WHEN i % 50 = 7 THEN "
    "9007199254740993 WHEN i % 61 = 5 THEN -9223372036854775808 WHEN i % 61 = 6 THEN "
    "9223372036854775807 ELSE i * 13 % 50 END, "
    "CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '1e3' WHEN 3 THEN '7' ELSE "
    "substr('abcdefgh', i % 8 + 1, i % 3 + 1) END, "
    "CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 0.0 WHEN 2 THEN i * 1.0 ELSE (i * 37 % 100) / 8.0 "
    "END FROM n;"
    "INSERT INTO p2 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149) "
    "SELECT i, i * 11, i * 29 % 23, iif(i % 5, i * 17 % 40, NULL), "
    "iif(i % 6, substr('hgfedcba', i % 8 + 1, i % 2 + 1), NULL), (i * 41 % 90) / 2.0 FROM n;"
    "INSERT INTO p3 SELECT row_number() OVER () - 1, ts, k, v, s, d FROM p1 WHERE id % 3 = 0;"
    "CREATE PERFETTO TABLE t1 AS SELECT * FROM p1; CREATE PERFETTO TABLE t2 AS SELECT * FROM p2;"
    "CREATE PERFETTO TABLE t3 AS SELECT * FROM p3;"
    "CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;"
    "CREATE PERFETTO FUNCTION k_of(x LONG) RETURNS LONG AS SELECT max(k) FROM t2 WHERE id = $x;"
    "CREATE PERFETTO VIEW w1 AS SELECT id, ts, k, v + 1 AS v, s, d FROM t1 WHERE k > 2;"
    "CREATE PERFETTO VIEW w2 AS SELECT a.id, a.ts, b.k, b.v, a.s, a.d FROM t2 a JOIN t3 b "
    "ON a.k = b.id;";

static char alias(struct gen *g)
{
    return (char)('a' + below(g, g->aliases));
}

static const char *number(struct gen *g)
{
    return g->over ? PICK(g, "x", "y") : PICK(g, "id", "ts", "k", "v", "d", "k");
}

static const char *text_column(struct gen *g)
{
    return g->over ? "z" : "s";
}

/* ---- expressions ---- */

static void put_number(struct gen *g);
static const char *table(struct gen *g);
static void put_condition(struct gen *g);

static void put_text(struct gen *g)
{
    char a = alias(g);

    switch (below(g, 9)) {
    case 4:
        PUT(g, "printf('%%s:%%d', %c.%s, %c.%s)", a, text_column(g), alias(g), number(g));
        break;
    case 5:
        PUT(g, "%c.%s || %c.%s", a, text_column(g), alias(g), PICK(g, text_column(g), number(g)));
        break;
    case 3:
        PUT(g, "str_split(%c.%s, '%s', %u)", a, text_column(g), PICK(g, "e", "b"), below(g, 2));
        break;
    case 0:
        PUT(g, "substr(%c.%s, 1, %u)", a, text_column(g), below(g, 3));
        break;
    case 1:
        PUT(g, "upper(%c.%s)", a, text_column(g));
        break;
    case 2:
        PUT(g, "%c.%s || '%s'", a, text_column(g), PICK(g, "", "x", "''q"));
        break;
    default:
        PUT(g, "%c.%s", a, text_column(g));
    }
}

static void put_case(struct gen *g)
{
    PUT(g, "CASE WHEN ");
    put_condition(g);
    PUT(g, " THEN ");
    put_number(g);
    if (below(g, 3)) {
        PUT(g, " ELSE ");
        put_number(g);
    }
    PUT(g, " END");
}

/* A query in parentheses that depends on the row. */
static void put_correlated(struct gen *g)
{
    const char *of = PICK(g, "sum(o.v)", "count(*)", "max(o.k) + 1", "avg(o.k)", "total(o.d)",
                          "coalesce(min(o.v), -1)", "o.v", "o.id", "o.k");
    bool row = of[0] == 'o';

    PUT(g, "(SELECT %s FROM %s o WHERE ", of, table(g));
    PUT(g, "o.%s = %c.%s", PICK(g, "id", "k", "v", "ts"), alias(g), number(g));
    if (!below(g, 3))
        PUT(g, " AND %c.%s = o.s", alias(g), text_column(g));
    if (!below(g, 3))
        PUT(g, " AND o.v %s %u", PICK(g, "<", ">", "!="), below(g, 40));
    if (row && below(g, 2))
        PUT(g, " ORDER BY o.%s%s", PICK(g, "ts", "v", "k"), PICK(g, "", " DESC"));
    PUT(g, "%s)", row ? PICK(g, "", " LIMIT 1") : "");
}

static void put_exists(struct gen *g)
{
    PUT(g, "%sEXISTS (SELECT %s FROM %s o", PICK(g, "", "NOT "), PICK(g, "1", "*", "o.k"),
        table(g));
    if (below(g, 5))
        PUT(g, " WHERE o.%s = %c.%s", PICK(g, "id", "k", "v", "ts"), alias(g), number(g));
    else
        PUT(g, " WHERE o.v = %u", below(g, 60));
    if (!below(g, 3))
        PUT(g, " AND %c.%s = o.s", alias(g), text_column(g));
    if (!below(g, 3))
        PUT(g, " AND o.k > %u", below(g, 15));
    PUT(g, "%s)", PICK(g, "", "", " LIMIT 1", " ORDER BY o.v"));
}

static void put_number(struct gen *g)
{
    g->depth++;
    switch (below(g, g->depth > 3 ? 4 : 15)) {
    case 12:
        put_correlated(g);
        break;
    case 13:
        PUT(g, "%s(", PICK(g, "min", "max"));
        put_number(g);
        PUT(g, ", ");
        put_number(g);
        if (!below(g, 3))
            PUT(g, ", %c.%s", alias(g), text_column(g));
        PUT(g, ")");
        break;
    case 14:
        PUT(g, "%s(%c.%s)", PICK(g, "twice", "k_of", "abs", "hex"), alias(g),
            g->over ? number(g) : PICK(g, "id", "k", "v"));
        break;
    case 0:
        PUT(g, "%s",
            PICK(g, "0", "1", "-3", "17", "2.5", "100", "9007199254740992.0", "abs(-7)",
                 "round(2.5)", "length('abc')"));
        break;
    case 1:
    case 2:
    case 3:
        PUT(g, "%c.%s", alias(g), number(g));
        break;
    case 4:
        put_case(g);
        break;
    case 5:
        PUT(g, "length(%c.%s)", alias(g), text_column(g));
        break;
    case 6:
        PUT(g, "%s(", PICK(g, "coalesce", "ifnull", "nullif"));
        put_number(g);
        PUT(g, ", ");
        put_number(g);
        PUT(g, ")");
        break;
    case 7:
        PUT(g, "CAST(");
        put_number(g);
        PUT(g, " AS %s)", PICK(g, "INT", "REAL"));
        break;
    case 8:
        PUT(g, "(SELECT %s(%s) FROM %s WHERE k > %u)", PICK(g, "max", "min", "sum", "count"),
            PICK(g, "v", "k", "d"), table(g), below(g, 25));
        break;
    default:
        PUT(g, "(");
        put_number(g);
        PUT(g, " %s ", PICK(g, "+", "-", "*", "/", "%", "+", "-", "&", "<<"));
        put_number(g);
        PUT(g, ")");
    }
    g->depth--;
}

static void put_in_select(struct gen *g)
{
    bool text = !below(g, 4);

    PUT(g, "%c.%s %sIN (SELECT %s FROM %s%s)", alias(g), text ? text_column(g) : number(g),
        PICK(g, "", "NOT "), text ? "s" : PICK(g, "id", "k", "v", "ts", "k"), table(g),
        PICK(g, "", " WHERE k < 9", " WHERE v IS NOT NULL", " WHERE v > 1000000", " LIMIT 5"));
}

static void put_condition(struct gen *g)
{
    g->depth++;
    switch (below(g, g->depth > 3 ? 5 : 11)) {
    case 10:
        put_exists(g);
        break;
    case 0:
    case 1:
        PUT(g, "%c.%s %s %s", alias(g), number(g),
            PICK(g, "=", "<", ">", "<=", ">=", "!=", "IS", "IS NOT"),
            PICK(g, "3", "7", "100", "2.5", "NULL", "9007199254740993", "-1"));
        break;
    case 2:
        put_text(g);
        PUT(g, " %s %s", PICK(g, "=", "<", ">", "LIKE", "GLOB", "IS NOT", "NOT LIKE"),
            PICK(g, "'a'", "'b%'", "'c*'", "NULL", "'de'", "'7'", "'1000'"));
        break;
    case 3:
        PUT(g, "%c.%s %sIN (1, 2, %s)", alias(g), number(g), PICK(g, "", "NOT "),
            PICK(g, "3.0", "NULL", "5", "-7"));
        break;
    case 4:
        PUT(g, "%c.%s IS %sNULL", alias(g), PICK(g, number(g), text_column(g)),
            PICK(g, "", "NOT "));
        break;
    case 5:
        put_number(g);
        PUT(g, " %s ", PICK(g, "=", "<", ">=", "IS"));
        put_number(g);
        break;
    case 6:
        put_number(g);
        PUT(g, " BETWEEN %u AND %u", below(g, 10), below(g, 50));
        break;
    case 7:
        put_in_select(g);
        break;
    default:
        PUT(g, "%s", PICK(g, "(", "NOT ("));
        put_condition(g);
        PUT(g, "%s", PICK(g, " OR ", " AND "));
        put_condition(g);
        PUT(g, ")");
    }
    g->depth--;
}

static void put_any(struct gen *g)
{
    if (below(g, 4))
        put_number(g);
    else
        put_text(g);
}

static void put_filter(struct gen *g)
{
    if (below(g, 6))
        return;
    PUT(g, " FILTER (WHERE ");
    put_condition(g);
    PUT(g, ")");
}

static void put_aggregate(struct gen *g)
{
    switch (below(g, 9)) {
    case 0:
        PUT(g, "count(*)");
        break;
    case 1:
        PUT(g, "count(DISTINCT ");
        put_any(g);
        PUT(g, ")");
        break;
    case 2:
        PUT(g, "%s(", PICK(g, "min", "max"));
        put_any(g);
        PUT(g, ")");
        break;
    case 3:
        PUT(g, "%s(", PICK(g, "percentile", "percentile_cont", "percentile_disc"));
        put_number(g);
        PUT(g, ", %s)", PICK(g, "0", "1", "0.5", "0.99", "0.25"));
        break;
    case 4:
        PUT(g, "median(");
        put_number(g);
        PUT(g, ")");
        break;
    default:
        PUT(g, "%s(", PICK(g, "sum", "avg", "total", "count", "sum"));
        put_number(g);
        PUT(g, ")");
    }
    put_filter(g);
}

/* SQLite refuses some: they begin behind their end, or have numbers and more than one key. */
static void put_frame(struct gen *g)
{
    const char *unit = PICK(g, "ROWS", "ROWS", "RANGE", "GROUPS");

    if (below(g, 2)) {
        PUT(g, "%s",
            PICK(g, "", "", " ROWS UNBOUNDED PRECEDING",
                 " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"));
        return;
    }
    PUT(g, " %s BETWEEN ", unit);
    switch (below(g, 4)) {
    case 0:
        PUT(g, "UNBOUNDED PRECEDING AND %u %s", below(g, 5), PICK(g, "PRECEDING", "FOLLOWING"));
        break;
    case 1:
        PUT(g, "%s AND UNBOUNDED FOLLOWING",
            PICK(g, "CURRENT ROW", "UNBOUNDED PRECEDING", "2 PRECEDING", "3 FOLLOWING"));
        break;
    case 2:
        PUT(g, "%u PRECEDING AND %s", below(g, 12),
            PICK(g, "CURRENT ROW", "2 FOLLOWING", "1 PRECEDING", "0 PRECEDING"));
        break;
    default:
        PUT(g, "CURRENT ROW AND %s", PICK(g, "CURRENT ROW", "1 FOLLOWING", "7 FOLLOWING"));
    }
}

static void put_window(struct gen *g)
{
    switch (below(g, 10)) {
    case 8:
        PUT(g, "%s", PICK(g, "ntile(3)", "ntile(1000)", "percent_rank()", "cume_dist()"));
        break;
    case 9:
        PUT(g, "nth_value(");
        put_any(g);
        PUT(g, ", %u)", below(g, 4) + 1);
        break;
    case 0:
        PUT(g, "row_number()");
        break;
    case 1:
        PUT(g, "%s()", PICK(g, "rank", "dense_rank"));
        break;
    case 2:
    case 3:
        PUT(g, "%s(", PICK(g, "lead", "lag"));
        put_any(g);
        PUT(g, "%s)", PICK(g, "", ", 2", ", 1, 0", ", 0"));
        break;
    case 4:
        PUT(g, "%s(", PICK(g, "first_value", "last_value"));
        put_any(g);
        PUT(g, ")");
        break;
    default:
        PUT(g, "%s(", PICK(g, "sum", "count", "min", "max", "avg"));
        put_number(g);
        PUT(g, ")");
        put_filter(g);
    }
    PUT(g, " OVER (");
    if (below(g, 2))
        PUT(g, "PARTITION BY %c.%s", alias(g), PICK(g, number(g), text_column(g)));
    if (below(g, 4))
        PUT(g, " ORDER BY %c.%s%s", alias(g), PICK(g, number(g), text_column(g)),
            PICK(g, "", " DESC", "", " NULLS LAST"));
    put_frame(g);
    PUT(g, ")");
}

/* ---- sources ---- */

static const char *table(struct gen *g)
{
    return PICK(g, "t1", "t2", "t3", "t1", "w1", "w2");
}

static void put_where(struct gen *g)
{
    for (uint32_t i = below(g, 3), first = i; i; i--) {
        PUT(g, "%s", i == first ? " WHERE " : " AND ");
        put_condition(g);
    }
}

/* A table, or groups with the columns of one. */
/* A table, or a sub-select of groups or windows, which may have no rows. */
static void put_source(struct gen *g)
{
    switch (below(g, 12)) {
    case 0:
        PUT(g,
            "(SELECT %s AS id, count(*) AS ts, max(id) AS k, sum(v) AS v, max(s) AS s, min(d) "
            "AS d FROM %s%s GROUP BY 1%s)",
            PICK(g, "k", "id % 20", "v"), table(g), PICK(g, "", "", " WHERE k > 100"),
            PICK(g, "", "", ", s"));
        break;
    case 1:
        PUT(g,
            "(SELECT id, ts, lag(k) OVER (ORDER BY id) + 0 AS k, v, s, row_number() OVER (ORDER BY "
            "ts DESC) / 2.0 AS d FROM %s%s)",
            table(g), PICK(g, "", " WHERE k > 100", " WHERE v < 9", " LIMIT 0"));
        break;
    default:
        PUT(g, "%s", table(g));
    }
}

static void put_tables(struct gen *g, unsigned num)
{
    PUT(g, " FROM ");
    put_source(g);
    PUT(g, " a");
    for (unsigned i = 1; i < num; i++) {
        char x = (char)('a' + i), y = (char)('a' + below(g, i));

        PUT(g, " %s ", PICK(g, "JOIN", "LEFT JOIN", "JOIN"));
        put_source(g);
        PUT(g, " %c", x);
        switch (below(g, 8)) {
        case 5:
            PUT(g, " ON %c.%s BETWEEN %c.%s AND %c.%s + %u", x, PICK(g, "ts", "id", "v"), y,
                PICK(g, "ts", "k", "v"), y, PICK(g, "ts", "ts", "v"), below(g, 30));
            if (!below(g, 3))
                PUT(g, " AND %c.k = %c.k", x, y);
            break;
        case 6:
            PUT(g, " ON %c.ts >= %c.ts AND %c.ts < %c.ts + %u", y, x, y, x, below(g, 20));
            if (!below(g, 3))
                PUT(g, " AND %c.v IS NOT %c.v", x, y);
            break;
        case 7:
            PUT(g, " ON %c.%s = %c.%s AND %c.%s %s %c.%s", x, PICK(g, "k", "id"), y,
                PICK(g, "k", "v"), x, PICK(g, "ts", "id"), PICK(g, "<", ">=", ">", "!="), y,
                PICK(g, "ts", "v"));
            break;
        case 0:
            PUT(g, " ON %c.k = %c.k", x, y);
            break;
        case 1:
            PUT(g, " ON %c.%s = %c.s", x, "s", y);
            break;
        case 2:
            PUT(g, " USING (%s)", PICK(g, "id", "k"));
            break;
        default:
            PUT(g, " ON %c.id = %c.%s", x, y, PICK(g, "k", "v", "id"));
            if (!below(g, 4))
                PUT(g, " AND %c.%s > %u", (char)('a' + below(g, i + 1)), PICK(g, "v", "k", "ts"),
                    below(g, 20));
        }
    }
    g->aliases = num;
}

static void put_rows_query(struct gen *g, bool named);
static void put_union_query(struct gen *g, bool named);

/* A sub-select with the columns x, y and z. */
static void put_from(struct gen *g)
{
    g->over = false;
    if (g->depth < 2 && !below(g, 3)) {
        g->depth++;
        PUT(g, " FROM (");
        if (below(g, 4))
            put_rows_query(g, true);
        else
            put_union_query(g, true);
        PUT(g, ") a");
        g->depth--;
        g->over = true;
        g->aliases = 1;
        return;
    }
    put_tables(g, below(g, 3) ? 1 : below(g, 2) + 2);
}

/* Its FROM comes last in the text, but must be known first: it is written apart. */
static struct orma_buf from_of(struct gen *g)
{
    struct orma_buf text = g->text;

    g->text = (struct orma_buf){0};
    put_from(g);
    struct orma_buf from = g->text;
    g->text = text;
    return from;
}

static void put_order(struct gen *g, unsigned results)
{
    if (below(g, 3))
        return;
    PUT(g, " ORDER BY ");
    for (uint32_t i = below(g, 2) + 1; i; i--)
        PUT(g, "%u%s%s", below(g, results) + 1, PICK(g, "", " DESC", "", " NULLS LAST"),
            i > 1 ? ", " : "");
}

static void put_limit(struct gen *g)
{
    PUT(g, "%s", PICK(g, "", "", "", " LIMIT 10", " LIMIT 4 OFFSET 3", " LIMIT 0"));
}

/* Without order and limit. */
static void put_rows(struct gen *g, bool named)
{
    struct orma_buf from = from_of(g);
    unsigned windows = below(g, 3) ? 0 : below(g, 2) + 1;

    PUT(g, "SELECT %s", windows || below(g, 4) ? "" : "DISTINCT ");
    for (unsigned i = 0; i < 2; i++) {
        if (i < windows)
            put_window(g);
        else
            put_number(g);
        PUT(g, "%s, ", named ? i ? " AS y" : " AS x" : "");
    }
    put_text(g);
    PUT(g, "%s%s", named ? " AS z" : "", orma_buf_cstr(&from));
    put_where(g);
    orma_buf_fini(&from);
}

static void put_rows_query(struct gen *g, bool named)
{
    put_rows(g, named);
    put_order(g, 3);
    put_limit(g);
}

/* Parts of a compound query; of a set, whose values must not be of several types, mostly plain. */
static void put_union_query(struct gen *g, bool named)
{
    const char *set = PICK(g, "UNION ALL", "UNION", "INTERSECT", "EXCEPT");
    bool all = strlen(set) > 9, plain = !all && below(g, 4);
    const char *columns = plain ? PICK(g, "id AS x, k AS y, s AS z", "k % 3 AS x, v AS y, s AS z",
                                       "k AS x, 1 AS y, s AS z", "k AS x, k AS y, 'a' AS z")
                                : NULL;

    for (uint32_t i = below(g, 2) + 2, first = i; i; i--) {
        if (i < first) {
            PUT(g, " %s ", set);
            if (!below(g, 6))
                set = PICK(g, "UNION ALL", "UNION", "INTERSECT", "EXCEPT");
        }
        if (plain)
            PUT(g, "SELECT %s FROM %s%s", columns, table(g), PICK(g, "", " WHERE k < 9"));
        else
            put_rows(g, named && (i == first || below(g, 2)));
    }
    put_order(g, 3);
    put_limit(g);
}

/* All columns, and names that are both of columns and of results. */
static void put_names_query(struct gen *g)
{
    struct orma_buf from = from_of(g);
    char a = alias(g);

    switch (g->over ? 3 : below(g, 4)) {
    case 0:
        PUT(g, "SELECT *");
        break;
    case 1:
        PUT(g, "SELECT %c.*, %c.v AS ts, %c.k + 1 AS id", a, alias(g), alias(g));
        break;
    case 2:
        PUT(g, "SELECT %c.ts, %c.v AS k, count(*) OVER ()", a, alias(g));
        break;
    default:
        PUT(g, "SELECT %c.%s AS n, %c.%s", a, number(g), alias(g), number(g));
    }
    PUT(g, "%s", orma_buf_cstr(&from));
    put_where(g);
    if (below(g, 2))
        PUT(g, " ORDER BY %s", PICK(g, g->over ? "x" : "ts", g->over ? "y" : "k", "n", "1"));
    put_limit(g);
    orma_buf_fini(&from);
}

static void put_groups_query(struct gen *g)
{
    struct orma_buf from = from_of(g);
    bool grouped = below(g, 4);

    PUT(g, "SELECT ");
    if (grouped) {
        put_any(g);
        PUT(g, " AS key, ");
    }
    put_aggregate(g);
    PUT(g, ", ");
    put_aggregate(g);
    PUT(g, " AS m");
    for (uint32_t i = grouped ? below(g, 4) : 0; i > 1; i--) /* of some row of the group */
        PUT(g, ", %c.%s", alias(g), PICK(g, number(g), text_column(g)));
    PUT(g, "%s", orma_buf_cstr(&from));
    put_where(g);
    if (grouped)
        PUT(g, " GROUP BY %s", PICK(g, "key", "1"));
    if (grouped && !below(g, 4))
        PUT(g, " HAVING count(*) > %u", below(g, 4));
    put_order(g, 2);
    put_limit(g);
    orma_buf_fini(&from);
}

static const char *generate(struct gen *g, uint64_t seed)
{
    *g = (struct gen){.seed = seed, .aliases = 1, .text = g->text};
    orma_buf_clear(&g->text);
    for (int i = 0; i < 8; i++)
        below(g, 2);
    if (!below(g, 8))
        put_names_query(g);
    else if (!below(g, 8))
        put_union_query(g, below(g, 2));
    else if (below(g, 5) < 2)
        put_groups_query(g);
    else
        put_rows_query(g, false);
    return orma_buf_cstr(&g->text);
}

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
    struct orma_sql_exec *exec;
    struct orma_sql_stmt *stmt;
    int r;

    e->sql->planner.exec = mode;
    e->sql->planner.off = mode == ORMA_EXEC_MODE_OFF;
    e->sql->planner.why = NULL;
    orma_buf_clear(out);
    cr_assert_eq(orma_sql_exec_new(e->sql, "test", orma_str_from(query), &exec), 0);
    if (orma_sql_exec_next(exec, &stmt) != 1) {
        orma_sql_exec_free(exec);
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
    orma_sql_exec_free(exec);
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
Test(exec, keeps_frames_of_windows_apart)
{
    static const char *const queries[] = {
        "SELECT lag(id) OVER (ORDER BY k), sum(id) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) "
        "FROM t1",
        "SELECT rank() OVER (ORDER BY k ROWS UNBOUNDED PRECEDING), sum(id) OVER (ORDER BY k) "
        "FROM t1",
        "SELECT sum(id) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING), row_number() OVER (ORDER BY "
        "k), sum(id) OVER (ORDER BY k) FROM t1",
    };
    expect_same_over(rows, queries, ORMA_ARRAY_LEN(queries));
}

/* Keys of few bits, of many, of more than 64 with the row, in order already, with NULL at either
 * end; over many blocks. */
Test(exec, sorts_many_rows)
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
Test(exec, gives_up_before_the_first_row_or_never)
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

/* Joins that find one row at most do not matter to the order of rows; others do. */
Test(exec, knows_what_comes_once)
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
    engine_expect(&e, "rows", rows, "");
    expect_same(&e, queries, ORMA_ARRAY_LEN(queries));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(left); i++)
        cr_expect_neq(run(&e, left[i], ORMA_EXEC_MODE_ON, &out), BY_US, "%s", left[i]);
    orma_buf_fini(&out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Of a LEFT JOIN with a query that has no rows, nobody may look at one. */
Test(exec, joins_with_nothing)
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
    expect_same_over(rows, queries, ORMA_ARRAY_LEN(queries));
}

/* A row that is given by its number makes constants of what it is compared with. */
Test(exec, follows_what_a_given_row_says)
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
    engine_expect(&e, "rows", rows, "");
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
Test(exec, leaves_to_sqlite_what_depends_on_it)
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
    engine_expect(&e, "rows", rows, "");
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
static void take_literals(struct gen *g, const char *query, struct orma_buf *out,
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

Test(exec, takes_values_of_parameters)
{
    uint64_t first = (uint64_t)gen_number_of("ORMA_TEST_SEED", 1) * 1000033;
    unsigned queries = gen_number_of("ORMA_TEST_QUERIES", QUERIES) / 3, taken = 0, valid = 0;
    struct orma_buf with = {0}, without = {0}, text = {0};
    struct gen g = {0};
    struct values values;
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    for (unsigned i = 0; i < queries; i++) {
        const char *query = generate(&g, first + i * 7919u);

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
Test(exec, knows_what_parameters_mean)
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
    engine_expect(&e, "rows", rows, "");
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
Test(exec, looks_often_whether_it_should_stop)
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

Test(exec, gives_what_sqlite_gives)
{
    uint64_t first = (uint64_t)gen_number_of("ORMA_TEST_SEED", 1) * 1000003;
    unsigned queries = gen_number_of("ORMA_TEST_QUERIES", QUERIES), taken = 0, valid = 0;
    struct gen g = {0};
    struct engine e;
    struct orma_buf with = {0}, without = {0};

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    for (unsigned i = 0; i < queries; i++) {
        const char *query = generate(&g, first + i * 7919u);
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
