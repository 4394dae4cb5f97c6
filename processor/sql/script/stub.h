/*
 * Stubs for what a foreign library needs and we do not have.
 *
 * The prelude of a library that is not ours describes data which have no tables
 * here, those of phones above all. That must not keep its other views away: what
 * fails there is left out and counted, and a view or table that declares its
 * columns stays as an empty one, so that modules can name it.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_STUB_H
#define ORMA_PROCESSOR_SQL_SCRIPT_STUB_H
#include "processor/sql/base/sql.h"
#include "processor/sql/dialect/script.h"

/*
 * A statement (or, if NULL, the reading of its rows) failed in such a prelude: counts and forgets
 * that, and makes an empty view of the declared columns. 0, or the error if that is serious.
 */
int orma_stub_make(struct orma_sql *sql, const struct orma_statement *stmt, int error);
#endif
