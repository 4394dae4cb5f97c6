/*
 * What tables have in common whose only way in is a pointer: `SELECT ... FROM table(?1)`, where ?1
 * is a plan, and the columns are those of whatever the plan gives.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_PLAN_TABLE_H
#define ORMA_PROCESSOR_SQL_BASE_PLAN_TABLE_H
#include "processor/sql/base/sql.h"

struct orma_plan_table {
    sqlite3_vtab base;
    struct orma_sql *sql;
    int plan; /* number of the column that takes the plan */
};

/* For xConnect: `columns` as in CREATE TABLE; the one for the plan comes behind them. */
int orma_plan_table_connect(struct orma_sql *sql, struct orma_str columns, int num,
                            sqlite3_vtab **ret);
/* xDisconnect and xBestIndex of such a table: without a plan there is no way to read it. */
int orma_plan_table_disconnect(sqlite3_vtab *base);
int orma_plan_table_best_index(sqlite3_vtab *base, sqlite3_index_info *info);
/* For xFilter and xNext of a cursor: passes on what the connection says went wrong. */
int orma_plan_table_fail(sqlite3_vtab *base);
#endif
