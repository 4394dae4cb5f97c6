/*
 * A script: statements one after the other, macros expanded, PerfettoSQL parsed.
 *
 *   source ──split at ;──► range ──macros──► text ──modern──► text ──parse──► statement
 *
 * Statements are cut as SQLite would (a trigger ends at its END;). CREATE MACRO
 * is not expanded; everything else is, before anything looks at it. What is no
 * statement of PerfettoSQL goes to SQLite as it is.
 *
 * Bad input: every failure is an error with a place; the script is over then.
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_SCRIPT_H
#define ORMA_PROCESSOR_SQL_DIALECT_SCRIPT_H
#include "processor/sql/dialect/macro.h"
#include "processor/sql/dialect/quote.h"
#include "processor/sql/dialect/types.h"

enum orma_statement_kind {
    ORMA_STMT_SQLITE, /* for SQLite: `sql` */
    ORMA_STMT_CREATE_TABLE,
    ORMA_STMT_CREATE_VIEW,
    ORMA_STMT_CREATE_FUNCTION,
    ORMA_STMT_CREATE_MACRO,
    ORMA_STMT_CREATE_INDEX,
    ORMA_STMT_DROP_INDEX,
    ORMA_STMT_INCLUDE,
};

/* A column of a schema, or an argument of a function or macro. */
struct orma_sql_field {
    struct orma_str name;
    struct orma_str type; /* as written, with what stands in parentheses */
    enum orma_sql_class class;
    bool variadic; /* ANY... */
};

struct orma_sql_fields {
    struct orma_sql_field *fields;
    size_t len, cap;
    bool given; /* there was a list, though perhaps an empty one */
};

/* All strings are slices of `text`, valid until the next statement. */
struct orma_statement {
    enum orma_statement_kind kind;
    bool replace; /* OR REPLACE */
    const struct orma_sql_text *text;
    struct orma_str name;           /* of what is created or dropped; the key of a module */
    struct orma_str table;          /* INDEX: on which table */
    struct orma_sql_fields args;    /* of functions and macros; columns of an index */
    struct orma_sql_fields columns; /* schema; RETURNS TABLE(...) */
    struct orma_sql_field returns;  /* scalar functions, macros */
    struct orma_str delegate;       /* DELEGATES TO */
    struct orma_str body;           /* the select, the tokens of the macro; SQLITE: the statement */
    uint32_t name_at, body_at;      /* offsets in the text */
};

struct orma_script {
    struct orma_sql_source *source;
    uint32_t pos;
    const struct orma_macros *macros;
    struct orma_sql_text expanded, text; /* text: after modern rewriting, if there was any */
    struct orma_statement statement;
};

/* Keeps a reference to `source`; `macros` must outlive the script. -E2BIG: longer than
 * ORMA_SQL_TEXT_MAX. */
int orma_script_init(struct orma_script *self, struct orma_sql_source *source,
                     const struct orma_macros *macros);
void orma_script_fini(struct orma_script *self);

/* 1 and self->statement is the next one; 0 at the end; -EBADMSG or -ENOMEM with `error` set. */
int orma_script_next(struct orma_script *self, struct orma_sql_error *error);

/* Passes over the next statement that is not empty: where it begins, and where its semicolon is.
 * False at the end. */
bool orma_script_skip(struct orma_script *self, uint32_t *ret_at, uint32_t *ret_end);

/* Behind the last statement (its semicolon too). */
static inline uint32_t orma_script_pos(const struct orma_script *self)
{
    return self->pos;
}

/* Parses "name(arg TYPE, ...)" of the legacy create_function(). Fields are slices of `text`. */
int orma_sql_parse_prototype(const struct orma_sql_text *text, struct orma_str *ret_name,
                             struct orma_sql_fields *ret_args, struct orma_sql_error *error);

/* Parses "col TYPE, ..." of the legacy create_view_function(). */
int orma_sql_parse_columns(const struct orma_sql_text *text, struct orma_sql_fields *ret,
                           struct orma_sql_error *error);

void orma_sql_fields_fini(struct orma_sql_fields *self);
#endif
