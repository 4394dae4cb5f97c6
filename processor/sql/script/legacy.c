/* Functions that change the engine: the older forms of CREATE FUNCTION and INCLUDE. */
#include <errno.h>

#include "processor/sql/script/modules.h"
#include "processor/sql/script/runner.h"
#include "processor/sql/script/script.h"

static bool is_text(sqlite3_context *ctx, const char *func, sqlite3_value *val, const char *what)
{
    if (sqlite3_value_type(val) == SQLITE_TEXT)
        return true;
    orma_result_error(ctx, "%s: %s must be string", func, what);
    return false;
}

/* Runs the statement in the buffer, whose failure is that of the function. */
static void run(sqlite3_context *ctx, struct orma_buf *statement)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    int r = statement->failed
                ? -ENOMEM
                : orma_sql_run_script(sql, "Trace Processor Internal", orma_buf_str(statement));

    orma_buf_fini(statement);
    if (r < 0)
        orma_sql_result_error(ctx, orma_sql_of(ctx), r);
    else
        orma_result_void(ctx);
}

static void create_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char name[] = "CREATE_FUNCTION";
    struct orma_buf text = {0};

    (void)argc;
    if (!is_text(ctx, name, argv[0], "function prototype (first argument)") ||
        !is_text(ctx, name, argv[1], "return type (second argument)") ||
        !is_text(ctx, name, argv[2], "SQL definition (third argument)"))
        return;
    orma_buf_printf(&text, "CREATE OR REPLACE PERFETTO FUNCTION %s RETURNS %s AS %s",
                    sqlite3_value_text(argv[0]), sqlite3_value_text(argv[1]),
                    sqlite3_value_text(argv[2]));
    run(ctx, &text);
}

static void create_view_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char name[] = "CREATE_VIEW_FUNCTION";
    struct orma_buf text = {0};

    (void)argc;
    if (!is_text(ctx, name, argv[0], "function prototype (first argument)") ||
        !is_text(ctx, name, argv[1], "columns (second argument)") ||
        !is_text(ctx, name, argv[2], "SQL definition (third argument)"))
        return;
    orma_buf_printf(&text, "CREATE OR REPLACE PERFETTO FUNCTION %s RETURNS TABLE(%s) AS %s",
                    sqlite3_value_text(argv[0]), sqlite3_value_text(argv[1]),
                    sqlite3_value_text(argv[2]));
    run(ctx, &text);
}

static void memoize(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int r;

    (void)argc;
    if (!is_text(ctx, "EXPERIMENTAL_MEMOIZE", argv[0], "function name (first argument)"))
        return;
    r = orma_sql_user_memoize(orma_sql_of(ctx), orma_value_str(argv[0]));
    if (r == -ENOMEM)
        sqlite3_result_error_nomem(ctx);
    else if (r < 0)
        orma_result_error(ctx,
                          "EXPERIMENTAL_MEMOIZE: '%s' is not a function of exactly one integer "
                          "argument",
                          sqlite3_value_text(argv[0]));
    else
        orma_result_void(ctx);
}

static void import(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int r;

    (void)argc;
    if (!is_text(ctx, "IMPORT", argv[0], "module key (first argument)"))
        return;
    r = orma_modules_include(orma_sql_of(ctx), orma_value_str(argv[0]), NULL, 0);
    if (r < 0)
        orma_sql_result_error(ctx, orma_sql_of(ctx), r);
    else
        orma_result_void(ctx);
}

const struct orma_sql_func orma_script_legacy[] = {
    {.name = "create_function",
     .args = 3,
     .scalar = create_function,
     .usage = "(prototype, return_type, sql) -> VOID",
     .doc = "The older form of CREATE OR REPLACE PERFETTO FUNCTION."},
    {.name = "create_view_function",
     .args = 3,
     .scalar = create_view_function,
     .usage = "(prototype, columns, sql) -> VOID",
     .doc = "The older form of CREATE OR REPLACE PERFETTO FUNCTION ... RETURNS TABLE."},
    {.name = "experimental_memoize",
     .args = 1,
     .scalar = memoize,
     .usage = "(function) -> VOID",
     .doc = "Caches the results of a function of one integer; unrolls its recursion."},
    {.name = "import",
     .args = 1,
     .scalar = import,
     .usage = "(module) -> VOID",
     .doc = "The older form of INCLUDE PERFETTO MODULE."},
    {0},
};
