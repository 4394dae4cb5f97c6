/*
 * Which terms of an ON clause SQLite offers to a virtual table.
 *
 * A term of the ON clause of an outer join may filter rows of its right table only. Versions of
 * SQLite (3.40 is one) offer the auxiliary operators (LIKE, GLOB, REGEXP, MATCH, !=, IS NOT, IS NOT
 * NULL, functions) also to tables on the left, whose rows must all be kept. xBestIndex cannot tell
 * such a term from one of WHERE, so it takes none of them there.
 *
 * This is tried out, not taken from the version: a table that takes `!=` is joined with itself.
 * Header only, for it is also used by the extension, which calls the SQLite of its host.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_AUX_TERMS_H
#define ORMA_PROCESSOR_SQL_BASE_AUX_TERMS_H
#include <stdbool.h>
#include <stdlib.h>

#ifndef SQLITE3EXT_H
#include <sqlite3.h>
#endif

static inline bool orma_aux_is_auxiliary(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return false;
    }
    return true;
}

/* A table of one row, and whether its first scan was given a term. */
struct orma_aux_probe {
    sqlite3_vtab base;
    bool *taken;
};

struct orma_aux_cursor {
    sqlite3_vtab_cursor base;
    bool eof;
};

static inline int orma_aux_connect(sqlite3 *db, void *taken, int argc, const char *const *argv,
                                   sqlite3_vtab **ret, char **ret_error)
{
    (void)argc;
    (void)argv;
    (void)ret_error;
    int r = sqlite3_declare_vtab(db, "CREATE TABLE x(a INTEGER)");
    struct orma_aux_probe *v = r ? NULL : calloc(1, sizeof(*v));

    if (!v)
        return r ? r : SQLITE_NOMEM;
    v->taken = taken;
    *ret = &v->base;
    return SQLITE_OK;
}

static inline int orma_aux_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static inline int orma_aux_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    int args = 0;

    (void)base;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].usable)
            info->aConstraintUsage[i].argvIndex = ++args;
    }
    info->estimatedCost = 10.0 / (args + 1);
    return SQLITE_OK;
}

static inline int orma_aux_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct orma_aux_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static inline int orma_aux_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static inline int orma_aux_filter(sqlite3_vtab_cursor *base, int num, const char *str, int argc,
                                  sqlite3_value **argv)
{
    (void)num;
    (void)str;
    (void)argv;
    *((struct orma_aux_probe *)base->pVtab)->taken |= argc > 0;
    ((struct orma_aux_cursor *)base)->eof = false;
    return SQLITE_OK;
}

static inline int orma_aux_next(sqlite3_vtab_cursor *base)
{
    ((struct orma_aux_cursor *)base)->eof = true;
    return SQLITE_OK;
}

static inline int orma_aux_eof(sqlite3_vtab_cursor *base)
{
    return ((struct orma_aux_cursor *)base)->eof;
}

static inline int orma_aux_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    (void)base;
    (void)idx;
    sqlite3_result_int(ctx, 1);
    return SQLITE_OK;
}

static inline int orma_aux_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    (void)base;
    *ret = 0;
    return SQLITE_OK;
}

static const sqlite3_module orma_aux_module = {
    .xConnect = orma_aux_connect,
    .xBestIndex = orma_aux_best_index,
    .xDisconnect = orma_aux_disconnect,
    .xOpen = orma_aux_open,
    .xClose = orma_aux_close,
    .xFilter = orma_aux_filter,
    .xNext = orma_aux_next,
    .xEof = orma_aux_eof,
    .xColumn = orma_aux_column,
    .xRowid = orma_aux_rowid,
};

/* Whether auxiliary operators are offered only to tables that they may filter. `ret_ran` (may be
 * NULL): it could be tried. */
static inline bool orma_aux_terms_are_safe(bool *ret_ran)
{
    static const char query[] = "SELECT 1 FROM t x LEFT JOIN t y ON x.a != 1";
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    bool taken = false;
    bool ran = !sqlite3_open(":memory:", &db) &&
               !sqlite3_create_module(db, "t", &orma_aux_module, &taken) &&
               !sqlite3_prepare_v2(db, query, -1, &stmt, NULL) && sqlite3_step(stmt) == SQLITE_ROW;

    (void)sqlite3_finalize(stmt); /* what went wrong is known */
    (void)sqlite3_close(db);
    if (ret_ran)
        *ret_ran = ran;
    return ran && !taken;
}
#endif
