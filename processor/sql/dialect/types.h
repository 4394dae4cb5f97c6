/*
 * The type names of schemas and prototypes: LONG, STRING, JOINID(thread.id), ...
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_TYPES_H
#define ORMA_PROCESSOR_SQL_DIALECT_TYPES_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* What values of a type are in SQLite. */
enum orma_sql_class {
    ORMA_CLASS_NONE, /* no type of that name */
    ORMA_CLASS_INTEGER,
    ORMA_CLASS_REAL,
    ORMA_CLASS_TEXT,
    ORMA_CLASS_BLOB,
    ORMA_CLASS_ANY,
};

/* The class of a type name, without what stands in parentheses behind it. Case does not count. */
enum orma_sql_class orma_sql_type_class(struct orma_str name);

/* How messages call the class: LONG, DOUBLE, STRING, BYTES, ANY. */
const char *orma_sql_class_name(enum orma_sql_class class);

/* How the columns of our virtual tables are declared to SQLite: INTEGER, DOUBLE, TEXT, BLOB. */
const char *orma_sql_class_declared(enum orma_sql_class class);

/* Documentation types of macros: Expr, TableOrSubquery, ... */
bool orma_sql_is_macro_type(struct orma_str name);

/* Appends their names, for messages. */
void orma_sql_put_macro_types(struct orma_buf *out);
#endif
