/*
 * One SQLite module serves all table functions; its `aux` names the function. A call is
 * planned as an equality on each hidden argument column, so xFilter() gets all arguments,
 * makes all rows at once and xNext() only counts. Rows are a dataframe of the call, or row
 * numbers of a stored table.
 */
#include "processor/sql/base/tvf.h"
#include "processor/sql/base/values.h"
#include "sdk/base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct tvf_vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
    const struct orma_tvf *tvf;
    /* Declared: the number of the row, echoed arguments and columns; hidden arguments. */
    unsigned before_num, columns_num, visible_num, args_num;
    unsigned map[ORMA_TVF_COLUMNS_MAX]; /* our column -> column of the base table */
};

struct tvf_cursor {
    sqlite3_vtab_cursor base;
    struct orma_tvf_call call;
    sqlite3_value *args[ORMA_TVF_ARGS_MAX]; /* copies, for the hidden columns */
    size_t at, num;
};

/* What is registered with SQLite: lives as long as the connection. */
struct tvf_aux {
    struct orma_sql *sql;
    const struct orma_tvf *tvf;
};

void orma_rows_fini(struct orma_rows *self)
{
    free(self->rows);
    *self = (struct orma_rows){0};
}

void orma_rows_add(struct orma_rows *self, uint32_t row)
{
    if (self->failed || ORMA_GROW(&self->rows, &self->cap, self->len + (size_t)1)) {
        self->failed = true;
        return;
    }
    self->rows[self->len++] = row;
}

int orma_tvf_fail(struct orma_tvf_call *call, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    sqlite3_free(call->error);
    call->error = sqlite3_vmprintf(fmt, args);
    va_end(args);
    return call->error ? -EINVAL : -ENOMEM;
}

int orma_tvf_lacks(struct orma_sql *sql, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(sql->planner.lacks, sizeof(sql->planner.lacks), fmt, args);
    va_end(args);
    return SQLITE_CONSTRAINT;
}

int orma_tvf_take_args(sqlite3_index_info *info, unsigned visible, unsigned num, uint8_t *marks)
{
    int found = 0;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        int arg = c->iColumn - (int)visible;

        if (arg < 0 || arg >= (int)num || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return -1;
        if (marks[arg])
            continue;
        marks[arg] = 1;
        found++;
        info->aConstraintUsage[i].argvIndex = arg + 1;
        info->aConstraintUsage[i].omit = 1;
    }
    return found;
}

static const char *type_name(char letter)
{
    switch (letter) {
    case 'I':
        return "INTEGER";
    case 'D':
        return "DOUBLE";
    case 'T':
        return "TEXT";
    }
    return "";
}

static void put_column(struct orma_buf *text, const char *name, char type, bool hidden)
{
    orma_buf_printf(text, "%s\"%s\" %s%s", text->len > 15 ? "," : "", name, type_name(type),
                    hidden ? " HIDDEN" : "");
}

/* Columns of the function itself. False: the base table lacks one. */
static bool map_columns(struct tvf_vtab *v, struct orma_buf *text)
{
    const struct orma_table_def *def = v->tvf->base ? &orma_table_defs[v->tvf->base - 1] : NULL;

    for (; v->columns_num < ORMA_TVF_COLUMNS_MAX && v->tvf->columns[v->columns_num];
         v->columns_num++) {
        const char *name = v->tvf->columns[v->columns_num];
        unsigned i = 0;

        put_column(text, name, v->tvf->types[v->columns_num], false);
        for (; def && i < def->columns_num && strcmp(def->columns[i].name, name); i++)
            ;
        if (def && i == def->columns_num)
            return false;
        v->map[v->columns_num] = i;
    }
    return true;
}

static bool declare(struct tvf_vtab *v, struct orma_buf *text)
{
    char name[24];

    orma_buf_put_str(text, "CREATE TABLE x(");
    if (v->tvf->numbered)
        put_column(text, "id", 'I', false);
    for (unsigned i = 0; i < v->tvf->echo; i++)
        put_column(text, v->tvf->args[i], '?', false);
    v->before_num = v->tvf->numbered + v->tvf->echo;
    if (!map_columns(v, text))
        return false;
    v->visible_num = v->before_num + v->columns_num;
    for (; v->args_num < ORMA_TVF_ARGS_MAX && v->tvf->args[v->args_num]; v->args_num++) {
        snprintf(name, sizeof(name), "_fn_arg%u", v->args_num);
        put_column(text, name, '?', true);
    }
    put_column(text, "_auto_id", 'I', true);
    orma_buf_put_str(text, ")");
    return true;
}

static int tvf_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                       sqlite3_vtab **ret, char **ret_error)
{
    struct tvf_aux *aux = data;
    struct tvf_vtab *v = calloc(1, sizeof(*v));
    struct orma_buf text = {0};
    int r;

    (void)argc;
    (void)argv;
    (void)ret_error;
    if (!v)
        return SQLITE_NOMEM;
    v->sql = aux->sql;
    v->tvf = aux->tvf;
    r = declare(v, &text) ? SQLITE_OK : SQLITE_INTERNAL;
    if (!r)
        r = sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    if (r)
        free(v);
    else
        *ret = &v->base;
    return r;
}

static int tvf_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

/* Every argument needs a usable equality. */
static int tvf_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct tvf_vtab *v = (struct tvf_vtab *)base;
    uint8_t given[ORMA_TVF_ARGS_MAX] = {0};
    int last = 0;

    if (orma_tvf_take_args(info, v->visible_num, v->args_num, given) < 0)
        return SQLITE_CONSTRAINT;
    for (unsigned i = 0; i < v->args_num; i++)
        last = given[i] ? (int)i + 1 : last;
    for (unsigned i = 0; i < v->args_num; i++) {
        if (!given[i] && (!v->tvf->variadic || (int)i < last || i < v->tvf->required))
            return orma_tvf_lacks(v->sql, "%s: argument '%s' is missing", v->tvf->name,
                                  v->tvf->args[i]);
    }
    info->idxNum = last;
    info->estimatedCost = 20;
    info->estimatedRows = 25;
    return SQLITE_OK;
}

static int tvf_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct tvf_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static void clear(struct tvf_cursor *c)
{
    for (unsigned i = 0; i < ORMA_TVF_ARGS_MAX; i++) {
        sqlite3_value_free(c->args[i]);
        c->args[i] = NULL;
    }
    orma_dataframe_unref(c->call.frame);
    c->call.frame = NULL;
    c->call.rows.len = 0;
    c->at = c->num = 0;
}

static int tvf_close(sqlite3_vtab_cursor *base)
{
    struct tvf_cursor *c = (struct tvf_cursor *)base;

    clear(c);
    orma_rows_fini(&c->call.rows);
    free(c);
    return SQLITE_OK;
}

static int take_error(struct tvf_vtab *v, struct tvf_cursor *c, int r)
{
    char *text = c->call.error;

    c->call.error = NULL;
    if (r == -ENOMEM || r == -ECANCELED) {
        sqlite3_free(text);
        return r == -ENOMEM ? SQLITE_NOMEM : SQLITE_INTERRUPT;
    }
    if (!text && c->call.frame && c->call.frame->error)
        text = sqlite3_mprintf("%s: %s", v->tvf->name, c->call.frame->error);
    r = text ? orma_result_vtab_error(&v->base.zErrMsg, "%s", text)
             : orma_result_vtab_error(&v->base.zErrMsg, "%s failed", v->tvf->name);
    sqlite3_free(text);
    return r;
}

static bool new_frame(struct tvf_vtab *v, struct tvf_cursor *c)
{
    const char *names[ORMA_TVF_COLUMNS_MAX];

    for (unsigned i = 0; i < v->columns_num; i++)
        names[i] = v->tvf->columns[i];
    c->call.frame = orma_dataframe_new(v->sql->storage, names, v->columns_num, false);
    return c->call.frame;
}

static int tvf_filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
                      sqlite3_value **argv)
{
    struct tvf_cursor *c = (struct tvf_cursor *)base;
    struct tvf_vtab *v = (struct tvf_vtab *)base->pVtab;
    int r;

    (void)given;
    (void)plan;
    clear(c);
    for (int i = 0; i < argc; i++)
        c->args[i] = sqlite3_value_dup(argv[i]);
    c->call.sql = v->sql;
    c->call.argc = argc;
    c->call.argv = argv;
    if (!v->tvf->base && !new_frame(v, c))
        return SQLITE_NOMEM;
    r = v->tvf->run(&c->call);
    if (!r && c->call.frame && (c->call.frame->failed || c->call.frame->error))
        r = c->call.frame->failed ? -ENOMEM : -EINVAL;
    if (!r && c->call.rows.failed)
        r = -ENOMEM;
    if (r)
        return take_error(v, c, r);
    c->num = v->tvf->base ? c->call.rows.len : c->call.frame->table.rows;
    return SQLITE_OK;
}

static int tvf_next(sqlite3_vtab_cursor *base)
{
    ((struct tvf_cursor *)base)->at++;
    return SQLITE_OK;
}

static int tvf_eof(sqlite3_vtab_cursor *base)
{
    const struct tvf_cursor *c = (const struct tvf_cursor *)base;

    return c->at >= c->num;
}

/* A cell of a stored table as a result. */
static void result_cell(const struct orma_storage *st, const struct orma_table *t,
                        sqlite3_context *ctx, unsigned col, uint32_t row)
{
    if (orma_table_is_null(t, col, row))
        return;
    if (t->columns[col].kind == ORMA_COL_STRING) {
        orma_result_pool(ctx, &st->pool, (uint32_t)orma_table_int(t, col, row));
    } else if (t->columns[col].kind == ORMA_COL_DOUBLE) {
        sqlite3_result_double(ctx, orma_column_double(&t->columns[col], row));
    } else {
        sqlite3_result_int64(ctx, orma_table_int(t, col, row));
    }
}

static int tvf_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct tvf_cursor *c = (const struct tvf_cursor *)base;
    const struct tvf_vtab *v = (const struct tvf_vtab *)base->pVtab;
    unsigned col = (unsigned)idx;

    if (col == v->visible_num + v->args_num || (col == 0 && v->tvf->numbered)) {
        sqlite3_result_int64(ctx, (sqlite3_int64)c->at);
    } else if (col < v->before_num) {
        if (c->args[col - v->tvf->numbered])
            orma_result_value(ctx, c->args[col - v->tvf->numbered]);
    } else if (col >= v->visible_num) {
        return SQLITE_OK; /* hidden arguments read as NULL */
    } else if (v->tvf->base) {
        result_cell(v->sql->storage, &v->sql->storage->tables[v->tvf->base - 1], ctx,
                    v->map[col - v->before_num], c->call.rows.rows[c->at]);
    } else {
        orma_dataframe_result(c->call.frame, ctx, col - v->before_num, (uint32_t)c->at);
    }
    return SQLITE_OK;
}

static int tvf_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = (sqlite3_int64)((struct tvf_cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module tvf_module = {
    .xConnect = tvf_connect,
    .xBestIndex = tvf_best_index,
    .xDisconnect = tvf_disconnect,
    .xOpen = tvf_open,
    .xClose = tvf_close,
    .xFilter = tvf_filter,
    .xNext = tvf_next,
    .xEof = tvf_eof,
    .xColumn = tvf_column,
    .xRowid = tvf_rowid,
};

int orma_tvf_register(struct orma_sql *sql, const struct orma_tvf *tvf)
{
    struct tvf_aux *aux = malloc(sizeof(*aux));

    /* Rows are made for all of these without asking again. */
    ORMA_ASSERT(tvf->run && tvf->types && strlen(tvf->types) <= ORMA_TVF_COLUMNS_MAX);
    ORMA_ASSERT(tvf->echo <= ORMA_TVF_ARGS_MAX);
    if (!aux)
        return SQLITE_NOMEM;
    *aux = (struct tvf_aux){sql, tvf};
    return sqlite3_create_module_v2(sql->db, tvf->name, &tvf_module, aux, free);
}
