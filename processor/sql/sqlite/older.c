#include "processor/sql/sqlite/older.h"

#include "processor/sql/dialect/token.h"

/* SQLite's own name of the bit is private: making one query of a query and those in its FROM. */
#define QUERY_FLATTENER 0x1u
/* Concluding x.s = 'a' from x.s = y.s and y.s = 'a'. */
#define TRANSITIVE 0x80u

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

static bool gives_rows(sqlite3 *db, const char *query)
{
    sqlite3_stmt *stmt = NULL;
    bool found =
        !sqlite3_prepare_v2(db, query, -1, &stmt, NULL) && sqlite3_step(stmt) == SQLITE_ROW;

    (void)sqlite3_finalize(stmt); /* versions without RIGHT JOIN have nothing wrong there */
    return found;
}

void orma_sqlite_older_try(struct orma_sql *sql)
{
    struct orma_sql_older *older = &sql->planner.older;
    sqlite3 *db = NULL;

    *older = (struct orma_sql_older){0};
    if (!sqlite3_open(":memory:", &db) && !sqlite3_exec(db, rows, NULL, NULL, NULL)) {
        older->converts_parts = gives_rows(db, of_parts);
        older->fences_ctes = gives_rows(db, of_fences);
        older->drops_collations = gives_rows(db, of_collations);
        older->mixes_joins = gives_rows(db, of_joins) || gives_rows(db, of_unions);
    }
    (void)sqlite3_close(db); /* nothing is kept */
}

/* ---- words of texts ---- */

static bool has_word(struct orma_str text, const char *word)
{
    const size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if ((text.data[i] | 0x20) == word[0] && !sqlite3_strnicmp(text.data + i, word, (int)len))
            return true;
    }
    return false;
}

/* SELECT DISTINCT, in a sub-select too: at most something is sorted that need not be. */
static bool is_distinct(struct orma_str text)
{
    bool select = false;

    if (!has_word(text, "distinct"))
        return false;
    for (struct orma_token tok = orma_token_next(text, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next(text, tok.at + tok.len)) {
        const struct orma_str word = orma_token_text(text, tok);

        if (tok.kind == ORMA_TOK_SPACE || tok.kind == ORMA_TOK_COMMENT)
            continue;
        if (select && orma_word_eq(word, ORMA_STR("distinct")))
            return true;
        select = orma_word_eq(word, ORMA_STR("select"));
    }
    return false;
}

static bool has_outer_join(struct orma_str text)
{
    return has_word(text, "join") && (has_word(text, "right") || has_word(text, "full"));
}

void orma_sqlite_older_note(struct orma_sql *sql, struct orma_str text)
{
    struct orma_sql_older *older = &sql->planner.older;
    const bool makes = has_word(text, "view") || has_word(text, "function");
    unsigned off = older->always_off;

    sql->planner.distinct = is_distinct(text);
    if (older->mixes_joins && has_outer_join(text))
        off |= QUERY_FLATTENER;
    if (older->drops_collations && has_word(text, "collate"))
        off |= TRANSITIVE;
    if (makes)
        older->always_off = off;
    if (older->off == off)
        return;
    older->off = off;
    sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, sql->db, off);
}
