/*
 * Builtins: the functions, table functions and modules that a connection has
 * from the start. The table of all of them stands above this folder
 * (processor/sql/builtins.c) and is handed in as orma_sql.builtins.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_BUILTINS_H
#define ORMA_PROCESSOR_SQL_BASE_BUILTINS_H
#include "processor/sql/base/sql.h"
#include "processor/sql/base/tvf.h"

struct orma_sql_func {
    const char *name; /* NULL ends a table */
    int args;         /* -1: any number */
    int flags;        /* SQLITE_DETERMINISTIC, ... */
    void (*scalar)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*final)(sqlite3_context *ctx);
    void (*value)(sqlite3_context *ctx); /* window functions: value and inverse too */
    void (*inverse)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    /* Libraries of others define it themselves, from tables that the engine fills. */
    bool of_libraries;
    /* For the page of functions: "(a, b) -> LONG" and one sentence. NULL: not for people. */
    const char *usage, *doc;
};

struct orma_sql_module {
    const char *name; /* NULL ends a table */
    const sqlite3_module *module;
    const char *usage, *doc;
};

/* Each member is an array of tables or rows that ends with NULL. */
struct orma_sql_builtins {
    const struct orma_sql_func *const *funcs;
    const struct orma_tvf *const *tvfs;
    const struct orma_sql_module *const *modules;
};

/* Registers all of orma_sql.builtins. SQLITE_OK or an error. */
int orma_builtins_register(struct orma_sql *sql);

/* Registers one function, perhaps under another name. SQLITE_OK or an error. */
int orma_builtins_register_as(struct orma_sql *sql, const char *name,
                              const struct orma_sql_func *func);

/* The function of that name with so many arguments; `args` -2: with any number. NULL: none. */
const struct orma_sql_func *orma_builtins_find(const struct orma_sql *sql, struct orma_str name,
                                               int args);

/* Whether a table function or a module has that name. */
bool orma_builtins_has_module(const struct orma_sql *sql, struct orma_str name);
#endif
