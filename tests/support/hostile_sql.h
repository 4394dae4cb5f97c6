/*
 * Statements nobody should write: every function, table function, table and module of
 * an engine, with arguments of all types, sizes and kinds. From what the engine lists
 * itself, so that what is registered tomorrow is called tomorrow.
 *
 * The same seed gives the same statements. No criterion in here.
 */
#ifndef ORMA_TESTS_SUPPORT_HOSTILE_SQL_H
#define ORMA_TESTS_SUPPORT_HOSTILE_SQL_H
#include "processor/sql/engine.h"

struct hostile_name {
    char *name;
    int args; /* of a function; -1: any number */
};

struct hostile_sql {
    uint64_t state;
    struct orma_buf functions, tables, table_funcs, modules; /* of struct hostile_name */
    struct orma_buf text;
};

/* Makes what some of the statements use; of another engine than that of hostile_sql_init(). */
int hostile_sql_prepare(struct orma_sql *sql);

/* Asks an engine. 0 or -ENOMEM. */
int hostile_sql_init(struct hostile_sql *self, struct orma_sql *sql, uint64_t seed);
void hostile_sql_fini(struct hostile_sql *self);

size_t hostile_sql_functions(const struct hostile_sql *self);
size_t hostile_sql_tables(const struct hostile_sql *self);
size_t hostile_sql_table_funcs(const struct hostile_sql *self);
size_t hostile_sql_modules(const struct hostile_sql *self);

/* Texts of statements, valid until the next call. A call of the idx-th function: */
const char *hostile_sql_call(struct hostile_sql *self, size_t idx);
const char *hostile_sql_call_table(struct hostile_sql *self, size_t idx);
/* All rows, or conditions and orders of the idx-th table. */
const char *hostile_sql_read(struct hostile_sql *self, size_t idx);
/* The idx-th module and what it made. */
const char *hostile_sql_include(struct hostile_sql *self, size_t idx);
/* Any of these, and scripts that change the engine under their own feet. */
const char *hostile_sql_any(struct hostile_sql *self);

/*
 * Runs it: every cell of at most `rows_max` rows. Returns 0 or the error. Prints nothing.
 */
int hostile_sql_run(struct orma_sql *sql, const char *text, int rows_max);
#endif
