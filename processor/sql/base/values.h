/*
 * Values of SQLite: arguments that come in and results that go out, for the
 * callbacks of functions and virtual tables.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_VALUES_H
#define ORMA_PROCESSOR_SQL_BASE_VALUES_H
#include "processor/sql/base/sql.h"
#include "sdk/base/buf.h"

/* Aggregates keep their state behind one pointer: a zeroed struct of `size`; NULL: out of memory.
 */
#define ORMA_AGG_STATE(ctx, type) ((type *)sqlite3_aggregate_context((ctx), (int)sizeof(type)))

/* The text of a value; data is NULL for NULL and when memory is out. */
static inline struct orma_str orma_value_str(sqlite3_value *val)
{
    const char *text = (const char *)sqlite3_value_text(val);

    return (struct orma_str){text, text ? (size_t)sqlite3_value_bytes(val) : 0};
}

static inline bool orma_value_is_null(sqlite3_value *val)
{
    return sqlite3_value_type(val) == SQLITE_NULL;
}

static inline bool orma_any_null(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        if (orma_value_is_null(argv[i]))
            return true;
    }
    return false;
}

/* So many bytes a result may have; a longer one is refused when it is given. */
static inline size_t orma_result_max(sqlite3_context *ctx)
{
    return (size_t)sqlite3_limit(sqlite3_context_db_handle(ctx), SQLITE_LIMIT_LENGTH, -1);
}

/* The content of the buffer as text or blob; takes its memory. Out of memory if it failed. */
void orma_result_buf(sqlite3_context *ctx, struct orma_buf *buf, bool blob);

/* A copy. */
static inline void orma_result_str(sqlite3_context *ctx, struct orma_str s)
{
    sqlite3_result_text64(ctx, s.data ? s.data : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/*
 * A text of the pool, NULL for id 0; not copied. Without a length SQLite counts itself, and knows
 * that a zero follows: else whoever asks for the text gets a copy that ends with one.
 */
static inline void orma_result_pool(sqlite3_context *ctx, const struct orma_strpool *pool,
                                    uint32_t id)
{
    struct orma_str s = orma_strpool_get(pool, id);

    if (s.data)
        sqlite3_result_text(ctx, s.data, orma_strpool_is_plain(pool, id) ? -1 : (int)s.len,
                            SQLITE_STATIC);
}

void orma_result_error(sqlite3_context *ctx, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* A result for -ECANCELED or -ENOMEM. */
void orma_result_errno(sqlite3_context *ctx, int error);

/* The value of an arg as result. */
void orma_result_arg(sqlite3_context *ctx, const struct orma_storage *st,
                     const struct orma_args_item *arg);

/*
 * A value of somebody else (a column of an inner statement, an argument) as result. Never a
 * pointer: SQLite would copy it without what keeps its target alive, and the target goes with the
 * inner statement. Use it instead of sqlite3_result_value().
 */
static inline void orma_result_value(sqlite3_context *ctx, sqlite3_value *val)
{
    if (sqlite3_value_type(val) == SQLITE_NULL)
        sqlite3_result_null(ctx);
    else
        sqlite3_result_value(ctx, val);
}

/* For functions called for their effect: VOID. */
void orma_result_void(sqlite3_context *ctx);

/* The pointer type of VOID. */
#define ORMA_VOID_POINTER "orma_void"

/* Ids of an argument: 0 .. UINT32_MAX - 1. False: it is none of these. */
static inline bool orma_value_id(sqlite3_value *val, uint32_t *ret)
{
    int64_t id = sqlite3_value_int64(val);

    if (sqlite3_value_type(val) != SQLITE_INTEGER || id < 0 || id >= UINT32_MAX)
        return false;
    *ret = (uint32_t)id;
    return true;
}

/* Sets the error text of a virtual table; gives the SQLite code to return. */
int orma_result_vtab_error(char **ret_error, const char *fmt, ...) ORMA_PRINTF(2, 3);
#endif
