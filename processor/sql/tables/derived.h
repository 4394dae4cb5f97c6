/*
 * Events derived from the trace by SQL: slices and counters that a query makes
 * appear in the tables, and so in exports, beside those of the trace; and
 * descriptions of slices, as args.
 *
 *   SELECT orma_slice(orma_track('Startup'), min(ts), max(ts + dur) - min(ts), 'launch')
 *   FROM slice WHERE name GLOB 'start*';
 *
 * Functions only note what is wanted and give the id that the row will have.
 * The rows are added when no statement is running any more, so no query sees
 * tables grow under it. orma_sql_reset() takes them away again.
 *
 * Slices that one statement makes on one track are nested by their times.
 */
#ifndef ORMA_PROCESSOR_SQL_DERIVED_H
#define ORMA_PROCESSOR_SQL_DERIVED_H
#include "processor/sql/base/builtins.h"

/* Adds what waits, if no statement runs. Called around every call into the engine. */
void orma_derived_flush(struct orma_sql *sql);

/* Whether there are any, or what else queries changed in the storage. */
bool orma_derived_any(const struct orma_sql *sql);

/* Takes all derived events out of the storage. No statement may be open. */
void orma_derived_undo(struct orma_sql *sql);
void orma_derived_fini(struct orma_sql *sql);

extern const struct orma_sql_func orma_derived_funcs[];
#endif
