/* Functions on argument sets. */
#include "processor/sql/natives.h"

void orma_sql_result_arg(sqlite3_context *ctx, const struct orma_storage *st,
                         const struct orma_arg *a)
{
    switch ((enum orma_arg_type)a->type) {
    case ORMA_ARG_INT:
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        sqlite3_result_int64(ctx, a->i);
        break;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON: {
        struct orma_str s = orma_strpool_get(&st->pool, a->str);

        if (s.data)
            sqlite3_result_text(ctx, s.data, (int)s.len, SQLITE_STATIC);
        break;
    }
    case ORMA_ARG_REAL:
        sqlite3_result_double(ctx, a->d);
        break;
    case ORMA_ARG_NULL:
        break;
    }
}

/* extract_arg(arg_set_id, key): the value under the full key, NULL if there is none. */
static void extract_arg(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_storage *st = orma_sql_of(ctx)->storage;
    struct orma_arg arg;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        sqlite3_result_error(ctx, "EXTRACT_ARG: 1st argument should be arg set id", -1);
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        sqlite3_result_error(ctx, "EXTRACT_ARG: 2nd argument should be key", -1);
        return;
    }
    int64_t set = sqlite3_value_int64(argv[0]);
    struct orma_str text = {(const char *)sqlite3_value_text(argv[1]),
                            (size_t)sqlite3_value_bytes(argv[1])};
    uint32_t key = orma_strpool_find(&st->pool, text);
    /* Keys of sets that are made on demand may not be in the pool before the first one was. */
    if (!key && set >= ORMA_ARG_SOURCE_FIRST)
        key = orma_strpool_add(&st->pool, text);
    if (key && set >= 0 && set < UINT32_MAX && orma_args_find(&st->args, (uint32_t)set, key, &arg))
        orma_sql_result_arg(ctx, st, &arg);
}

const struct orma_sql_func orma_sql_funcs_args[] = {
    {.name = "extract_arg",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_arg,
     .usage = "(arg_set_id, key) -> ANY",
     .doc = "The value of the argument under its full key; NULL if there is none."},
    {0},
};
