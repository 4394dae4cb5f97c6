/*
 * Aggregates of one table, carried out over its columns instead of row by row
 * in SQLite.
 *
 *   SELECT name, sum(dur) / 1e6 AS ms FROM slice WHERE depth = 0 GROUP BY name ORDER BY ms DESC
 *
 * is recognised and becomes
 *
 *   SELECT k0 AS "name", a0 / 1e6 AS ms FROM __orma_columnar(?1) ORDER BY ms DESC
 *
 * where ?1 is a plan: table, filters, keys, aggregates. What is left of the
 * statement (expressions over aggregates, HAVING, ORDER BY, LIMIT) SQLite does
 * over the few rows that come out. Taken are count (of distinct values, too), sum, avg, min and max
 * of stored columns, DISTINCT, GROUP BY columns, and WHERE with comparisons of columns with
 * literals joined by AND; and a sub-select instead of the table that only picks columns and rows.
 * Everything else stays as it was.
 *
 * The answers are the same in rows, order, types and errors. Where that needs
 * SQLite's own arithmetic (sums near the end of 64 bits), the plan runs its
 * aggregates as a query after all.
 *
 * SELECT orma_columnar(0) turns it off for a connection, orma_columnar(1) on.
 */
#ifndef ORMA_PROCESSOR_SQL_COLUMNAR_H
#define ORMA_PROCESSOR_SQL_COLUMNAR_H
#include "processor/sql/base/builtins.h"

/*
 * `stmt` was prepared from `text`. If that can be done column-wise, gives the
 * statement to use instead; NULL: it stays. Never fails. Expects that
 * orma_columnar_begin() was called before `stmt` was prepared.
 */
sqlite3_stmt *orma_columnar_prepare(struct orma_sql *sql, struct orma_str text, sqlite3_stmt *stmt);

/* Forgets which tables were planned. */
static inline void orma_columnar_begin(struct orma_sql *sql)
{
    sql->planner.table = NULL;
    sql->planner.mixed = false;
    sql->planner.rows_max = 0;
    sql->planner.args = false;
    sql->planner.reads.list.len = 0;
    sql->planner.reads.failed = false;
    sql->planner.reads.on = true;
}

/* A function of that name was made by a user: if it is one of ours, we stand back. */
void orma_columnar_note_function(struct orma_sql *sql, const char *name);

extern const struct orma_sql_func orma_columnar_funcs[];
extern const struct orma_sql_module orma_columnar_modules[];
#endif
