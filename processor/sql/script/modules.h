/*
 * SQL modules: packages of .sql texts that INCLUDE PERFETTO MODULE runs once.
 *
 * The key of a module is its path below its package with dots, behind the name
 * of the package: linux/cpu/idle.sql is linux.cpu.idle of the package linux.
 * Our own library is embedded; folders can be added, and can take the place of
 * the embedded ones.
 *
 * prelude.before_eof.* is run when the engine opens, prelude.after_eof.* when
 * the data is there; nobody needs to include them.
 */
#ifndef ORMA_PROCESSOR_SQL_MODULES_H
#define ORMA_PROCESSOR_SQL_MODULES_H
#include "processor/sql/engine.h"

struct orma_sql_embedded {
    const char *key, *text;
};

/* The embedded library in order of keys; NULL key at the end. Made by tools/embed_sql.py. */
extern const struct orma_sql_embedded orma_sql_stdlib[];

int orma_sql_packages_init(struct orma_sql *sql);
void orma_sql_packages_fini(struct orma_sql *sql);

/* No module was run yet: the connection is new. */
void orma_sql_packages_forget(struct orma_sql *sql);

/*
 * Every *.sql below `dir` becomes a module of the package `name` (NULL: the name of the folder).
 * Files with another dot in their path are skipped. A package that exists is replaced if `replace`,
 * an error otherwise. *ret_skipped, if not NULL, counts what was skipped. -errno with the error
 * set.
 */
int orma_sql_add_package(struct orma_sql *sql, const char *dir, const char *name, bool replace,
                         unsigned *ret_skipped);

/* A package from texts in memory, which are copied. Keys begin with the package's name and a dot.
 */
int orma_sql_add_modules(struct orma_sql *sql, const char *name,
                         const struct orma_sql_embedded *modules, size_t num, bool replace);

/* All embedded packages go, each folder in `dir` becomes one; the connection is made anew. */
int orma_sql_override_stdlib(struct orma_sql *sql, const char *dir);

bool orma_sql_stdlib_overridden(const struct orma_sql *sql);

/* Runs the modules whose keys begin with `prefix`. 0 or -errno. */
int orma_sql_run_modules(struct orma_sql *sql, const char *prefix);

/* Runs one module by its key, as INCLUDE does: for functions. */
int orma_sql_include_key(struct orma_sql *sql, struct orma_str key,
                         const struct orma_sql_text *text, uint32_t at);

/* There is a module of that key, and it was not run yet. */
bool orma_sql_can_include(struct orma_sql *sql, struct orma_str key);

/* Calls `fn` for every module; stops when it gives other than 0, and returns that. */
int orma_sql_each_module(struct orma_sql *sql,
                         int (*fn)(void *data, const char *package, const char *key,
                                   struct orma_str text),
                         void *data);
#endif
