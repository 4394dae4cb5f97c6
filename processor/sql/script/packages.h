/*
 * Packages: which SQL modules there are, and where their texts come from.
 *
 * The key of a module is its path below its package with dots, after the name
 * of the package: linux/cpu/idle.sql is linux.cpu.idle of the package linux.
 * Our own library is embedded; folders can be added, and can take the place of
 * the embedded ones.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_PACKAGES_H
#define ORMA_PROCESSOR_SQL_SCRIPT_PACKAGES_H
#include "processor/sql/base/sql.h"
#include "protos/reflect/embedded.h"

struct orma_sql_embedded {
    const char *key, *text;
};

/* What every connection runs is there as text. */
extern const struct orma_embedded orma_sql_stdlib;

enum orma_module_run { ORMA_MODULE_NEW, ORMA_MODULE_RUNNING, ORMA_MODULE_DONE, ORMA_MODULE_FAILED };

struct orma_package_module {
    char *key;
    struct orma_str text; /* ours if `owned`; data NULL if `packed` */
    bool owned;
    bool packed; /* until orma_packages_unpack() */
    uint32_t at; /* in the packed text */
    enum orma_module_run state;
    char *failure; /* what was wrong, once it has failed; perhaps NULL */
};

struct orma_package {
    char *name;
    struct orma_package_module *modules; /* by key */
    size_t len, cap;
};

struct orma_packages {
    struct orma_package *packages;
    size_t len, cap;
    char *library;   /* the embedded texts, once they were unpacked */
    bool overridden; /* the prelude is not the embedded one */
};

int orma_packages_init(struct orma_sql *sql);
void orma_packages_fini(struct orma_sql *sql);

/* No module was run yet: the connection is new. */
void orma_packages_forget(struct orma_sql *sql);

bool orma_packages_overridden(const struct orma_sql *sql);

/* The package of that name; the one whose name is the longest beginning of the key. NULL: none. */
struct orma_package *orma_packages_find(struct orma_packages *self, struct orma_str name);
struct orma_package *orma_packages_find_by_key(struct orma_packages *self, struct orma_str key);

/* NULL: none. */
struct orma_package_module *orma_package_find(struct orma_package *self, struct orma_str key);

/* There is a module of that key, and it was not run yet. */
bool orma_packages_can_include(struct orma_sql *sql, struct orma_str key);

/* All texts of the embedded library are there from now on. 0, or -ENOMEM. */
int orma_packages_unpack(struct orma_sql *sql);

/* Calls `fn` for every module; stops when it gives other than 0, and returns that. */
int orma_packages_each(struct orma_sql *sql,
                       int (*fn)(void *data, const char *package, const char *key,
                                 struct orma_str text),
                       void *data);

/* ---- building: package_load.c ---- */

/* A new package at the end. NULL: out of memory. */
struct orma_package *orma_packages_add(struct orma_packages *self, struct orma_str name);

/* Copies the key; takes the text if `owned`. False: out of memory, and nothing was taken. */
bool orma_package_add(struct orma_package *self, const char *key, struct orma_str text, bool owned);
void orma_package_fini(struct orma_package *self);
void orma_packages_drop_all(struct orma_packages *self);

/*
 * Every *.sql below `dir` becomes a module of the package `name` (NULL: the name of the folder).
 * Files with another dot in their path are skipped. A package that exists is replaced if `replace`,
 * an error otherwise. *ret_skipped, if not NULL, counts what was skipped. -errno with the error
 * set.
 */
int orma_packages_add_folder(struct orma_sql *sql, const char *dir, const char *name, bool replace,
                             unsigned *ret_skipped);

/* A package from texts in memory, which are copied. Keys begin with the package's name and a dot.
 */
int orma_packages_add_texts(struct orma_sql *sql, const char *name,
                            const struct orma_sql_embedded *modules, size_t num, bool replace);

/* Each folder in `dir` becomes a package, in place of that of its name; the others stay. The
 * connection must be made anew. */
int orma_packages_override(struct orma_sql *sql, const char *dir);
#endif
