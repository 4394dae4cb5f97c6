/*
 * What modules of the embedded library define is made when a statement first names it.
 *
 * INCLUDE reads where the statements of a module begin and what they create, runs its own INCLUDEs
 * and CREATE MACROs, and leaves the others. Before a statement runs, orma_deferred_need() makes
 * what it names, and what that names in turn, in the order in which they stand in their modules: so
 * nothing is made before what it needs. Words in strings count as names: functions take tables by
 * name. A statement that reads the catalog of SQLite, or begins a transaction, needs everything.
 *
 * What fails is tried again when it is next named. Threads: none; part of an engine.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_DEFERRED_H
#define ORMA_PROCESSOR_SQL_SCRIPT_DEFERRED_H
#include "processor/sql/base/sql.h"
#include "sdk/base/vec.h"

enum orma_deferred_kind { ORMA_DEFERRED_MACRO, ORMA_DEFERRED_OBJECT };

/* A statement of a module. */
struct orma_deferred_entry {
    struct orma_sql_source *source; /* one reference */
    struct orma_str name;           /* in the source */
    uint32_t at, end;               /* of the statement */
    uint32_t next;                  /* of the same hash; UINT32_MAX: the last one */
    uint32_t seen;                  /* the last search that came here */
    enum orma_deferred_kind kind;
    bool made;
};

struct orma_deferred {
    ORMA_VEC(struct orma_deferred_entry) entries;
    struct orma_map by_name; /* hash -> the newest entry */
    uint32_t left;           /* entries that are not made */
    uint32_t search;
};

/* `text` is a module; `frame` names it in tracebacks. 0 or -errno with the error set. */
int orma_deferred_add(struct orma_sql *sql, const char *frame, struct orma_str text);

/* Makes what `statement` needs. 0 or -errno with the error set. */
int orma_deferred_need(struct orma_sql *sql, struct orma_str statement);

/* Calls `fn` with the name of each object that is not made yet. */
static inline void orma_deferred_each(struct orma_sql *sql,
                                      void (*fn)(void *data, struct orma_str name), void *data)
{
    for (uint32_t i = 0; sql->deferred && i < sql->deferred->entries.len; i++) {
        if (!sql->deferred->entries.data[i].made)
            fn(data, sql->deferred->entries.data[i].name);
    }
}

/* The connection is new, or at its end: nothing is left to make. */
void orma_deferred_forget(struct orma_sql *sql);
#endif
