/*
 * The seam between SQLite and virtual tables: what a plan takes over must not change a row, on any
 * SQLite. Each query runs over tables of SQLite and over ours with the same rows: `@a` is the one
 * or the other.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/base/aux_terms.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static const char rows[] =
    "CREATE TABLE pa(id INTEGER, k INTEGER, s TEXT, d DOUBLE);"
    "CREATE TABLE pb(id INTEGER, k INTEGER, s TEXT, d DOUBLE);"
    "INSERT INTO pa VALUES (0, 7, '7', 7.0), (1, 7, '07', 7.5), (2, NULL, '7.0', NULL), "
    "(3, 1, 'x', -0.0), (4, 2, '', 0.0), (5, 9007199254740993, '9007199254740993', "
    "9007199254740992.0), (6, 3, NULL, 1e300), (7, -1, ' 7 ', -1.0), (8, 0, '1e400', 3.5), "
    "(9, 16, '0x10', 16.0), (10, 7, '7e0', 7.0);"
    "INSERT INTO pb VALUES (0, 7, '7', 7.0), (1, 8, 'x', 7.25), (2, NULL, NULL, NULL), "
    "(3, 1, '7.0', 9007199254740993), (4, 0, 'y', 1e300), (5, 16, '', 16.0);"
    "CREATE PERFETTO TABLE ta AS SELECT * FROM pa; CREATE PERFETTO TABLE tb AS SELECT * FROM pb;"
    "CREATE TABLE odd(n INTEGER, u, t TEXT);"
    "INSERT INTO odd VALUES (7, 7, '7'), ('!', '7', '7.0'), (NULL, 7.0, NULL), (x'37', x'37', 'x')";

/* The same text of both tables. */
static char *over(const char *query, char kind)
{
    char *text = strdup(query);

    for (char *at = strchr(text, '@'); at; at = strchr(at, '@'))
        *at = kind;
    return text;
}

static void expect_same(struct engine *e, const char *query)
{
    char *plain = over(query, 'p'), *ours = over(query, 't');
    char *want = strdup(engine_run(e, plain));

    cr_expect(strncmp(want, "error", 5), "%s: %s", plain, want);
    cr_expect_str_eq(engine_run(e, ours), want, "%s\n%s", ours, want);
    free(want);
    free(plain);
    free(ours);
}

/* Every kind of join with every operator, on either side. */
Test(seam, filters_only_what_a_join_may_filter)
{
    static const char *const kinds[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
    static const char *const terms[] = {
        "%c.s LIKE '%%7%%'",
        "%c.s GLOB '7*'",
        "%c.s NOT LIKE 'x'",
        "%c.k != 7",
        "%c.s <> '7'",
        "%c.k IS NOT 7",
        "%c.k IS 7",
        "%c.k IS NOT NULL",
        "%c.s NOTNULL",
        "%c.k ISNULL",
        "%c.k IN (7, 1)",
        "%c.s IN ('7', 'x')",
        "%c.k NOT IN (7)",
        "%c.k BETWEEN 1 AND 7",
        "%c.d < 7.25",
        "%c.s > '7'",
        "%c.k != 7 OR %c.k = 1",
        "NOT %c.k = 7",
        "%c.s REGEXP '7'",
        "%c.k = 7 AND %c.d != 7",
    };
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        for (size_t k = 0; k < ORMA_ARRAY_LEN(terms) * 2; k++) {
            const char side = k % 2 ? 'b' : 'a';
            char term[200], query[500];

            snprintf(term, sizeof(term), terms[k / 2], side, side);
            snprintf(query, sizeof(query),
                     "SELECT a.id, b.id FROM @a a %s @b b ON a.k = b.k AND %s ORDER BY 1, 2",
                     kinds[i], term);
            expect_same(&e, query);
            snprintf(query, sizeof(query),
                     "SELECT a.id, b.id, c.id FROM @a a JOIN @b b ON %s %s @a c ON c.k = a.k AND "
                     "%s ORDER BY 1, 2, 3",
                     term, kinds[i], term);
            expect_same(&e, query);
            snprintf(query, sizeof(query),
                     "SELECT a.id, b.id FROM @a a %s @b b ON a.k = b.k WHERE %s ORDER BY 1, 2 "
                     "LIMIT 5 OFFSET 1",
                     kinds[i], term);
            expect_same(&e, query);
        }
    }
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* What the other side of a comparison is decides whether '07' is 7. */
Test(seam, compares_by_affinity)
{
    static const char *const others[] = {
        "7",
        "'7'",
        "'07'",
        "CAST(7 AS INTEGER)",
        "CAST('7' AS TEXT)",
        "+7",
        "7.0",
        "'7.0'",
        "NULL",
        "x'37'",
        "(SELECT 7)",
        "(SELECT k FROM @b)",
        "-1",
        "'!'",
        "(SELECT s FROM @b)",
        "(SELECT n FROM odd)",
        "1e999",
        "''",
        "' 7 '",
        "9007199254740993",
        "'9007199254740993'",
        "'1e400'",
    };
    static const char *const ops[] = {"=", "IS", "!=", "IS NOT", "<", "<=", ">", ">="};
    static const char *const joined[] = {
        "SELECT a.id, b.id FROM @a a, @b b WHERE a.s = b.k ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a, @b b WHERE a.s = b.d ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a, @b b WHERE a.s IS b.s ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a JOIN @b b ON a.s < b.k ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a LEFT JOIN @b b ON a.d = b.s ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a CROSS JOIN @b b WHERE b.s = a.k ORDER BY 1, 2",
        "SELECT a.id FROM @a a WHERE s IN (SELECT k FROM @b) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s IN (SELECT d FROM @b) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s IN (SELECT s FROM @b) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE k IN (SELECT s FROM @b) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s IN (7, 'x') ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s IN (SELECT u FROM odd) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s IN (SELECT n FROM odd) ORDER BY 1",
        "SELECT a.id, o.rowid FROM @a a, odd o WHERE a.s = o.n ORDER BY 1, 2",
        "SELECT a.id, o.rowid FROM @a a, odd o WHERE a.s = o.u ORDER BY 1, 2",
        "SELECT a.id, o.rowid FROM @a a, odd o WHERE a.s < o.n ORDER BY 1, 2",
        "SELECT a.id, o.rowid FROM @a a, odd o WHERE a.k = o.t ORDER BY 1, 2",
        "SELECT a.id, o.rowid FROM @a a, odd o WHERE a.k = o.u ORDER BY 1, 2",
        "SELECT a.id, b.id FROM @a a JOIN @b b USING (s) ORDER BY 1, 2",
        "SELECT a.id FROM @a a WHERE s = 'X' COLLATE NOCASE ORDER BY 1",
        "SELECT a.id FROM @a a WHERE s COLLATE NOCASE IN ('X', 'Y') ORDER BY 1",
        "SELECT a.id FROM @a a WHERE (s, k) = ('7', 7) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE (s, k) < ('7', 7) ORDER BY 1",
        "SELECT a.id FROM @a a WHERE (k, s) > (7, '07') ORDER BY 1",
    };
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(others) * ORMA_ARRAY_LEN(ops) * 3; i++) {
        char query[300];

        snprintf(query, sizeof(query), "SELECT id FROM @a WHERE %s %s %s ORDER BY id",
                 (const char *const[]){"s", "k", "d"}[i % 3], ops[i / 3 % ORMA_ARRAY_LEN(ops)],
                 others[i / 3 / ORMA_ARRAY_LEN(ops)]);
        expect_same(&e, query);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(joined); i++)
        expect_same(&e, joined[i]);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Only the first row of each value is not enough where somebody looks at the number of a row. */
Test(seam, keeps_rows_that_differ_by_number)
{
    static const char *const queries[] = {
        "SELECT DISTINCT k FROM @a WHERE rowid % 5 = 1 ORDER BY k",
        "SELECT DISTINCT a.k FROM @a a JOIN @b b ON b.id = a.rowid % 5 + 1 ORDER BY 1",
        "SELECT DISTINCT s FROM @a WHERE s IN (SELECT k FROM @b) ORDER BY s",
        "SELECT DISTINCT s FROM @a WHERE s LIKE '7%' ORDER BY s",
        "SELECT DISTINCT k FROM @a ORDER BY k LIMIT 3",
    };
    char plain[] = "CREATE TABLE p AS SELECT rowid - 1 AS r, * FROM pa; DELETE FROM pa; "
                   "INSERT INTO pa(rowid, id, k, s, d) SELECT r, id, k, s, d FROM p;";
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", rows, "");
    engine_expect(&e, "rowids from 0, as ours", plain, "");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++)
        expect_same(&e, queries[i]);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* A probe that cannot fail would not be one: SQLite 3.40 is known to offer too much. */
Test(seam, tries_out_what_sqlite_offers)
{
    if (sqlite3_libversion_number() / 1000 == 3040)
        cr_expect_not(orma_aux_terms_are_safe(NULL));
    if (sqlite3_libversion_number() >= 3053000)
        cr_expect(orma_aux_terms_are_safe(NULL));
}
