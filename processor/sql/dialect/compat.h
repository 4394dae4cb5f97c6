/*
 * What newer versions of SQLite understand and 3.40 does not, in words that it does:
 *
 *   1_000                          1000
 *   if(a, b, c)                    iif(a, b, c)
 *   jsonb_set(a, b, c)             json_set(a, b, c): what is made is text, which JSON functions
 *                                      read as well
 *   agg(a ORDER BY b DESC)         __orma_ordered('SELECT agg(__orma_cell(?1,r,0)) FROM (SELECT r
 *                                      FROM __orma_rows(?1) ORDER BY c1 DESC)', a, b)
 *
 * Result columns without a name keep that of what was written (compat_names.h).
 *
 * __orma_ordered() is an aggregate of ours that keeps the rows and runs the query
 * over them at the end.
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_COMPAT_H
#define ORMA_PROCESSOR_SQL_DIALECT_COMPAT_H
#include "processor/sql/dialect/error.h"
#include "processor/sql/dialect/text.h"

/* True if the text may have something to rewrite. */
bool orma_compat_is_needed(struct orma_str text);

/* Rewrites `in` into `out`, which must be empty. 0; -EBADMSG or -ENOMEM with `error` set. */
int orma_compat_rewrite(const struct orma_sql_text *in, struct orma_sql_text *out,
                        struct orma_sql_error *error);
#endif
