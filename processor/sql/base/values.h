/* Small helpers for the callbacks of native functions. */
#ifndef ORMA_PROCESSOR_SQL_FUNCS_H
#define ORMA_PROCESSOR_SQL_FUNCS_H
#include "processor/sql/builtins.h"

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

/* The content of the buffer as text or blob; takes its memory. Out of memory if it failed. */
void orma_result_buf(sqlite3_context *ctx, struct orma_buf *buf, bool blob);

/* A copy. */
static inline void orma_result_str(sqlite3_context *ctx, struct orma_str s)
{
    sqlite3_result_text64(ctx, s.data ? s.data : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* A text of the pool, NULL for id 0; not copied. */
static inline void orma_result_pool(sqlite3_context *ctx, const struct orma_storage *st,
                                    uint32_t id)
{
    struct orma_str s = orma_strpool_get(&st->pool, id);

    if (s.data)
        sqlite3_result_text(ctx, s.data, (int)s.len, SQLITE_STATIC);
}

void orma_result_error(sqlite3_context *ctx, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* sum(), total() and avg() of SQLite 3.43, where the library is older. SQLITE_OK or an error. */
int orma_sums_register(sqlite3 *db);
#endif
