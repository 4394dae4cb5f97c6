/*
 * What the rooms above the C API may see of a query: for who reads many cells, each of which costs
 * a call and a lock otherwise.
 */
#ifndef ORMA_PROCESSOR_API_QUERY_IMPL_H
#define ORMA_PROCESSOR_API_QUERY_IMPL_H
#include <sqlite3.h>

#include "processor/processor.h"

/* The statement whose row is there; it belongs to the query. NULL: SQLite does not have this row. */
sqlite3_stmt *orma_query_stmt(const struct orma_query *self);
#endif
