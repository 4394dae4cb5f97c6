/* Functions on argument sets. */
#include <inttypes.h>
#include <math.h>

#include "processor/sql/functions/functions.h"
#include "processor/sql/functions/json_args.h"
#include "protos/reflect/json.h"
#include "protos/reflect/number.h"

/* extract_arg(arg_set_id, key): the value under the full key, NULL if there is none. */
static void extract_arg(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct orma_storage *st = sql->storage;
    struct orma_args_item arg;

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
    int r = orma_sql_settle_args(sql); /* the key may be a text of theirs only */
    if (r) {
        sqlite3_result_error_code(ctx, r);
        return;
    }
    uint32_t key = orma_strpool_find(&st->pool, text);
    /* Keys of sets that are made on demand may not be in the pool before the first one was. */
    if (!key && set >= ORMA_ARG_SOURCE_FIRST)
        key = orma_strpool_add(&st->pool, text);
    if (key && set >= 0 && set < UINT32_MAX && orma_args_find(&st->args, (uint32_t)set, key, &arg))
        orma_result_arg(ctx, st, &arg);
}

static void put_json(struct orma_buf *out, const struct orma_storage *st,
                     const struct orma_args_item *a)
{
    switch ((enum orma_arg_type)a->type) {
    case ORMA_ARG_INT:
        orma_buf_printf(out, "%" PRId64, a->i);
        break;
    case ORMA_ARG_UINT:
        orma_buf_printf(out, "%" PRIu64, (uint64_t)a->i);
        break;
    case ORMA_ARG_POINTER:
        orma_buf_printf(out, "\"0x%" PRIx64 "\"", (uint64_t)a->i);
        break;
    case ORMA_ARG_BOOL:
        orma_buf_put_str(out, a->i ? "true" : "false");
        break;
    case ORMA_ARG_STRING:
        if (!a->str)
            orma_buf_put_str(out, "null");
        else
            (void)orma_json_quote(out,
                                  orma_strpool_get(&st->pool, a->str)); /* bad UTF-8 is replaced */
        break;
    case ORMA_ARG_JSON:
        orma_buf_put_str(out, orma_strpool_cstr(&st->pool, a->str));
        break;
    case ORMA_ARG_REAL:
        if (isfinite(a->d))
            orma_number_put_double(out, a->d);
        else
            orma_buf_put_str(out, isnan(a->d) ? "\"NaN\""
                                  : a->d > 0  ? "\"Infinity\""
                                              : "\"-Infinity\"");
        break;
    case ORMA_ARG_NULL:
        orma_buf_put_str(out, "null");
        break;
    }
}

static void arg_set_to_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_storage *st = orma_sql_of(ctx)->storage;
    struct orma_args_list list = {0};
    struct orma_json_args tree = {0};
    struct orma_buf value = {0}, out = {0};
    int64_t set = sqlite3_value_int64(argv[0]);

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || set < 0 || set >= UINT32_MAX) {
        orma_result_error(ctx, "__intrinsic_arg_set_to_json: argument should be arg set id");
        return;
    }
    orma_args_load(&st->args, (uint32_t)set, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        orma_buf_clear(&value);
        put_json(&value, st, &list.args[i]);
        orma_json_args_add(&tree, orma_strpool_get(&st->pool, list.args[i].key),
                           orma_buf_str(&value));
    }
    orma_json_args_print(&tree, &out);
    out.failed |= list.failed || tree.failed || value.failed;
    orma_json_args_fini(&tree);
    orma_args_list_fini(&list);
    orma_buf_fini(&value);
    orma_result_buf(ctx, &out, false);
}

const struct orma_sql_func orma_functions_args[] = {
    {.name = "__intrinsic_arg_set_to_json",
     .args = 1,
     .scalar = arg_set_to_json,
     .usage = "(arg_set_id) -> STRING",
     .doc = "All arguments of the set as a JSON object, nested like their keys; NULL for NULL."},
    {.name = "extract_arg",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_arg,
     .usage = "(arg_set_id, key) -> ANY",
     .doc = "The value of the argument with this full key; NULL if there is none."},
    {0},
};
