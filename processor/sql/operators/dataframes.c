/*
 * Values that SQL cannot print: frames as pointers, made by aggregates and read
 * back as rows.
 *
 *     SELECT c0 AS a FROM __intrinsic_table_ptr(ptr) WHERE __intrinsic_table_ptr_bind(c0, 'a')
 *
 * The call in WHERE says which column of the frame c0 is; it always holds.
 */
#include "processor/sql/base/values.h"
#include "processor/sql/operators/operators.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/buf.h"

#define TABLE_COLUMNS 32
#define OP_BIND SQLITE_INDEX_CONSTRAINT_FUNCTION

/* ---- frames from rows ---- */

struct frame_agg {
    struct orma_dataframe *frame;
    bool failed; /* the error was reported */
};

/* Columns whose names are so many arguments, each `step` behind the one before. */
static struct orma_dataframe *frame_of_names(sqlite3_context *ctx, int num, sqlite3_value **argv,
                                             int step)
{
    struct orma_dataframe *frame = NULL;
    const char **names = calloc((size_t)num + 1, sizeof(*names));

    for (int k = 0; names && k < num; k++) {
        int i = k * step;

        names[k] = (const char *)sqlite3_value_text(argv[i]);
        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT || !names[k]) {
            orma_result_error(ctx, "argument %d must be the name of a column", i + 1);
            free(names);
            return NULL;
        }
    }
    if (names)
        frame = orma_dataframe_new(orma_sql_of(ctx)->storage, names, (unsigned)num, false);
    free(names);
    if (!frame)
        sqlite3_result_error_nomem(ctx);
    return frame;
}

static bool frame_add(sqlite3_context *ctx, struct orma_dataframe *frame, int argc,
                      sqlite3_value **argv, int first, int step)
{
    uint32_t row = orma_dataframe_add(frame);

    for (int i = first; i < argc; i += step) {
        if (!orma_dataframe_put_value(frame, (unsigned)((i - first) / step), row, argv[i])) {
            if (frame->error)
                orma_result_error(ctx, "%s", frame->error);
            else
                sqlite3_result_error_nomem(ctx);
            return false;
        }
    }
    return true;
}

static void row_frame_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct frame_agg *s = ORMA_AGG_STATE(ctx, struct frame_agg);

    if (!s || s->failed)
        return;
    if (!argc || argc % 2) {
        s->failed = true;
        orma_result_error(ctx, "expected pairs of a name and a value");
        return;
    }
    if (!s->frame)
        s->frame = frame_of_names(ctx, argc / 2, argv, 2);
    s->failed = !s->frame || !frame_add(ctx, s->frame, argc, argv, 1, 2);
}

static void array_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const name[] = {"value"};
    struct frame_agg *s = ORMA_AGG_STATE(ctx, struct frame_agg);

    if (!s || s->failed)
        return;
    if (orma_value_is_null(argv[0])) {
        s->failed = true;
        orma_result_error(ctx, "__intrinsic_array_agg: an array cannot contain NULL");
        return;
    }
    if (!s->frame)
        s->frame = orma_dataframe_new(orma_sql_of(ctx)->storage, name, 1, false);
    if (!s->frame)
        sqlite3_result_error_nomem(ctx);
    s->failed = !s->frame || !frame_add(ctx, s->frame, argc, argv, 0, 1);
}

static void frame_final(sqlite3_context *ctx)
{
    struct frame_agg *s = sqlite3_aggregate_context(ctx, 0);

    if (!s || !s->frame)
        return;
    if (s->failed || orma_dataframe_finish(s->frame) < 0)
        orma_dataframe_unref(s->frame);
    else
        orma_dataframe_result_pointer(ctx, s->frame);
}

static void make_struct(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_dataframe *frame;

    if (!argc || argc % 2) {
        orma_result_error(ctx, "__intrinsic_struct: expected names, then as many values");
        return;
    }
    frame = frame_of_names(ctx, argc / 2, argv, 1);
    if (frame && frame_add(ctx, frame, argc, argv, argc / 2, 1) &&
        orma_dataframe_finish(frame) == 0)
        orma_dataframe_result_pointer(ctx, frame);
    else
        orma_dataframe_unref(frame);
}

/* ---- frames as rows ---- */

struct ptr_vtab {
    sqlite3_vtab base;
};

struct ptr_cursor {
    sqlite3_vtab_cursor base;
    struct orma_dataframe *frame;
    uint32_t row;
    int columns[TABLE_COLUMNS]; /* of the frame; -1: none */
    /* Names that were bound but are not in the frame: a macro for frames of several widths binds
     * all that there may be. Only reading such a column fails. */
    char *unknown[TABLE_COLUMNS];
};

static int ptr_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **ret, char **ret_error)
{
    struct ptr_vtab *v = calloc(1, sizeof(*v));
    struct orma_buf text = {0};
    int r;

    (void)aux;
    (void)argc;
    (void)argv;
    (void)ret_error;
    orma_buf_put_str(&text, "CREATE TABLE x(");
    for (int i = 0; i < TABLE_COLUMNS; i++)
        orma_buf_printf(&text, "c%d,", i);
    orma_buf_put_str(&text, "tab HIDDEN, row HIDDEN)");
    r = v && !text.failed ? sqlite3_declare_vtab(db, orma_buf_cstr(&text)) : SQLITE_NOMEM;
    orma_buf_fini(&text);
    if (r)
        free(v);
    else
        *ret = &v->base;
    return r;
}

static int ptr_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static int ptr_refuse(sqlite3_vtab *base, const char *why)
{
    return orma_result_vtab_error(&base->zErrMsg, "__intrinsic_table_ptr: %s", why);
}

/* The first argument of a scan: the pointer. */
static int plan_pointer(sqlite3_vtab *base, sqlite3_index_info *info)
{
    bool found = false;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->iColumn != TABLE_COLUMNS || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT; /* another order of the tables will do */
        if (!found)
            info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        found = true;
    }
    return found ? SQLITE_OK : ptr_refuse(base, "table must be bound");
}

/* Then names; the plan says of which columns. */
static int ptr_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    char plan[TABLE_COLUMNS + 1] = "";
    int args = 0, r = plan_pointer(base, info);

    if (r)
        return r;
    for (int i = 0; i < info->nConstraint && args < TABLE_COLUMNS; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->op != OP_BIND || c->iColumn < 0 || c->iColumn >= TABLE_COLUMNS || !c->usable)
            continue;
        if (strchr(plan, 'A' + c->iColumn))
            return ptr_refuse(base, "Duplicate bound column");
        plan[args++] = (char)('A' + c->iColumn);
        info->aConstraintUsage[i].argvIndex = args + 1;
        info->aConstraintUsage[i].omit = 1;
    }
    if (!args && info->colUsed & ((UINT64_C(1) << TABLE_COLUMNS) - 1))
        return ptr_refuse(base, "At least one column must be bound");
    info->idxStr = sqlite3_mprintf("%s", plan);
    info->needToFreeIdxStr = 1;
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int ptr_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct ptr_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static void forget_columns(struct ptr_cursor *c)
{
    for (int i = 0; i < TABLE_COLUMNS; i++) {
        c->columns[i] = -1;
        sqlite3_free(c->unknown[i]);
        c->unknown[i] = NULL;
    }
}

static int ptr_close(sqlite3_vtab_cursor *base)
{
    struct ptr_cursor *c = (struct ptr_cursor *)base;

    forget_columns(c);
    orma_dataframe_unref(c->frame);
    free(c);
    return SQLITE_OK;
}

static int bind_columns(struct ptr_cursor *c, const char *plan, sqlite3_value **names)
{
    forget_columns(c);
    for (int i = 0; c->frame && plan[i]; i++) {
        const char *name = (const char *)sqlite3_value_text(names[i]);
        int col = name ? orma_dataframe_find(c->frame, name) : -1;

        int at = plan[i] - 'A';

        c->columns[at] = col;
        if (col >= 0 || c->unknown[at])
            continue;
        c->unknown[at] = sqlite3_mprintf("%s", name ? name : "NULL");
        if (!c->unknown[at])
            return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

static int ptr_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                      sqlite3_value **argv)
{
    struct ptr_cursor *c = (struct ptr_cursor *)base;
    struct orma_dataframe *frame = orma_value_frame(argv[0]);

    (void)num;
    (void)argc;
    c->row = 0;
    orma_dataframe_unref(c->frame);
    c->frame = frame ? orma_dataframe_ref(frame) : NULL;
    if (!frame && sqlite3_value_type(argv[0]) != SQLITE_NULL)
        return ptr_refuse(base->pVtab, "not a pointer to a table");
    return bind_columns(c, plan, argv + 1);
}

static int ptr_next(sqlite3_vtab_cursor *base)
{
    ((struct ptr_cursor *)base)->row++;
    return SQLITE_OK;
}

static int ptr_eof(sqlite3_vtab_cursor *base)
{
    const struct ptr_cursor *c = (const struct ptr_cursor *)base;

    return !c->frame || c->row >= c->frame->table.rows;
}

static int ptr_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct ptr_cursor *c = (const struct ptr_cursor *)base;

    if (idx < TABLE_COLUMNS && c->columns[idx] >= 0)
        orma_dataframe_result(c->frame, ctx, (unsigned)c->columns[idx], c->row);
    if (idx >= TABLE_COLUMNS || !c->unknown[idx])
        return SQLITE_OK;
    return orma_result_vtab_error(&base->pVtab->zErrMsg,
                                  "__intrinsic_table_ptr: column '%s' does not exist in table",
                                  c->unknown[idx]);
}

static int ptr_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((const struct ptr_cursor *)base)->row;
    return SQLITE_OK;
}

static void bind_holds(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int(ctx, 1);
}

static int ptr_find_function(sqlite3_vtab *base, int argc, const char *name,
                             void (**ret)(sqlite3_context *, int, sqlite3_value **), void **data)
{
    (void)base;
    (void)data;
    if (argc != 2 || sqlite3_stricmp(name, "__intrinsic_table_ptr_bind"))
        return 0;
    *ret = bind_holds;
    return OP_BIND;
}

static void bind_elsewhere(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_error(
        ctx,
        "__intrinsic_table_ptr_bind: should not be called from the global scope: the column must "
        "be one of __intrinsic_table_ptr",
        -1);
}

static const sqlite3_module ptr_module = {
    .xConnect = ptr_connect,
    .xBestIndex = ptr_best_index,
    .xDisconnect = ptr_disconnect,
    .xOpen = ptr_open,
    .xClose = ptr_close,
    .xFilter = ptr_filter,
    .xNext = ptr_next,
    .xEof = ptr_eof,
    .xColumn = ptr_column,
    .xRowid = ptr_rowid,
    .xFindFunction = ptr_find_function,
};

const struct orma_sql_module orma_operators_dataframes_modules[] = {
    {.name = "__intrinsic_table_ptr",
     .module = &ptr_module,
     .usage = "(pointer)",
     .doc = "The rows of a dataframe returned by another function, as c0, c1, ...; conditions "
            "__intrinsic_table_ptr_bind(c0, 'name') name the columns. NULL: no rows."},
    {0},
};

const struct orma_sql_func orma_operators_dataframes[] = {
    {.name = "__intrinsic_row_dataframe_agg",
     .args = -1,
     .step = row_frame_step,
     .final = frame_final,
     .usage = "(name, value, ...) -> pointer",
     .doc = "Aggregate: all rows as a dataframe. Each column has one type."},
    {.name = "__intrinsic_array_agg",
     .args = 1,
     .step = array_step,
     .final = frame_final,
     .usage = "(value) -> pointer",
     .doc = "Aggregate: all values as an array of one type, without NULL."},
    {.name = "__intrinsic_struct",
     .args = -1,
     .scalar = make_struct,
     .usage = "(name, ..., value, ...) -> pointer",
     .doc = "Names, then as many values, as a dataframe with one row."},
    {.name = "__intrinsic_table_ptr_bind",
     .args = 2,
     .scalar = bind_elsewhere,
     .usage = "(column, name) -> BOOL",
     .doc = "In the WHERE clause of __intrinsic_table_ptr: binds a column to a name."},
    {0},
};
