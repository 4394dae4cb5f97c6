/*
 * What was wrong with SQL, for people: the line, a caret below the name that is wrong, and the
 * message with the nearest name.
 */
#ifndef ORMA_TOOLS_LOAD_SQL_ERROR_H
#define ORMA_TOOLS_LOAD_SQL_ERROR_H
#include "processor/processor.h"

/* Of the last query, on stderr. `from` is what the user calls the text: "SQL", a file. */
void orma_load_print_sql_error(const char *prefix, const char *from,
                               const struct orma_processor *tp);
#endif
