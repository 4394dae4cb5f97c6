/* The statements of the dialect: one function for each kind. */
#include <errno.h>

#include "processor/sql/script/runner.h"
#include "processor/sql/script/script.h"

static int create_macro(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_str params[ORMA_MACRO_ARGS_MAX];
    struct orma_buf frame = {0};

    if (!s->replace && orma_macros_find(&sql->macros, s->name))
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "CREATE PERFETTO MACRO %.*s: Macro already exists",
                                  ORMA_STR_ARG(s->name));
    for (size_t i = 0; i < s->args.len; i++)
        params[i] = s->args.fields[i].name;
    orma_buf_printf(&frame, "Macro \"%.*s\"", ORMA_STR_ARG(s->name));
    ORMA_AUTO(orma_sql_source_unref_p)
    struct orma_sql_source *body = orma_sql_source_new(orma_buf_cstr(&frame), s->body);
    orma_buf_fini(&frame);
    if (!body || orma_macros_put(&sql->macros, s->name, params, s->args.len, body) < 0)
        return orma_sql_error_oom(&sql->error);
    return 0;
}

static int create_function(struct orma_sql *sql, const struct orma_statement *s)
{
    return s->columns.given && !s->delegate.len ? orma_sql_user_create_table_func(sql, s)
                                                : orma_sql_user_create_func(sql, s);
}

int (*const orma_script_statements[])(struct orma_sql *, const struct orma_statement *) = {
    [ORMA_STMT_CREATE_TABLE] = orma_sql_create_table,
    [ORMA_STMT_CREATE_VIEW] = orma_sql_create_view,
    [ORMA_STMT_CREATE_FUNCTION] = create_function,
    [ORMA_STMT_CREATE_MACRO] = create_macro,
    [ORMA_STMT_CREATE_INDEX] = orma_sql_create_index,
    [ORMA_STMT_DROP_INDEX] = orma_sql_drop_index,
    [ORMA_STMT_INCLUDE] = orma_modules_run_include,
};
