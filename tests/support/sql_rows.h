/*
 * Made-up rows in a storage, for tests and benchmarks of SQL: slices on tracks
 * of threads, scheduling, frequencies, flows, args. And the same rows in plain
 * SQLite tables with the indexes that anybody would make.
 */
#ifndef ORMA_TESTS_SUPPORT_SQL_ROWS_H
#define ORMA_TESTS_SUPPORT_SQL_ROWS_H
#include "processor/sql/engine.h"

/* `rows` slices and scheduling slices, a quarter as many counters, flows and sets of args. */
void sql_rows_fill(struct orma_storage *storage, uint32_t rows);

/* Copies the tables people query into `plain`. `indexes`: and makes the indexes. 0 or -1. */
int sql_rows_copy(struct orma_sql *sql, sqlite3 *plain, bool indexes);
#endif
