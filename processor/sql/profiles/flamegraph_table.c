/*
 * Flame graphs: a forest of frames with values, filtered, merged and laid out.
 *
 *     CREATE VIRTUAL TABLE f USING __intrinsic_flamegraph((SELECT id, parent_id, name, ...));
 *     SELECT * FROM f(__intrinsic_flamegraph_config('config',
 *         __intrinsic_flamegraph_config('view', 'TOP_DOWN'),
 *         __intrinsic_flamegraph_config('value', 'self_count')));
 *
 * The rows of the query are kept as they come, parents before children. For each
 * scan: (1) filters decide which stacks count and which frames are shown,
 * (2) frames of equal name and grouping below the same frame become one,
 * (3) values are summed up from the leaves, (4) siblings are laid side by side,
 * the widest first.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/profiles/flamegraph.h"

/* ---- configurations ---- */

static void config_free(void *data)
{
    struct orma_fg_config *c = data;

    if (!c)
        return;
    for (size_t i = 0; i < c->len; i++)
        for (int k = 0; k < ORMA_FG_ARGS; k++)
            free(c->items[i].args[k]);
    free(c->items);
    free(c);
}

static struct orma_fg_item *add_item(struct orma_fg_config *c)
{
    struct orma_fg_item *grown = realloc(c->items, (c->len + 1) * sizeof(*grown));

    if (!grown)
        return NULL;
    c->items = grown;
    grown[c->len] = (struct orma_fg_item){0};
    return &grown[c->len++];
}

static bool copy_items(struct orma_fg_config *to, const struct orma_fg_config *from)
{
    for (size_t i = 0; i < from->len; i++) {
        struct orma_fg_item *item = add_item(to);

        for (int k = 0; item && k < ORMA_FG_ARGS && from->items[i].args[k]; k++) {
            item->args[k] = strdup(from->items[i].args[k]);
            if (!item->args[k])
                return false;
        }
        if (!item)
            return false;
    }
    return true;
}

/* The texts of one call are an item; configurations among its arguments add theirs. */
static bool fill_config(struct orma_fg_config *c, int argc, sqlite3_value **argv)
{
    struct orma_fg_item *item = add_item(c);
    size_t own = c->len - 1;
    int n = 0;

    if (!item)
        return false;
    for (int i = 0; i < argc; i++) {
        const struct orma_fg_config *nested =
            sqlite3_value_pointer(argv[i], ORMA_FG_CONFIG_POINTER);
        struct orma_str text = orma_value_str(argv[i]);

        if (nested && !copy_items(c, nested))
            return false;
        if (!nested && text.data && n < ORMA_FG_ARGS) {
            c->items[own].args[n] = orma_str_dup(text);
            if (!c->items[own].args[n++])
                return false;
        }
    }
    return true;
}

static void make_config(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_fg_config *c;

    if (!argc || sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        orma_result_error(ctx, "__intrinsic_flamegraph_config: the first argument must be a tag");
        return;
    }
    c = calloc(1, sizeof(*c));
    if (!c || !fill_config(c, argc, argv)) {
        config_free(c);
        sqlite3_result_error_nomem(ctx);
        return;
    }
    sqlite3_result_pointer(ctx, c, ORMA_FG_CONFIG_POINTER, config_free);
}

const struct orma_sql_func orma_profiles_flamegraph[] = {
    {.name = "__intrinsic_flamegraph_config",
     .args = -1,
     .scalar = make_config,
     .usage = "(tag STRING, ...) -> pointer",
     .doc = "Part of the configuration of a flame graph: view(kind), view_pattern(pattern[, "
            "flags]), filter(kind, pattern[, flags]), grouping(column), value(column), "
            "aggregate(kind, column[, out]); configurations among the arguments are combined."},
    {0},
};

/* ---- the table ---- */

enum {
    C_TREE,
    C_PARENT,
    C_DEPTH,
    C_NAME,
    C_SELF,
    C_CUM,
    C_PARENT_CUM,
    C_START,
    C_END,
    C_CONFIG,
    C_NUM
};

struct fg_vtab {
    sqlite3_vtab base;
    struct orma_fg_source src;
};

struct fg_cursor {
    sqlite3_vtab_cursor base;
    struct orma_fg_result result;
    uint32_t row;
};

static int fg_disconnect(sqlite3_vtab *base)
{
    struct fg_vtab *v = (struct fg_vtab *)base;

    orma_dataframe_unref(v->src.rows);
    free(v->src.parents);
    free(v);
    return SQLITE_OK;
}

/* All columns of the query as a frame. */
static int read_rows(struct fg_vtab *v, sqlite3_stmt *stmt, char **ret_error)
{
    int num = sqlite3_column_count(stmt), r;
    const char **names = calloc((size_t)num + 1, sizeof(*names));

    for (int i = 0; names && i < num; i++)
        names[i] = sqlite3_column_name(stmt, i);
    v->src.rows =
        names ? orma_dataframe_new(v->src.sql->storage, names, (unsigned)num, false) : NULL;
    free(names);
    if (!v->src.rows)
        return SQLITE_NOMEM;
    while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
        uint32_t row = orma_dataframe_add(v->src.rows);

        for (int i = 0; i < num; i++) {
            if (!orma_dataframe_put_value(v->src.rows, (unsigned)i, row,
                                          sqlite3_column_value(stmt, i)))
                return v->src.rows->error
                           ? orma_result_vtab_error(ret_error, "flamegraph: %s", v->src.rows->error)
                           : SQLITE_NOMEM;
        }
    }
    if (r != SQLITE_DONE)
        return orma_result_vtab_error(ret_error, "flamegraph: %s", sqlite3_errmsg(v->src.sql->db));
    return orma_dataframe_finish(v->src.rows) < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

static int link_rows(struct fg_vtab *v, char **ret_error)
{
    static const char *const needed[] = {"id", "parent_id", "name"};
    int cols[ORMA_ARRAY_LEN(needed)];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(needed); i++) {
        cols[i] = orma_dataframe_find(v->src.rows, needed[i]);
        if (cols[i] < 0)
            return orma_result_vtab_error(ret_error, "flamegraph: the query has no column '%s'",
                                          needed[i]);
    }
    v->src.name = (unsigned)cols[2];
    switch (orma_fg_link(&v->src, (unsigned)cols[0], (unsigned)cols[1])) {
    case 0:
        return SQLITE_OK;
    case -EINVAL:
        return orma_result_vtab_error(ret_error,
                                      "flamegraph: ids must be distinct integers, and parents must "
                                      "come before their children");
    default:
        return SQLITE_NOMEM;
    }
}

static int read_source(struct fg_vtab *v, const char *query, char **ret_error)
{
    char *sql = sqlite3_mprintf("SELECT * FROM %s", query);
    const char *tail = "";
    sqlite3_stmt *stmt = NULL;
    int r = sql ? sqlite3_prepare_v2(v->src.sql->db, sql, -1, &stmt, &tail) : SQLITE_NOMEM;

    if (!r && (!stmt || *tail || !sqlite3_stmt_readonly(stmt)))
        r = orma_result_vtab_error(ret_error, "flamegraph: expected one query in parentheses");
    else if (r && r != SQLITE_NOMEM)
        r = orma_result_vtab_error(ret_error, "flamegraph: %s", sqlite3_errmsg(v->src.sql->db));
    if (!r)
        r = read_rows(v, stmt, ret_error);
    if (!r)
        r = link_rows(v, ret_error);
    sqlite3_free(sql);
    (void)sqlite3_finalize(stmt); /* its error was reported */
    return r;
}

/* Of each column of the query but id, parent_id, name: the property, self_X, cumulative_X. */
static int fg_declare(struct fg_vtab *v, sqlite3 *db)
{
    struct orma_buf text = {0};
    int r;

    orma_buf_put_str(&text,
                     "CREATE TABLE x(_tree_id INTEGER, _tree_parent_id INTEGER, depth INTEGER, "
                     "name TEXT, self_value, cumulative_value, parent_cumulative_value, "
                     "x_start, x_end, config HIDDEN");
    for (unsigned i = 0; i < v->src.rows->columns_num; i++) {
        const char *name = v->src.rows->columns[i].name;
        char *columns;

        if (!orma_fg_is_property(&v->src, i))
            continue;
        columns = sqlite3_mprintf(", \"%w\", \"self_%w\" HIDDEN, \"cumulative_%w\" HIDDEN", name,
                                  name, name);
        orma_buf_put_str(&text, columns ? columns : "");
        text.failed |= !columns;
        sqlite3_free(columns);
    }
    orma_buf_put_str(&text, ")");
    r = text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    return r;
}

static int fg_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
                      char **ret_error)
{
    struct fg_vtab *v;
    int r;

    if (argc != 4)
        return orma_result_vtab_error(ret_error, "flamegraph: expected one query in parentheses");
    v = calloc(1, sizeof(*v));
    if (!v)
        return SQLITE_NOMEM;
    v->src.sql = aux;
    r = read_source(v, argv[3], ret_error);
    if (!r)
        r = fg_declare(v, db);
    if (r)
        (void)fg_disconnect(&v->base); /* cannot fail */
    else
        *ret = &v->base;
    return r;
}

/* Another function than connect: without a query there is no table. */
static int fg_create(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
                     char **ret_error)
{
    return fg_connect(db, aux, argc, argv, ret, ret_error);
}

static unsigned properties(const struct fg_vtab *v)
{
    unsigned num = 0;

    for (unsigned i = 0; i < v->src.rows->columns_num; i++)
        num += orma_fg_is_property(&v->src, i);
    return num;
}

static int fg_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->iColumn != C_CONFIG || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT; /* another order of the tables will do */
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1e5;
        return SQLITE_OK;
    }
    return orma_result_vtab_error(&base->zErrMsg,
                                  "flamegraph: expected a configuration as argument");
}

static int fg_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct fg_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int fg_close(sqlite3_vtab_cursor *base)
{
    orma_fg_result_fini(&((struct fg_cursor *)base)->result);
    free(base);
    return SQLITE_OK;
}

static int fg_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                     sqlite3_value **argv)
{
    struct fg_cursor *c = (struct fg_cursor *)base;
    struct fg_vtab *v = (struct fg_vtab *)base->pVtab;
    const struct orma_fg_config *config = sqlite3_value_pointer(argv[0], ORMA_FG_CONFIG_POINTER);
    char *error = NULL;
    int r;

    (void)num;
    (void)plan;
    (void)argc;
    c->row = 0;
    orma_fg_result_fini(&c->result);
    if (!config)
        return orma_result_vtab_error(&v->base.zErrMsg,
                                      "flamegraph: the argument is not a configuration");
    r = orma_fg_run(&v->src, config, &c->result, &error);
    if (r == 0)
        return SQLITE_OK;
    if (r == -EINVAL && error) {
        sqlite3_free(v->base.zErrMsg);
        v->base.zErrMsg = error;
        return SQLITE_ERROR;
    }
    sqlite3_free(error);
    return r == -ECANCELED ? SQLITE_INTERRUPT : SQLITE_NOMEM;
}

static int fg_next(sqlite3_vtab_cursor *base)
{
    ((struct fg_cursor *)base)->row++;
    return SQLITE_OK;
}

static int fg_eof(sqlite3_vtab_cursor *base)
{
    const struct fg_cursor *c = (const struct fg_cursor *)base;

    return c->row >= c->result.len;
}

static void result_value(const struct fg_vtab *v, sqlite3_context *ctx, unsigned col, double val)
{
    if (v->src.rows->columns[col].type == ORMA_DATAFRAME_DOUBLE)
        sqlite3_result_double(ctx, val);
    else
        sqlite3_result_int64(ctx, (int64_t)val);
}

static void property_column(const struct fg_vtab *v, const struct fg_cursor *c,
                            sqlite3_context *ctx, unsigned idx)
{
    const struct orma_fg_row *row = &c->result.rows[c->row];
    unsigned col = 0, left = idx / 3;

    for (; col < v->src.rows->columns_num; col++) {
        if (orma_fg_is_property(&v->src, col) && left-- == 0)
            break;
    }
    for (unsigned k = 0; idx % 3 && k < c->result.values_num; k++) {
        if (c->result.values[k] == col)
            result_value(v, ctx, col, idx % 3 == 1 ? row->self[k] : row->cumulative[k]);
    }
    if (idx % 3 == 0)
        orma_fg_result_property(&v->src, &c->result, c->row, col, ctx);
}

static int fg_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct fg_cursor *c = (const struct fg_cursor *)base;
    const struct fg_vtab *v = (const struct fg_vtab *)base->pVtab;
    const struct orma_fg_row *row = &c->result.rows[c->row];
    unsigned value = c->result.values[0];

    switch (idx) {
    case C_TREE:
        sqlite3_result_int64(ctx, c->row);
        break;
    case C_PARENT:
        if (row->parent != UINT32_MAX)
            sqlite3_result_int64(ctx, row->parent);
        break;
    case C_DEPTH:
        sqlite3_result_int64(ctx, row->depth);
        break;
    case C_NAME:
        orma_result_pool(ctx, &v->src.sql->storage->pool, row->name);
        break;
    case C_SELF:
        result_value(v, ctx, value, row->self[0]);
        break;
    case C_CUM:
        result_value(v, ctx, value, row->cumulative[0]);
        break;
    case C_PARENT_CUM:
        if (row->parent != UINT32_MAX)
            result_value(v, ctx, value, c->result.rows[row->parent].cumulative[0]);
        break;
    case C_START:
        result_value(v, ctx, value, row->x_start);
        break;
    case C_END:
        result_value(v, ctx, value, row->x_end);
        break;
    case C_CONFIG:
        break; /* a pointer prints as NULL */
    default:
        if ((unsigned)idx - C_NUM < 3 * properties(v))
            property_column(v, c, ctx, (unsigned)idx - C_NUM);
    }
    return SQLITE_OK;
}

static int fg_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((const struct fg_cursor *)base)->row;
    return SQLITE_OK;
}

static int fg_rename(sqlite3_vtab *base, const char *name)
{
    (void)base;
    (void)name;
    return SQLITE_OK;
}

static const sqlite3_module fg_module = {
    .xCreate = fg_create,
    .xConnect = fg_connect,
    .xBestIndex = fg_best_index,
    .xDisconnect = fg_disconnect,
    .xDestroy = fg_disconnect,
    .xOpen = fg_open,
    .xClose = fg_close,
    .xFilter = fg_filter,
    .xNext = fg_next,
    .xEof = fg_eof,
    .xColumn = fg_column,
    .xRowid = fg_rowid,
    .xRename = fg_rename,
};

const struct orma_sql_module orma_profiles_flamegraph_modules[] = {
    {.name = "__intrinsic_flamegraph",
     .module = &fg_module,
     .usage = "((SELECT id, parent_id, name, ...)), then (configuration)",
     .doc = "A flame graph of frames, parents before children: _tree_id, _tree_parent_id, depth "
            "(negative upwards), name, self_value, cumulative_value, parent_cumulative_value, "
            "x_start, x_end, and the other columns of the query."},
    {0},
};
