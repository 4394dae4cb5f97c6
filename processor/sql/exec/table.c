/*
 * The table __orma_exec, whose argument is the plan as a pointer value. If the plan is given up
 * when the first row is asked for, the statement's text is run as a query behind the same table.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/base/plan_table.h"
#include "processor/sql/base/values.h"
#include "processor/sql/exec/statement.h"

struct exec_cursor {
    sqlite3_vtab_cursor base;
    struct orma_exec_plan *plan; /* of the statement */
    struct orma_exec_batch batch;
    uint32_t at;         /* in the batch */
    sqlite3_stmt *query; /* instead of batches; ours unless it is the plan's `given` */
    int64_t row;
    bool eof;
};

static int exec_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct orma_buf columns = {0};

    (void)db;
    (void)argc;
    (void)argv;
    (void)ret_error;
    for (unsigned i = 0; i < EXEC_COLUMNS_MAX; i++)
        orma_buf_printf(&columns, i ? ", c%u" : "c%u", i);
    int r = columns.failed
                ? SQLITE_NOMEM
                : orma_plan_table_connect(data, orma_buf_str(&columns), EXEC_COLUMNS_MAX, ret);
    orma_buf_fini(&columns);
    return r;
}

static int exec_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct exec_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int exec_close(sqlite3_vtab_cursor *base)
{
    const struct exec_cursor *c = (const struct exec_cursor *)base;

    orma_exec_statement_end(c->plan, c->query);
    free(base);
    return SQLITE_OK;
}

static int step_query(struct exec_cursor *c)
{
    int r = sqlite3_step(c->query);

    c->eof = r != SQLITE_ROW;
    return r == SQLITE_ROW || r == SQLITE_DONE ? SQLITE_OK : orma_plan_table_fail(c->base.pVtab);
}

/* ---- rows ---- */

static int next_batch(struct exec_cursor *c)
{
    int r = orma_exec_next_batch(c->plan, &c->batch);

    c->at = 0;
    c->eof = r == 0;
    if (r == -EAGAIN) /* it was tried before */
        return SQLITE_INTERNAL;
    return r < 0 ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int start_query(struct exec_cursor *c)
{
    c->query = c->plan->statement.given;
    if (!c->query && orma_exec_statement_prepare(c->plan, &c->query))
        return orma_plan_table_fail(c->base.pVtab);
    return step_query(c);
}

static int exec_filter(sqlite3_vtab_cursor *base, int num, const char *str, int argc,
                       sqlite3_value **argv)
{
    struct exec_cursor *c = (struct exec_cursor *)base;
    struct orma_sql *sql = ((struct orma_plan_table *)base->pVtab)->sql;

    (void)num;
    (void)str;
    orma_exec_statement_end(c->plan, c->query);
    c->query = NULL;
    c->plan = argc ? sqlite3_value_pointer(argv[0], EXEC_POINTER) : NULL;
    if (!c->plan) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf(EXEC_MODULE " is for the engine alone");
        return SQLITE_ERROR;
    }
    if (orma_sql_is_told_to_stop(sql))
        return SQLITE_INTERRUPT;
    c->plan->output.at = 0;
    if (!orma_exec_statement_start(c->plan)) {
        if (orma_sql_is_told_to_stop(sql))
            return SQLITE_INTERRUPT;
        sql->planner.why = c->plan->why;
        return start_query(c);
    }
    return next_batch(c);
}

static int exec_next(sqlite3_vtab_cursor *base)
{
    struct exec_cursor *c = (struct exec_cursor *)base;

    c->row++;
    if (c->query)
        return step_query(c);
    return ++c->at < c->batch.rows ? SQLITE_OK : next_batch(c);
}

static int exec_eof(sqlite3_vtab_cursor *base)
{
    return ((struct exec_cursor *)base)->eof;
}

static int exec_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct exec_cursor *c = (const struct exec_cursor *)base;

    if (idx >= (int)c->plan->root->results.len)
        return SQLITE_OK;
    if (c->query) {
        orma_result_value(ctx, sqlite3_column_value(c->query, idx));
        return SQLITE_OK;
    }
    const struct orma_exec_column *col = &c->batch.columns[idx];
    switch (col->types ? col->types[c->at] : col->type) {
    case EXEC_INT:
        sqlite3_result_int64(ctx, col->vals[c->at]);
        break;
    case EXEC_REAL:
        sqlite3_result_double(ctx, orma_exec_double(col->vals[c->at]));
        break;
    case EXEC_TEXT:
        orma_result_pool(ctx, &c->plan->sql->storage->pool, (uint32_t)col->vals[c->at]);
        break;
    }
    return SQLITE_OK;
}

static int exec_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct exec_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module exec_module = {
    .xConnect = exec_connect,
    .xBestIndex = orma_plan_table_best_index,
    .xDisconnect = orma_plan_table_disconnect,
    .xOpen = exec_open,
    .xClose = exec_close,
    .xFilter = exec_filter,
    .xNext = exec_next,
    .xEof = exec_eof,
    .xColumn = exec_column,
    .xRowid = exec_rowid,
};

const struct orma_sql_module orma_exec_modules[] = {
    {EXEC_MODULE, &exec_module, NULL, NULL},
    {NULL},
};

/* ---- for people ---- */

static void set_on(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    (void)argc;
    sql->planner.off = !sqlite3_value_int(argv[0]);
    sqlite3_result_int(ctx, !sql->planner.off);
}

/* Why the statement before was left to SQLite; NULL: it was not. */
static void why(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    (void)argc;
    (void)argv;
    if (sql->planner.why)
        sqlite3_result_text(ctx, sql->planner.why, -1, SQLITE_STATIC);
}

const struct orma_sql_func orma_exec_funcs[] = {
    {.name = "orma_columnar",
     .args = 1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = set_on,
     .usage = "(on LONG) -> LONG",
     .doc = "Statements are run over columns, below SQLite, where that is faster; 0 turns that off "
            "for this connection, 1 on again. The answers are the same."},
    {.name = "orma_exec_why",
     .args = 0,
     .flags = SQLITE_DIRECTONLY,
     .scalar = why,
     .usage = "() -> STRING",
     .doc =
         "Why the executor left the statement before this one to SQLite, in a few words; NULL if "
         "it did not, or was not asked."},
    {NULL},
};
