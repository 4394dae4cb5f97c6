/*
 * What SQLite itself brings into a connection, and which of it a query may use.
 *
 * A connection serves many queries, and in a server many people. So nothing that a
 * query says may change what a later one gets to see, reach into the process, or use
 * code of SQLite whose data are gone. Three tables list every function, module and
 * pragma of the SQLite versions we know; each is allowed, or refused for a reason.
 * What they do not list (a newer library, another build) is refused until somebody
 * has looked at it: a test compares the tables with the library that is linked.
 *
 *   functions   refused ones are replaced by one that fails with the reason
 *   modules     all but the allowed ones are dropped
 *   pragmas     by the authorizer: read, ask about a name, or refused
 */
#ifndef ORMA_PROCESSOR_SQL_SQLITE_GUARD_H
#define ORMA_PROCESSOR_SQL_SQLITE_GUARD_H
#include <stdbool.h>

#include "processor/sql/base/sql.h"

/* A row that names what it is about, and why it is refused (NULL: allowed). */
struct orma_sqlite_guard_name {
    const char *name;
    const char *refused;
};

enum orma_sqlite_guard_pragma_use {
    ORMA_PRAGMA_READ, /* without an argument only */
    ORMA_PRAGMA_ASK,  /* its argument says what to show, or it changes no answer */
    ORMA_PRAGMA_FILE, /* READ; with an argument for an attached file, when files are allowed */
    ORMA_PRAGMA_REFUSED,
};

struct orma_sqlite_guard_pragma {
    const char *name;
    enum orma_sqlite_guard_pragma_use use;
};

/* Sorted by name; a NULL name ends. */
extern const struct orma_sqlite_guard_name orma_sqlite_guard_functions[],
    orma_sqlite_guard_modules[];
extern const struct orma_sqlite_guard_pragma orma_sqlite_guard_pragmas[];

/* NULL: not listed. */
const struct orma_sqlite_guard_name *orma_sqlite_guard_find_function(const char *name);
const struct orma_sqlite_guard_pragma *orma_sqlite_guard_find_pragma(const char *name);

/*
 * Takes away what is refused; before our own functions and modules are registered, which may have
 * the same names. SQLITE_OK or an error.
 */
int orma_sqlite_guard_apply(struct orma_sql *sql);

/* The authorizer, from the moment that the connection is of use to others. */
void orma_sqlite_guard_authorize(struct orma_sql *sql);
#endif
