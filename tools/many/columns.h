/* What the columns of a query are called in a table, where a name can be there once only. */
#ifndef ORMA_TOOLS_MANY_COLUMNS_H
#define ORMA_TOOLS_MANY_COLUMNS_H
#include "sdk/base/buf.h"

/*
 * Appends the name, quoted, behind a comma. A second x is "x:1", as SQLite calls it. `taken` has the
 * names before it, each with its terminator; the new one is added.
 */
void orma_many_put_name(struct orma_buf *names, struct orma_buf *taken, const char *name);
#endif
