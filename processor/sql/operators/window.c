/*
 * A window of time in steps, a row each.
 *
 *     SELECT ts, dur, quantum_ts FROM __intrinsic_window(start, dur, quantum);
 *     CREATE VIRTUAL TABLE w USING __intrinsic_window(start, dur, quantum);
 *
 * Steps begin at start, start + quantum, ...; the last one may reach beyond the end. A quantum of 0
 * is one step as long as the window. The second form has its window from the statement that made
 * it, which may be dropped and made again under tables that join it.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"

enum {
    ARGS = 3,
    COLUMNS = 3,
    MODULE_ARGS = 3
}; /* argv: the module, the schema, the table, then what is ours */
enum { START, DUR, QUANTUM };

struct window_table {
    sqlite3_vtab base;
    bool fixed; /* made with its window */
    int64_t args[ARGS];
};

struct window_cursor {
    sqlite3_vtab_cursor base;
    int64_t args[ARGS];
    uint64_t at, num;
};

static int refuse(char **ret_error, const char *why)
{
    return orma_result_vtab_error(ret_error, "__intrinsic_window: %s", why);
}

static bool read_number(const char *text, int64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoll(text, &end, 10);
    while (*end == ' ' || *end == '\n' || *end == '\t')
        end++;
    return end != text && !*end && !errno;
}

/* The window of CREATE VIRTUAL TABLE. */
static int read_window(struct window_table *self, int argc, const char *const *argv,
                       char **ret_error)
{
    if (argc == MODULE_ARGS)
        return SQLITE_OK;
    if (argc != MODULE_ARGS + ARGS)
        return refuse(ret_error, "expected start, duration and quantum");
    for (int i = 0; i < ARGS; i++) {
        if (!read_number(argv[MODULE_ARGS + i], &self->args[i]))
            return refuse(ret_error, "start, duration and quantum must be integers");
    }
    self->fixed = true;
    return SQLITE_OK;
}

static int window_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **ret, char **ret_error)
{
    struct window_table *self = calloc(1, sizeof(*self));

    (void)aux;
    if (!self)
        return SQLITE_NOMEM;
    int r = read_window(self, argc, argv, ret_error);
    if (!r)
        r = sqlite3_declare_vtab(db, "CREATE TABLE x(ts INTEGER, dur INTEGER, quantum_ts INTEGER, "
                                     "window_start INTEGER HIDDEN, window_dur INTEGER HIDDEN, "
                                     "quantum INTEGER HIDDEN)");
    if (r)
        free(self);
    else
        *ret = &self->base;
    return r;
}

static int window_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static int window_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct window_table *self = (const struct window_table *)base;

    if (!self->fixed)
        return orma_operators_need_args(base, info, COLUMNS, ARGS, "__intrinsic_window");
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    return SQLITE_OK;
}

static int window_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct window_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int window_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static int window_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                         sqlite3_value **argv)
{
    const struct window_table *self = (const struct window_table *)base->pVtab;
    struct window_cursor *c = (struct window_cursor *)base;

    (void)num;
    (void)plan;
    for (int i = 0; i < ARGS; i++)
        c->args[i] = !self->fixed && i < argc ? sqlite3_value_int64(argv[i]) : self->args[i];
    if (c->args[DUR] < 0 || c->args[QUANTUM] < 0)
        return refuse(&base->pVtab->zErrMsg, "dur and quantum must not be negative");

    uint64_t dur = (uint64_t)c->args[DUR], quantum = (uint64_t)c->args[QUANTUM];
    c->at = 0;
    c->num = quantum ? dur / quantum + (dur % quantum != 0) : 1;
    return SQLITE_OK;
}

static int window_next(sqlite3_vtab_cursor *base)
{
    ((struct window_cursor *)base)->at++;
    return SQLITE_OK;
}

static int window_eof(sqlite3_vtab_cursor *base)
{
    const struct window_cursor *c = (const struct window_cursor *)base;

    return c->at >= c->num;
}

static int window_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct window_cursor *c = (const struct window_cursor *)base;
    uint64_t quantum = (uint64_t)c->args[QUANTUM];

    if (idx == 0)
        sqlite3_result_int64(ctx, (int64_t)((uint64_t)c->args[START] + c->at * quantum));
    else if (idx == 1)
        sqlite3_result_int64(ctx, quantum ? c->args[QUANTUM] : c->args[DUR]);
    else if (idx == 2)
        sqlite3_result_int64(ctx, (int64_t)c->at);
    else if (idx < COLUMNS + ARGS)
        sqlite3_result_int64(ctx, c->args[idx - COLUMNS]);
    return SQLITE_OK;
}

static int window_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = (sqlite3_int64)((const struct window_cursor *)base)->at;
    return SQLITE_OK;
}

/* xCreate is xConnect: a table, and a table function of the same name. */
static const sqlite3_module window_module = {
    .xCreate = window_connect,
    .xConnect = window_connect,
    .xBestIndex = window_best_index,
    .xDisconnect = window_disconnect,
    .xDestroy = window_disconnect,
    .xOpen = window_open,
    .xClose = window_close,
    .xFilter = window_filter,
    .xNext = window_next,
    .xEof = window_eof,
    .xColumn = window_column,
    .xRowid = window_rowid,
};

const struct orma_sql_module orma_operators_window_modules[] = {
    {.name = "__intrinsic_window",
     .module = &window_module,
     .usage = "(start, dur, quantum)",
     .doc = "ts, dur, quantum_ts: a window in steps of `quantum`; 0: the whole window. Also with "
            "CREATE "
            "VIRTUAL TABLE."},
    {0},
};
