/*
 * What older versions of SQLite answer otherwise than newer ones (docs/sql-speed.md), and what is
 * done so that the same comes of both. Whether a version does so is tried out (base/trials.h).
 */
#ifndef ORMA_PROCESSOR_SQL_SQLITE_OLDER_H
#define ORMA_PROCESSOR_SQL_SQLITE_OLDER_H
#include "processor/sql/base/sql.h"

/* Before a text is prepared, or becomes part of the schema. */
void orma_sqlite_older_note(struct orma_sql *sql, struct orma_str text);
#endif
