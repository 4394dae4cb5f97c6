/* What the files of this folder share: a statement from its text to its rows. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_STATEMENT_H
#define ORMA_PROCESSOR_SQL_EXEC_STATEMENT_H
#include "processor/sql/exec/base/query.h"
#include "processor/sql/exec/exec.h"

#define EXEC_POINTER "orma_exec"
#define EXEC_MODULE "__orma_exec"

/* For sqlite3_bind_pointer(). */
void orma_exec_statement_free(void *plan);

/* agree.c: whether names mean to SQLite what they mean here. False: given up. */
bool orma_exec_statement_agrees(struct orma_exec_plan *plan, sqlite3_stmt *stmt);

/* result.c: runs it, if it did not run yet; false: given up. */
bool orma_exec_statement_start(struct orma_exec_plan *plan);

/* The statement in SQLite, as it was prepared, though others may have been since. */
int orma_exec_statement_prepare(const struct orma_exec_plan *plan, sqlite3_stmt **ret);
/* NULL is fine. */
void orma_exec_statement_end(const struct orma_exec_plan *plan, sqlite3_stmt *query);
#endif
