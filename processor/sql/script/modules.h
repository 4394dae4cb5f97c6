/*
 * Running SQL modules: INCLUDE PERFETTO MODULE runs each one once.
 *
 * prelude.before_eof.* is run when the engine opens, prelude.after_eof.* when
 * the data is there; nobody needs to include them.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_MODULES_H
#define ORMA_PROCESSOR_SQL_SCRIPT_MODULES_H
#include "processor/sql/script/packages.h"

struct orma_sql_text;

/* Runs the modules whose keys begin with `prefix`. 0 or -errno. */
int orma_modules_run(struct orma_sql *sql, const char *prefix);

/* Runs one module by its key, as INCLUDE does: for functions. */
int orma_modules_include(struct orma_sql *sql, struct orma_str key,
                         const struct orma_sql_text *text, uint32_t at);
#endif
