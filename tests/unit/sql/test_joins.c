/*
 * Generated queries over several tables, twice: over tables made by CREATE PERFETTO TABLE, and over
 * SQLite's own with the same rows. What the plan of a virtual table takes over from SQLite
 * (comparisons, lists, order, limits, distinct rows) must not change a row.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"
#include "tests/unit/sql/generator.h"

#define QUERIES 1200

struct gen {
    uint64_t seed;
    char kind; /* of tables: 't' ours, 'p' plain ones */
    int depth;
    struct orma_buf text;
};

static const char rows[] =
    "CREATE TABLE p1(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "CREATE TABLE p2(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "CREATE TABLE p3(id INTEGER, ts INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE);"
    "INSERT INTO p1 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) "
    "SELECT i, i * 7, i * 31 % 17, iif(i % 9, i * 13 % 50, NULL), "
    "iif(i % 7, substr('abcdefgh', i % 8 + 1, i % 3 + 1), NULL), (i * 37 % 100) / 4.0 FROM n;"
    "INSERT INTO p2 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199) "
    "SELECT i, i * 11, i * 29 % 23, iif(i % 5, i * 17 % 40, NULL), "
    "iif(i % 6, substr('hgfedcba', i % 8 + 1, i % 2 + 1), NULL), (i * 41 % 90) / 2.0 FROM n;"
    "INSERT INTO p3 SELECT * FROM p1 WHERE id % 3 = 0;"
    "CREATE PERFETTO TABLE t1 AS SELECT * FROM p1; CREATE PERFETTO TABLE t2 AS SELECT * FROM p2;"
    "CREATE PERFETTO TABLE t3 AS SELECT * FROM p3; CREATE PERFETTO INDEX i ON t1(k, v);"
    "CREATE PERFETTO INDEX i2 ON t2(s);";

static const char *number(struct gen *g)
{
    return PICK(g, "id", "ts", "k", "v", "d");
}

static const char *any_column(struct gen *g)
{
    return PICK(g, "id", "ts", "k", "v", "d", "s");
}

static char alias(struct gen *g, uint32_t num)
{
    return (char)('a' + below(g, num));
}

static void put_literal(struct gen *g)
{
    switch (below(g, 5)) {
    case 0:
    case 1:
        PUT(g, "%d", (int)below(g, 64) - 3);
        break;
    case 2:
        PUT(g, "%u", below(g, 1500));
        break;
    case 3:
        PUT(g, "%u.5", below(g, 40));
        break;
    case 4:
        PUT(g, "%s", PICK(g, "NULL", "'7'", "''", "9.0"));
        break;
    }
}

static void put_list(struct gen *g)
{
    for (uint32_t i = below(g, 4) + 1; i; i--) {
        put_literal(g);
        PUT(g, "%s", i > 1 ? ", " : "");
    }
}

static void put_condition(struct gen *g, uint32_t aliases)
{
    char a = alias(g, aliases);

    switch (below(g, g->depth > 3 ? 6 : 9)) {
    case 0:
    case 1:
        PUT(g, "%c.%s %s ", a, number(g), PICK(g, "=", "<", ">", "<=", ">=", "!=", "IS"));
        put_literal(g);
        break;
    case 2:
        PUT(g, "%c.s %s %s", a, PICK(g, "=", "<", ">", "LIKE", "GLOB", "IS NOT"),
            PICK(g, "'a'", "'b%'", "'c*'", "NULL", "'de'"));
        break;
    case 3:
        PUT(g, "%c.%s IN (", a, number(g));
        put_list(g);
        PUT(g, ")");
        break;
    case 4:
        PUT(g, "%c.%s IN (SELECT %s FROM %c%u WHERE k < %u)", a, number(g), number(g), g->kind,
            below(g, 3) + 1, below(g, 20));
        break;
    case 5:
        PUT(g, "%c.%s %s %c.%s", a, number(g), PICK(g, "=", "<", ">="), alias(g, aliases),
            number(g));
        break;
    case 6:
        PUT(g, "EXISTS (SELECT 1 FROM %c%u q WHERE q.%s = %c.%s AND q.k > %u)", g->kind,
            below(g, 3) + 1, number(g), a, number(g), below(g, 15));
        break;
    case 7:
    case 8:
        g->depth++;
        PUT(g, "%s", PICK(g, "(", "NOT ("));
        put_condition(g, aliases);
        PUT(g, "%s", PICK(g, " OR ", " AND "));
        put_condition(g, aliases);
        PUT(g, ")");
        g->depth--;
        break;
    }
}

static void put_join(struct gen *g, char x, char prev)
{
    PUT(g, " %s %c%u %c ON ", PICK(g, "JOIN", "LEFT JOIN", "JOIN"), g->kind, below(g, 3) + 1, x);
    switch (below(g, 4)) {
    case 0:
        PUT(g, "%c.%s = %c.%s", x, number(g), prev, number(g));
        break;
    case 1:
        PUT(g, "%c.s = %c.s AND %c.%s = %c.%s", x, prev, x, number(g), prev, number(g));
        break;
    case 2:
        PUT(g, "%c.k = %c.k AND %c.%s < %c.%s", x, prev, x, number(g), prev, number(g));
        break;
    case 3:
        PUT(g, "%c.ts >= %c.ts AND %c.ts < %c.ts + %u", x, prev, x, prev, below(g, 30) + 1);
        break;
    }
}

static void put_from(struct gen *g, uint32_t aliases)
{
    PUT(g, " FROM %c%u a", g->kind, below(g, 3) + 1);
    for (uint32_t i = 1; i < aliases; i++)
        put_join(g, (char)('a' + i), alias(g, i));
    for (uint32_t i = below(g, 4), first = i; i; i--) {
        PUT(g, "%s", i == first ? " WHERE " : " AND ");
        put_condition(g, aliases);
    }
}

static void put_rows(struct gen *g, uint32_t aliases)
{
    PUT(g, "SELECT ");
    for (uint32_t i = 0; i < aliases; i++)
        PUT(g, "%c.id, ", (char)('a' + i));
    PUT(g, "%c.%s", alias(g, aliases), any_column(g));
    put_from(g, aliases);
    PUT(g, " ORDER BY ");
    for (uint32_t i = below(g, 3); i; i--)
        PUT(g, "%c.%s%s, ", alias(g, aliases), any_column(g), PICK(g, "", " DESC"));
    for (uint32_t i = 0; i < aliases; i++)
        PUT(g, "%s%c.id", i ? ", " : "", (char)('a' + i));
    PUT(g, "%s", PICK(g, "", " LIMIT 10", " LIMIT 4 OFFSET 3", " LIMIT 50"));
}

static void put_groups(struct gen *g, uint32_t aliases)
{
    PUT(g, "SELECT %c.%s AS key, count(*), sum(%c.ts), max(%c.%s)", alias(g, aliases),
        any_column(g), alias(g, aliases), alias(g, aliases), any_column(g));
    put_from(g, aliases);
    PUT(g, " GROUP BY key ORDER BY key%s", PICK(g, "", " DESC", " LIMIT 5", " LIMIT 3 OFFSET 2"));
}

static void put_distinct(struct gen *g, uint32_t aliases)
{
    PUT(g, "SELECT DISTINCT %c.%s AS x, %c.%s AS y", alias(g, aliases), any_column(g),
        alias(g, aliases), any_column(g));
    put_from(g, aliases);
    PUT(g, " ORDER BY x%s, y%s", PICK(g, "", " DESC"), PICK(g, "", " LIMIT 7"));
}

static void put_set(struct gen *g)
{
    PUT(g, "SELECT a.%s", number(g));
    put_from(g, 1);
    PUT(g, " %s SELECT %s FROM %c2 WHERE k > 9 ORDER BY 1 LIMIT 20",
        PICK(g, "UNION", "EXCEPT", "INTERSECT", "UNION ALL"), number(g), g->kind);
}

static const char *generate(struct gen *g, char kind, uint64_t seed)
{
    g->kind = kind;
    g->seed = seed;
    orma_buf_clear(&g->text);
    switch (below(g, 8)) {
    case 0:
    case 1:
        put_groups(g, below(g, 3) + 1);
        break;
    case 2:
        put_distinct(g, below(g, 3) + 1);
        break;
    case 3:
        put_set(g);
        break;
    default:
        put_rows(g, below(g, 3) + 1);
    }
    return orma_buf_cstr(&g->text);
}

Test(joins, give_the_rows_of_plain_tables)
{
    const char *seed = getenv("ORMA_TEST_SEED"); /* other queries than those of every day */
    uint64_t first = seed ? strtoull(seed, NULL, 10) * 1000003 : 1;
    struct gen g = {0};
    struct engine e;
    unsigned with_rows = 0;

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    for (unsigned i = 0; i < QUERIES; i++) {
        char *want = strdup(engine_run(&e, generate(&g, 'p', first + i * 7919u)));
        const char *got = engine_run(&e, generate(&g, 't', first + i * 7919u));

        cr_assert(!strcmp(got, want), "%s\n%.600s\n---\n%.600s", orma_buf_cstr(&g.text), got, want);
        cr_assert(strncmp(got, "error", 5), "%s\n%s", orma_buf_cstr(&g.text), got);
        with_rows += *got != '\0';
        free(want);
    }
    cr_assert_gt(with_rows, QUERIES / 3, "only %u of %d queries have rows", with_rows, QUERIES);
    orma_buf_fini(&g.text);
    engine_fini(&e);
    orma_assert_no_leaks();
}
