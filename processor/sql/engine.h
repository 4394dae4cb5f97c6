/*
 * SQL over a storage: one SQLite connection with every table of the storage as
 * a virtual table, views and modules on top of them, our functions, operators
 * and the PerfettoSQL dialect.
 *
 * Each arrow is a call, each name a folder:
 *
 *   dialect/ ◄── script/runner.c ─┬─► SQLite ─► tables/, functions/, ...  rows
 *   cuts the     runs each one  ├─► exec/                 what needs no SQLite
 *   script into                 ├─► script/create_table.c CREATE TABLE, VIEW, INDEX
 *   statements                  ├─► script/user_func.c    CREATE FUNCTION
 *                               ├─► script/user_table_func.c  ... RETURNS TABLE
 *                               ├─► dialect/macro.c       CREATE MACRO
 *                               └─► script/modules.c ─► script/runner.c   INCLUDE
 *
 * This folder stands above all others: it opens the connection and hands them the
 * tables of what there is. New functions and table functions are rows of
 * builtins.c, views are rows of views.c, everything else that SQL can say for
 * itself is a module in stdlib/.
 */
#ifndef ORMA_PROCESSOR_SQL_ENGINE_H
#define ORMA_PROCESSOR_SQL_ENGINE_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/sql.h"

/* 0, -ENOMEM, or -EIO with an error. The storage must outlive it. */
int orma_sql_open(struct orma_storage *storage, struct orma_sql **ret);
void orma_sql_close(struct orma_sql *self);

/*
 * Makes the connection anew, as it was after orma_sql_data_ready(): tables, views, functions,
 * macros and indexes made since are gone, and modules can be included again. No statement may be
 * open. Cannot be interrupted. 0 or -EIO.
 */
int orma_sql_reset(struct orma_sql *self);

/* The data is complete: things that depend on it (trace bounds) are made anew. 0 or -EIO. */
int orma_sql_data_ready(struct orma_sql *self);

/* All embedded packages go, each folder in `dir` becomes one; the connection is made anew. */
int orma_sql_override_stdlib(struct orma_sql *sql, const char *dir);

struct orma_sql_view {
    const char *name, *sql; /* CREATE VIEW name AS sql */
};
extern const struct orma_sql_view orma_sql_views[]; /* views.c; NULL name at the end */

/* What a connection has of ours: builtins.c. */
extern const struct orma_sql_builtins orma_sql_builtins;
#endif
