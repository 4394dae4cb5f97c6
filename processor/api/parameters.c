/*
 * Parameters of queries, and running one again. Statements without parameters that run by columns
 * are prepared anew, since what is left of their rows can't be taken back; those with parameters
 * become what they were (sql/script/bound.h).
 */
#include <errno.h>
#include <string.h>

#include "processor/api/query_impl.h"
#include "processor/sql/script/bound.h"

/* More has no place in SQLite, which would take the largest lengths for none. */
#define BYTES_MAX ((size_t)INT32_MAX)

unsigned orma_query_parameters(const struct orma_query *self)
{
    return self->stmt->params;
}

unsigned orma_query_parameter(const struct orma_query *self, const char *name)
{
    const struct orma_sql_stmt *stmt = self->stmt;
    sqlite3_stmt *given = stmt->bound && stmt->bound->given ? stmt->bound->given : stmt->stmt;

    return stmt->params ? (unsigned)sqlite3_bind_parameter_index(given, name) : 0;
}

static int result_of(int code)
{
    switch (code) {
    case SQLITE_OK:
        return 0;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_TOOBIG:
        return -E2BIG;
    case SQLITE_MISUSE: /* it was stepped to its end */
        return -EBUSY;
    }
    return -ERANGE;
}

/* The statement, if `param` may be bound now. */
static int may_bind(const struct orma_query *self, unsigned param, sqlite3_stmt **ret)
{
    if (param < 1 || param > self->stmt->params)
        return -ERANGE;
    *ret = self->stmt->stmt;
    return sqlite3_stmt_busy(*ret) || self->stmt->has_row ||
                   (self->stmt->bound && self->stmt->bound->given)
               ? -EBUSY
               : 0;
}

int orma_query_bind_null(struct orma_query *self, unsigned param)
{
    sqlite3_stmt *stmt;
    int r = may_bind(self, param, &stmt);

    if (!r && !(r = result_of(sqlite3_bind_null(stmt, (int)param))))
        orma_bound_note(self->stmt, param, sqlite3_mprintf("NULL"));
    return r;
}

int orma_query_bind_int64(struct orma_query *self, unsigned param, int64_t value)
{
    sqlite3_stmt *stmt;
    int r = may_bind(self, param, &stmt);

    if (!r && !(r = result_of(sqlite3_bind_int64(stmt, (int)param, value))))
        orma_bound_note_int(self->stmt, param, value);
    return r;
}

int orma_query_bind_double(struct orma_query *self, unsigned param, double value)
{
    sqlite3_stmt *stmt;
    int r = may_bind(self, param, &stmt);

    if (!r && !(r = result_of(sqlite3_bind_double(stmt, (int)param, value))))
        orma_bound_note_double(self->stmt, param, value);
    return r;
}

int orma_query_bind_text(struct orma_query *self, unsigned param, const char *text, size_t len)
{
    sqlite3_stmt *stmt;
    int r = may_bind(self, param, &stmt);

    if (!text)
        return orma_query_bind_null(self, param);
    len = len == ORMA_WHOLE ? strlen(text) : len;
    if (!r && len > BYTES_MAX)
        r = -E2BIG;
    if (!r && !(r = result_of(sqlite3_bind_text64(stmt, (int)param, text, len, SQLITE_TRANSIENT,
                                                  SQLITE_UTF8))))
        orma_bound_note_text(self->stmt, param, text, len);
    return r;
}

int orma_query_bind_blob(struct orma_query *self, unsigned param, const void *data, size_t len)
{
    sqlite3_stmt *stmt;
    int r = may_bind(self, param, &stmt);

    if (!r && len > BYTES_MAX)
        r = -E2BIG;
    /* A NULL pointer would be a NULL, which no bytes are not. */
    if (!r && !(r = result_of(
                    sqlite3_bind_blob64(stmt, (int)param, len ? data : "", len, SQLITE_TRANSIENT))))
        orma_bound_note(self->stmt, param, sqlite3_mprintf(""));
    return r;
}

int orma_query_reset(struct orma_query *self)
{
    if (orma_sql_stmt_reset(self->stmt))
        return 0;
    struct orma_str text = orma_query_sql(self);
    struct orma_query *again;
    int r = orma_query_prepare(self->tp, text.data, text.len, &again, NULL);

    if (r)
        return r < 0 ? r : -EINVAL;
    struct orma_sql_stmt *old = self->stmt;
    self->stmt = again->stmt;
    again->stmt = old;
    orma_query_free(again);
    return 0;
}
