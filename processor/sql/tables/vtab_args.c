/*
 * The args table: rows that are stored, then those of sets made on demand.
 *
 * Equality on arg_set_id or id goes straight there. A full scan settles first
 * which sets of the source are equal (store/args.h) and walks the firsts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/sql.h"
#include "processor/sql/base/values.h"
#include "processor/sql/tables/filter.h"
#include "sdk/base/search.h"

enum { BY_SCAN, BY_SET, BY_ID };

/* Behind the stored columns, in the table that people query. */
#define DISPLAY_VALUE ORMA_ARGS_COLUMNS_NUM

struct vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
};

struct cursor {
    sqlite3_vtab_cursor base;
    bool from_source;
    uint32_t row, end; /* stored rows */
    /* of the source */
    struct orma_args_list list;
    uint32_t set;      /* whose args `list` has */
    uint32_t at;       /* in list */
    uint32_t first_id; /* of list[0], among all of the source */
    uint32_t firsts_at, firsts_end;
    bool eof;
};

static int args_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    (void)argc;
    (void)ret_error;
#define COLUMNS                                                                                    \
    "id INTEGER, arg_set_id INTEGER, flat_key TEXT, key TEXT, int_value INTEGER, string_value "    \
    "TEXT, "                                                                                       \
    "real_value DOUBLE, value_type TEXT"
    int r = sqlite3_declare_vtab(db, strcmp(argv[0], "args") ? "CREATE TABLE x(" COLUMNS ")"
                                                             : "CREATE TABLE x(" COLUMNS
                                                               ", display_value TEXT)");
#undef COLUMNS
    struct vtab *v = r ? NULL : calloc(1, sizeof(*v));

    if (r)
        return r;
    if (!v)
        return SQLITE_NOMEM;
    v->sql = aux;
    *ret = &v->base;
    return SQLITE_OK;
}

static int args_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static int args_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct vtab *v = (struct vtab *)base;
    struct orma_args_store *args = &v->sql->storage->args;
    int r = orma_sql_settle_args(v->sql);

    if (r)
        return r;
    double rows = args->table->rows;
    if (args->source.rows)
        rows += args->source.rows(args->source.data) * 4.0;
    info->idxNum = BY_SCAN;
    info->estimatedRows = (sqlite3_int64)ORMA_MAX(rows, 1.0);
    info->estimatedCost = rows * 20 + 100;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ ||
            (c->iColumn != ORMA_ARGS_ARG_SET_ID && c->iColumn != ORMA_ARGS_ID && c->iColumn >= 0))
            continue;
        info->idxNum = c->iColumn == ORMA_ARGS_ARG_SET_ID ? BY_SET : BY_ID;
        info->aConstraintUsage[i].argvIndex = 1;
        info->estimatedRows = info->idxNum == BY_SET ? 4 : 1;
        info->estimatedCost = info->idxNum == BY_SET ? 30 : 10;
        break;
    }
    /* Rows come by id, and set ids rise with it. */
    info->orderByConsumed = info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
                            info->aOrderBy[0].iColumn <= ORMA_ARGS_ARG_SET_ID;
    return SQLITE_OK;
}

static int args_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int args_close(sqlite3_vtab_cursor *base)
{
    orma_args_list_fini(&((struct cursor *)base)->list);
    free(base);
    return SQLITE_OK;
}

static struct orma_args_store *store_of(struct cursor *c)
{
    return &((struct vtab *)c->base.pVtab)->sql->storage->args;
}

/* The args of the next first set of the source. */
static void next_set(struct cursor *c)
{
    struct orma_args_store *args = store_of(c);

    c->from_source = true;
    c->at = 0;
    if (c->firsts_at >= c->firsts_end) {
        c->eof = true;
        return;
    }
    c->set = ORMA_ARG_SOURCE_FIRST + args->source_first[c->firsts_at];
    c->first_id = args->source_id[c->firsts_at++];
    orma_args_load(args, c->set, &c->list);
    c->eof = !c->list.len;
}

static void filter_set(struct cursor *c, int64_t set)
{
    struct orma_args_store *args = store_of(c);
    struct orma_table *t = args->table;

    c->firsts_at = c->firsts_end = 0;
    if (set < 0 || set > UINT32_MAX) {
        c->eof = true;
    } else if (set >= ORMA_ARG_SOURCE_FIRST) {
        uint32_t lo;

        if (!orma_args_source_settle(args)) {
            c->eof = true;
            return;
        }
        lo = ORMA_LOWER_BOUND(args->source_first, args->source_first_num, ,
                              set - ORMA_ARG_SOURCE_FIRST);
        c->firsts_at = lo;
        c->firsts_end =
            lo < args->source_first_num && args->source_first[lo] == set - ORMA_ARG_SOURCE_FIRST
                ? lo + 1
                : lo;
        next_set(c);
    } else {
        c->row = (uint32_t)set;
        c->end = c->row;
        while (c->end < t->rows && orma_table_int(t, ORMA_ARGS_ARG_SET_ID, c->end) == set)
            c->end++;
        c->eof = c->row >= c->end;
    }
}

static void filter_id(struct cursor *c, int64_t id)
{
    struct orma_args_store *args = store_of(c);

    c->firsts_at = c->firsts_end = 0;
    if (id >= 0 && id < args->table->rows) {
        c->row = (uint32_t)id;
        c->end = c->row + 1;
        return;
    }
    c->eof = true;
    if (id < ORMA_ARG_SOURCE_FIRST || !orma_args_source_settle(args) ||
        id - ORMA_ARG_SOURCE_FIRST >= args->source_args)
        return;
    uint32_t want = (uint32_t)(id - ORMA_ARG_SOURCE_FIRST);
    uint32_t lo = ORMA_OFFSET_FIND(args->source_id, args->source_first_num, , want);
    c->firsts_at = lo;
    c->firsts_end = lo + 1;
    next_set(c);
    c->at = want - c->first_id;
    c->list.len = ORMA_MIN(c->list.len, c->at + 1); /* this one only */
    c->eof = c->at >= c->list.len;
}

/* Mostly it is an integer, or none: of a join that asks for each of its rows. */
static inline bool integer_of(sqlite3_value *val, int64_t *ret)
{
    const int type = sqlite3_value_type(val);

    if (ORMA_UNLIKELY(type != SQLITE_INTEGER && type != SQLITE_NULL))
        return orma_filter_integer_of(val, ret);
    *ret = sqlite3_value_int64(val);
    return type == SQLITE_INTEGER;
}

static int args_filter(sqlite3_vtab_cursor *base, int how, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    struct orma_args_store *args = store_of(c);

    int r = orma_sql_settle_args(((struct vtab *)base->pVtab)->sql);

    (void)plan;
    if (r)
        return r;
    c->from_source = c->eof = false;
    c->row = c->end = 0;
    if (how != BY_SCAN) {
        int64_t id;

        /* SQLite checks the row again, so a value that is no integer only has to find nothing. */
        if (argc < 1 || !integer_of(argv[0], &id))
            c->eof = true;
        else if (how == BY_SET)
            filter_set(c, id);
        else
            filter_id(c, id);
        return SQLITE_OK;
    }
    if (!orma_args_source_settle(args))
        return SQLITE_NOMEM;
    c->end = args->table->rows;
    c->firsts_at = 0;
    c->firsts_end = args->source_first_num;
    if (c->row >= c->end)
        next_set(c);
    return SQLITE_OK;
}

static int args_next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;

    if (c->from_source) {
        if (++c->at >= c->list.len)
            next_set(c);
    } else if (++c->row >= c->end) {
        next_set(c);
    }
    return SQLITE_OK;
}

static int args_eof(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)base)->eof;
}

static void result_str(sqlite3_context *ctx, struct cursor *c, uint32_t id)
{
    orma_result_pool(ctx, store_of(c)->pool, id);
}

static void stored_column(struct cursor *c, sqlite3_context *ctx, int idx)
{
    const struct orma_table *t = store_of(c)->table;

    if (idx == ORMA_ARGS_ID)
        sqlite3_result_int64(ctx, c->row);
    else if (t->def->columns[idx].kind == ORMA_COL_STRING)
        result_str(ctx, c, (uint32_t)orma_table_int(t, (unsigned)idx, c->row));
    else if (orma_table_is_null(t, (unsigned)idx, c->row))
        return;
    else if (idx == ORMA_ARGS_REAL_VALUE)
        sqlite3_result_double(ctx, orma_column_double(&t->columns[idx], c->row));
    else
        sqlite3_result_int64(ctx, orma_table_int(t, (unsigned)idx, c->row));
}

static void result_display(sqlite3_context *ctx, struct cursor *c, const struct orma_args_item *a)
{
    char text[64];

    switch ((enum orma_arg_type)a->type) {
    case ORMA_ARG_INT:
        snprintf(text, sizeof(text), "%lld", (long long)a->i);
        break;
    case ORMA_ARG_UINT:
        snprintf(text, sizeof(text), "%llu", (unsigned long long)a->i);
        break;
    case ORMA_ARG_POINTER:
        snprintf(text, sizeof(text), "0x%llx", (unsigned long long)a->i);
        break;
    case ORMA_ARG_BOOL:
        sqlite3_result_text(ctx, a->i ? "true" : "false", -1, SQLITE_STATIC);
        return;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        result_str(ctx, c, a->str);
        return;
    case ORMA_ARG_REAL:
        if (a->d != a->d)
            return; /* not a number: SQLite has NULL for it */
        sqlite3_snprintf(sizeof(text), text, "%!.15g", a->d);
        break;
    case ORMA_ARG_NULL:
        return;
    }
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

static int args_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    struct cursor *c = (struct cursor *)base;
    struct orma_args_item stored, *a = &stored;

    if (c->from_source) {
        a = &c->list.args[c->at];
    } else if (idx == DISPLAY_VALUE) {
        stored = orma_args_row(store_of(c), c->row);
    } else {
        stored_column(c, ctx, idx);
        return SQLITE_OK;
    }
    bool is_text = a->type == ORMA_ARG_STRING || a->type == ORMA_ARG_JSON;
    switch (idx) {
    case ORMA_ARGS_ID:
        sqlite3_result_int64(ctx, (int64_t)ORMA_ARG_SOURCE_FIRST + c->first_id + c->at);
        break;
    case ORMA_ARGS_ARG_SET_ID:
        sqlite3_result_int64(ctx, c->set);
        break;
    case ORMA_ARGS_FLAT_KEY:
        result_str(ctx, c, a->flat_key);
        break;
    case ORMA_ARGS_KEY:
        result_str(ctx, c, a->key);
        break;
    case ORMA_ARGS_INT_VALUE:
        if (!is_text && a->type != ORMA_ARG_REAL && a->type != ORMA_ARG_NULL)
            sqlite3_result_int64(ctx, a->i);
        break;
    case ORMA_ARGS_STRING_VALUE:
        if (is_text)
            result_str(ctx, c, a->str);
        break;
    case ORMA_ARGS_REAL_VALUE:
        if (a->type == ORMA_ARG_REAL)
            sqlite3_result_double(ctx, a->d);
        break;
    case ORMA_ARGS_VALUE_TYPE:
        result_str(ctx, c, store_of(c)->type_names[a->type]);
        break;
    case DISPLAY_VALUE:
        result_display(ctx, c, a);
        break;
    }
    return SQLITE_OK;
}

static int args_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    const struct cursor *c = (const struct cursor *)base;

    *ret = c->from_source ? (int64_t)ORMA_ARG_SOURCE_FIRST + c->first_id + c->at : c->row;
    return SQLITE_OK;
}

const sqlite3_module orma_vtab_args = {
    .xConnect = args_connect,
    .xBestIndex = args_best_index,
    .xDisconnect = args_disconnect,
    .xOpen = args_open,
    .xClose = args_close,
    .xFilter = args_filter,
    .xNext = args_next,
    .xEof = args_eof,
    .xColumn = args_column,
    .xRowid = args_rowid,
};
