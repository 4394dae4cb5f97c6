#include "processor/sql/base/trials.h"

#include <stdatomic.h>

#include "processor/sql/base/aux_terms.h"

enum { UNKNOWN, IS_SO, IS_NOT_SO };

static atomic_uchar found[ORMA_TRIALS_NUM];

static const char rows[] = "CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);"
                           "CREATE TABLE u(s TEXT); INSERT INTO u VALUES ('b')";

/* Each gives a row where SQLite is wrong. */

/* Values of all parts become what the first part has, once the rows are kept in a table. */
static const char of_parts[] = "WITH c(x) AS (SELECT a FROM t WHERE a < 0 UNION ALL SELECT '7')"
                               "SELECT 1 FROM c, c AS d WHERE typeof(c.x) = 'integer'";

/* A name of WITH that is used twice is no part of the query around it any more. */
static const char of_fences[] =
    "WITH c AS (SELECT 1 AS x FROM t WHERE a < 0) SELECT 1 FROM (SELECT x, count(*) FROM c "
    "UNION ALL SELECT x, count(*) FROM c) WHERE x IS NULL";

/* ON of a join behind a RIGHT JOIN is not tested for rows without a match; */
static const char of_joins[] = "SELECT b.a FROM t a RIGHT JOIN t b JOIN "
                               "(SELECT x.a FROM t x LEFT JOIN t y ON x.a = y.a) ON b.a = 77";

/* and a RIGHT JOIN in a part of UNION ALL is done as a JOIN, too: 3.40 does so always, 3.53 where
 * the part before it has a sub-select. Both give the second row. */
static const char of_unions[] =
    "SELECT 1 FROM (SELECT 1 FROM t WHERE (SELECT 0) UNION ALL SELECT 2 FROM t x RIGHT JOIN t y) "
    "LIMIT 1 OFFSET 1";

/* What is concluded from a comparison by another collation is compared without it. */
static const char of_collations[] =
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM (SELECT 1) CROSS JOIN u x CROSS JOIN u y WHERE x.s = "
    "y.s AND y.s COLLATE NOCASE = 'B')";

static const char *const queries[ORMA_TRIALS_NUM][2] = {
    [ORMA_TRIAL_CONVERTS_PARTS] = {of_parts},
    [ORMA_TRIAL_FENCES_CTES] = {of_fences},
    [ORMA_TRIAL_MIXES_JOINS] = {of_joins, of_unions},
    [ORMA_TRIAL_DROPS_COLLATIONS] = {of_collations},
};

/* Versions without RIGHT JOIN have nothing wrong there: they refuse the text. */
static int gives_rows(sqlite3 *db, const char *query)
{
    sqlite3_stmt *stmt = NULL;
    int r = sqlite3_prepare_v2(db, query, -1, &stmt, NULL);

    if (!r)
        r = sqlite3_step(stmt);
    (void)sqlite3_finalize(stmt); /* what went wrong is known */
    return r == SQLITE_ROW ? IS_SO : r == SQLITE_DONE || r == SQLITE_ERROR ? IS_NOT_SO : UNKNOWN;
}

static int try_queries(const char *const texts[2])
{
    sqlite3 *db = NULL;
    int so = UNKNOWN;

    if (!sqlite3_open(":memory:", &db) && !sqlite3_exec(db, rows, NULL, NULL, NULL)) {
        so = gives_rows(db, texts[0]);
        if (so == IS_NOT_SO && texts[1])
            so = gives_rows(db, texts[1]);
    }
    (void)sqlite3_close(db); /* nothing is kept */
    return so;
}

static int try_terms(void)
{
    bool ran;
    const bool safe = orma_aux_terms_are_safe(&ran);

    return !ran ? UNKNOWN : safe ? IS_NOT_SO : IS_SO;
}

bool orma_sql_trial(enum orma_sql_trial trial)
{
    int so = atomic_load_explicit(&found[trial], memory_order_relaxed);

    if (so == UNKNOWN) {
        so = trial == ORMA_TRIAL_SPREADS_TERMS ? try_terms() : try_queries(queries[trial]);
        atomic_store_explicit(&found[trial], (unsigned char)so, memory_order_relaxed);
    }
    return so != IS_NOT_SO;
}
