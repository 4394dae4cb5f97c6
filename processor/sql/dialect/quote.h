/* Names and literals, into quotes and out of them. */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_QUOTE_H
#define ORMA_PROCESSOR_SQL_DIALECT_QUOTE_H
#include "sdk/base/buf.h"

/* A name as SQLite reads it: without quotes. Returns a copy from malloc; NULL: out of memory. */
char *orma_sql_unquote(struct orma_str name);

/* Appends "name" with quotes, whatever is in it. */
void orma_sql_put_quoted(struct orma_buf *out, struct orma_str name);

/* Appends 'text' as a literal, whatever is in it but zero bytes. */
void orma_sql_put_literal(struct orma_buf *out, struct orma_str text);
#endif
