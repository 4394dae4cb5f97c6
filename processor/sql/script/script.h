/* What the script runner brings into SQL: the tables of its files. */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_H
#define ORMA_PROCESSOR_SQL_SCRIPT_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_script_legacy[];

extern const struct orma_tvf orma_sqlstats_tvf;

/*
 * One function for each kind of statement of the dialect, by enum orma_statement_kind: engine.c
 * gives it to the connection, script/runner.c calls it.
 */
extern int (*const orma_script_statements[])(struct orma_sql *sql,
                                             const struct orma_statement *stmt);
#endif
