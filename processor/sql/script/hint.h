/*
 * "Did you mean": what may have been meant by a name in a script that names nothing.
 *
 * Looked for once a statement has failed, among what the connection has (tables, columns of the
 * tables that the statement names, functions, macros, modules) and what modules define that were
 * not included. What is said stands behind the message, which stays as it is:
 *
 *     no such table: slcie; did you mean 'slice'?
 *     no such table: cpu_idle_counters; it is in the module linux.cpu.idle: INCLUDE PERFETTO ...
 *
 * The work is bounded: long names are not looked for, and no more than the first words of a
 * statement are taken for tables. It asks SQLite itself: sqlite3_errmsg() is another afterwards.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_HINT_H
#define ORMA_PROCESSOR_SQL_SCRIPT_HINT_H
#include "processor/sql/base/sql.h"

/* Completes the message of `sql->error`, if it is about a name; `statement` is what failed. */
void orma_sql_hint(struct orma_sql *sql, struct orma_str statement);
#endif
