/*
 * Queries of all kinds over three small tables, made up from a seed.
 */
#include "tests/unit/sql/query_generator.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sql/generator.h"

const char query_gen_tables[] =
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

static char alias(struct query_gen *g)
{
    return (char)('a' + below(g, g->aliases));
}

static const char *number(struct query_gen *g)
{
    return g->over ? PICK(g, "x", "y") : PICK(g, "id", "ts", "k", "v", "d", "k");
}

static const char *text_column(struct query_gen *g)
{
    return g->over ? "z" : "s";
}

/* ---- expressions ---- */

static void put_number(struct query_gen *g);
static const char *table(struct query_gen *g);
static void put_condition(struct query_gen *g);

static void put_text(struct query_gen *g)
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

static void put_case(struct query_gen *g)
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
static void put_correlated(struct query_gen *g)
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

static void put_exists(struct query_gen *g)
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

static void put_number(struct query_gen *g)
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

static void put_in_select(struct query_gen *g)
{
    bool text = !below(g, 4);

    PUT(g, "%c.%s %sIN (SELECT %s FROM %s%s)", alias(g), text ? text_column(g) : number(g),
        PICK(g, "", "NOT "), text ? "s" : PICK(g, "id", "k", "v", "ts", "k"), table(g),
        PICK(g, "", " WHERE k < 9", " WHERE v IS NOT NULL", " WHERE v > 1000000", " LIMIT 5"));
}

/* A set for each row. */
static void put_in_correlated(struct query_gen *g)
{
    const bool text = !below(g, 4);

    PUT(g, "%c.%s %sIN (SELECT %s%s FROM %s o WHERE ", alias(g), text ? text_column(g) : number(g),
        PICK(g, "", "NOT "), PICK(g, "", "", "DISTINCT "),
        text ? "o.s" : PICK(g, "o.id", "o.k", "o.v", "o.v"), table(g));
    PUT(g, "o.%s = %c.%s", PICK(g, "id", "k", "v", "ts", "k"), alias(g), number(g));
    if (!below(g, 3))
        PUT(g, " AND %c.%s = o.s", alias(g), text_column(g));
    if (!below(g, 3))
        PUT(g, " AND o.v %s %u", PICK(g, "<", ">", "IS NULL OR o.v <"), below(g, 40));
    PUT(g, "%s)", PICK(g, "", "", " ORDER BY o.v"));
}

static void put_condition(struct query_gen *g)
{
    g->depth++;
    switch (below(g, g->depth > 3 ? 5 : 12)) {
    case 11:
        put_in_correlated(g);
        break;
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

static void put_any(struct query_gen *g)
{
    if (below(g, 4))
        put_number(g);
    else
        put_text(g);
}

static void put_filter(struct query_gen *g)
{
    if (below(g, 6))
        return;
    PUT(g, " FILTER (WHERE ");
    put_condition(g);
    PUT(g, ")");
}

static void put_aggregate(struct query_gen *g)
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
    case 5:
        PUT(g, "group_concat(%c.%s%s)", alias(g), PICK(g, "s", "s", "id", "v"),
            PICK(g, "", ", ''", ", ' - '"));
        break;
    default:
        PUT(g, "%s(", PICK(g, "sum", "avg", "total", "count", "sum"));
        put_number(g);
        PUT(g, ")");
    }
    put_filter(g);
}

/* SQLite refuses some: they begin behind their end, or have numbers and more than one key. */
static void put_frame(struct query_gen *g)
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

static void put_window(struct query_gen *g)
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

static const char *table(struct query_gen *g)
{
    return PICK(g, "t1", "t2", "t3", "t1", "w1", "w2");
}

static void put_where(struct query_gen *g)
{
    for (uint32_t i = below(g, 3), first = i; i; i--) {
        PUT(g, "%s", i == first ? " WHERE " : " AND ");
        put_condition(g);
    }
}

/* A table, or groups with the columns of one. */
/* A table, or a sub-select of groups or windows, which may have no rows. */
static void put_source(struct query_gen *g)
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

static void put_tables(struct query_gen *g, unsigned num)
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

static void put_rows_query(struct query_gen *g, bool named);
static void put_union_query(struct query_gen *g, bool named);

/* A sub-select with the columns x, y and z. */
static void put_from(struct query_gen *g)
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
static struct orma_buf from_of(struct query_gen *g)
{
    struct orma_buf text = g->text;

    g->text = (struct orma_buf){0};
    put_from(g);
    struct orma_buf from = g->text;
    g->text = text;
    return from;
}

static void put_order(struct query_gen *g, unsigned results)
{
    if (below(g, 3))
        return;
    PUT(g, " ORDER BY ");
    for (uint32_t i = below(g, 2) + 1; i; i--)
        PUT(g, "%u%s%s", below(g, results) + 1, PICK(g, "", " DESC", "", " NULLS LAST"),
            i > 1 ? ", " : "");
}

static void put_limit(struct query_gen *g)
{
    PUT(g, "%s", PICK(g, "", "", "", " LIMIT 10", " LIMIT 4 OFFSET 3", " LIMIT 0"));
}

/* Without order and limit. */
static void put_rows(struct query_gen *g, bool named)
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

static void put_rows_query(struct query_gen *g, bool named)
{
    put_rows(g, named);
    put_order(g, 3);
    put_limit(g);
}

/* Parts of a compound query; of a set, whose values must not be of several types, mostly plain. */
static void put_union_query(struct query_gen *g, bool named)
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
static void put_names_query(struct query_gen *g)
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

static void put_groups_query(struct query_gen *g)
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

const char *query_gen_make(struct query_gen *g, uint64_t seed)
{
    *g = (struct query_gen){.seed = seed, .aliases = 1, .text = g->text};
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
