/*
 * Aggregates with ORDER BY inside, which SQLite 3.40 does not have.
 *
 * The dialect writes agg(a ORDER BY b) as __orma_ordered(query, a, b) (see
 * dialect/modern.h). That aggregate keeps all its rows; at the end it runs the
 * query, which puts them in order and gives them to the real aggregate:
 *
 *     SELECT agg(__orma_cell(?1,r,0)) FROM (SELECT r FROM __orma_rows(?1) ORDER BY c1)
 *
 * Cells come through a function and not through the sub-query, because a sorter
 * would drop the mark by which JSON functions know JSON.
 */
#include <stdlib.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/vec.h"

#define POINTER "orma_rows"
#define COLUMNS_MAX 128

struct rows {
    char *query;
    int width;
    sqlite3_value **cells; /* width for each row */
    size_t len, cap;       /* cells */
};

static bool grow(struct rows *s)
{
    return !ORMA_GROW(&s->cells, &s->cap, s->len + (size_t)s->width);
}

static void ordered_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct rows *s = ORMA_AGG_STATE(ctx, struct rows);
    struct orma_str query = argc ? orma_value_str(argv[0]) : (struct orma_str){0};

    if (!s)
        return;
    if (!query.data) { /* the dialect always gives one */
        sqlite3_result_error(ctx, "__orma_ordered: expected a query", -1);
        return;
    }
    if (!s->query) {
        s->width = argc - 1;
        s->query = orma_str_dup(query);
    }
    if (!s->query || !grow(s)) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (int i = 0; i < s->width; i++)
        s->cells[s->len++] = sqlite3_value_dup(argv[i + 1]);
}

static void run_query(sqlite3_context *ctx, struct rows *s)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db, s->query, -1, &stmt, NULL) ||
        sqlite3_bind_pointer(stmt, 1, s, POINTER, NULL))
        sqlite3_result_error(ctx, sqlite3_errmsg(db), -1);
    else if (sqlite3_step(stmt) == SQLITE_ROW)
        orma_result_value(ctx, sqlite3_column_value(stmt, 0));
    else
        sqlite3_result_error(ctx, sqlite3_errmsg(db), -1);
    sqlite3_finalize(stmt);
}

static void ordered_final(sqlite3_context *ctx)
{
    struct rows *s = ORMA_AGG_STATE(ctx, struct rows);

    if (!s)
        return;
    if (s->query)
        run_query(ctx, s);
    for (size_t i = 0; i < s->len; i++)
        sqlite3_value_free(s->cells[i]);
    free(s->cells);
    free(s->query);
    *s = (struct rows){0};
}

/* NULL where there was no memory for the value. */
static void result_cell(sqlite3_context *ctx, const struct rows *s, int64_t row, int64_t col)
{
    sqlite3_value *val = s->cells[row * s->width + col];

    if (val)
        orma_result_value(ctx, val);
}

/* __orma_cell(rows, row, column) */
static void cell(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct rows *s = sqlite3_value_pointer(argv[0], POINTER);
    int64_t row = sqlite3_value_int64(argv[1]), col = sqlite3_value_int64(argv[2]);

    (void)argc;
    if (!s || !s->width || row < 0 || (uint64_t)row >= s->len / (size_t)s->width || col < 0 ||
        col >= s->width)
        return;
    result_cell(ctx, s, row, col);
}

/* ---- the virtual table ---- */

struct cursor {
    sqlite3_vtab_cursor base;
    const struct rows *rows;
    int64_t row, num;
};

static int rows_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct orma_buf text = {0};
    int r;

    (void)aux;
    (void)argc;
    (void)argv;
    (void)ret_error;
    orma_buf_put_str(&text, "CREATE TABLE x(r, rows HIDDEN");
    for (int i = 0; i < COLUMNS_MAX; i++)
        orma_buf_printf(&text, ", c%d", i);
    orma_buf_put_str(&text, ")");
    r = text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    if (r)
        return r;
    *ret = calloc(1, sizeof(**ret));
    return *ret ? SQLITE_OK : SQLITE_NOMEM;
}

static int rows_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != 1 || !info->aConstraint[i].usable ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int rows_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct cursor *c = calloc(1, sizeof(*c));

    (void)base;
    *ret = c ? &c->base : NULL;
    return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int rows_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static int rows_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;

    (void)num;
    (void)plan;
    c->rows = argc ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
    c->row = 0;
    c->num = c->rows && c->rows->width ? (int64_t)c->rows->len / c->rows->width : 0;
    return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->row++;
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *base)
{
    const struct cursor *c = (const struct cursor *)base;

    return c->row >= c->num;
}

static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct cursor *c = (const struct cursor *)base;

    if (idx == 0)
        sqlite3_result_int64(ctx, c->row);
    else if (idx >= 2 && idx - 2 < c->rows->width)
        result_cell(ctx, c->rows, c->row, idx - 2);
    return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module rows_module = {
    .xConnect = rows_connect,
    .xBestIndex = rows_best_index,
    .xDisconnect = rows_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_filter,
    .xNext = rows_next,
    .xEof = rows_eof,
    .xColumn = rows_column,
    .xRowid = rows_rowid,
};

const struct orma_sql_module orma_functions_ordered_modules[] = {
    {.name = "__orma_rows", .module = &rows_module},
    {0},
};

const struct orma_sql_func orma_functions_ordered[] = {
    {.name = "__orma_ordered", .args = -1, .step = ordered_step, .final = ordered_final},
    {.name = "__orma_cell", .args = 3, .scalar = cell},
    {0},
};
