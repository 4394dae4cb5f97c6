/*
 * What was wrong with SQL, for people: the line, a caret below the name that is wrong, and the
 * message with the nearest name.
 */
#ifndef ORMA_TOOLS_LOAD_SQL_ERROR_H
#define ORMA_TOOLS_LOAD_SQL_ERROR_H
#include "processor/processor.h"
#include "sdk/base/buf.h"

/* The same as one line: "line 1 col 8: no such column: x". `text`: orma_processor_error(). */
void orma_load_put_sql_error(const char *text, struct orma_buf *to);

/* Its last line, without the place. */
const char *orma_load_sql_message(const char *text);

/* Of the last query, on stderr. `from` is what the user calls the text: "SQL", a file. */
void orma_load_print_sql_error(const char *prefix, const char *from,
                               const struct orma_processor *tp);
#endif
