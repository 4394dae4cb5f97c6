/* When statements were started and ended: the table sqlstats shows the last ones. */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_SQLSTATS_H
#define ORMA_PROCESSOR_SQL_SCRIPT_SQLSTATS_H
#include "processor/sql/base/sql.h"

struct orma_sqlstats;

#define ORMA_SQLSTATS_NONE UINT64_MAX

/* A statement begins: gives its id, by which the others know it. ORMA_SQLSTATS_NONE: no memory. */
uint64_t orma_sqlstats_begin(struct orma_sql *sql, struct orma_str query);

/* It gave a row; it is over. Ids that are long gone, or none, are fine. */
void orma_sqlstats_row(struct orma_sql *sql, uint64_t id);
void orma_sqlstats_end(struct orma_sql *sql, uint64_t id);

/* NULL is fine. */
void orma_sqlstats_free(struct orma_sqlstats *self);
#endif
