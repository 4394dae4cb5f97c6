/*
 * Tables of the storage as virtual tables: each as it is stored, and the
 * projections of proj.h.
 *
 * Planning is in vtab_plan.c, the reading of rows in scan.c.
 */
#include <stdlib.h>

#include "processor/sql/base/values.h"
#include "processor/sql/tables/vtab.h"
#include "sdk/base/buf.h"

/* Values of a column around the row where a cursor is, once it has read a few there. */
struct cells {
    uint32_t first, num; /* rows that `vals` has */
    uint32_t near, hits; /* reads in a row in one block that `vals` has not */
    int64_t *vals;
};

#define HITS_MIN 24

struct cursor {
    sqlite3_vtab_cursor base;
    struct cells *cells; /* by column as SQLite sees it */
    int columns_num;
    /* Rows of a plain scan are counted, without blocks. */
    bool plain;
    bool eof;
    uint32_t row, end;
    uint32_t block_at;
    struct orma_rowscan scan;
};

static const char *sql_type(const struct orma_column_def *def)
{
    switch ((enum orma_column_kind)def->kind) {
    case ORMA_COL_STRING:
        return "TEXT";
    case ORMA_COL_DOUBLE:
        return "DOUBLE";
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
    case ORMA_COL_COMPUTED:
    case ORMA_COL_INT:
        break;
    }
    return "INTEGER";
}

/* Args have the type they have. */
static const char *proj_type(const struct orma_table *t, const struct orma_proj_column *c)
{
    switch ((enum orma_proj_op)c->op) {
    case ORMA_PROJ_COL:
        return sql_type(&t->def->columns[c->col]);
    case ORMA_PROJ_ARG:
        return "";
    case ORMA_PROJ_CPU:
    case ORMA_PROJ_SUM:
    case ORMA_PROJ_NULL:
        break;
    }
    return "INTEGER";
}

static int count_columns(const struct orma_proj *proj)
{
    int n = 0;

    while (proj->columns[n].name)
        n++;
    return n;
}

/* Of tables of queries the number of the row; of ours what is no part of the interface. */
static bool is_hidden(const struct orma_vtab *v, const struct orma_column_def *def)
{
    bool stored =
        v->table->def >= orma_table_defs && v->table->def < orma_table_defs + ORMA_TABLES_NUM;

    return stored ? def->name[0] == '_' : !strcmp(def->name, "_auto_id");
}

static void describe(struct orma_vtab *v, struct orma_buf *text)
{
    for (int i = 0; i < v->columns_num; i++) {
        const struct orma_column_def *def = v->proj ? NULL : &v->table->def->columns[i];
        const struct orma_proj_column *c = v->proj ? &v->proj->columns[i] : NULL;

        orma_buf_printf(text, "%s\"%s\" %s%s", i ? "," : "CREATE TABLE x(", c ? c->name : def->name,
                        c ? proj_type(v->table, c) : sql_type(def),
                        def && is_hidden(v, def) ? " HIDDEN" : "");
        v->columns[i] = (struct orma_vcolumn){.col = (uint16_t)i};
        if (c)
            v->columns[i] = (struct orma_vcolumn){
                .op = c->op,
                .col = c->col,
                .other = c->other,
                .key = c->key ? orma_strpool_add_c(&v->sql->storage->pool, c->key) : 0,
            };
    }
    orma_buf_put_str(text, ")");
}

static int vtab_disconnect(sqlite3_vtab *base)
{
    free(((struct orma_vtab *)base)->columns);
    free(base);
    return SQLITE_OK;
}

static int vtab_new(sqlite3 *db, struct orma_vtab v, sqlite3_vtab **ret)
{
    struct orma_buf text = {0};
    struct orma_vtab *made = malloc(sizeof(*made));

    v.columns_num = v.proj ? count_columns(v.proj) : v.table->def->columns_num;
    v.columns = calloc((size_t)v.columns_num, sizeof(*v.columns));
    if (v.columns)
        describe(&v, &text);
    int r = !made || !v.columns || text.failed ? SQLITE_NOMEM
                                               : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    if (r) {
        free(v.columns);
        free(made);
        return r;
    }
    *made = v;
    *ret = &made->base;
    return SQLITE_OK;
}

int orma_vtab_new(sqlite3 *db, struct orma_sql *sql, struct orma_table *table, sqlite3_vtab **ret)
{
    return vtab_new(db, (struct orma_vtab){.sql = sql, .table = table}, ret);
}

struct orma_sql *orma_vtab_sql(sqlite3_vtab *base)
{
    return ((struct orma_vtab *)base)->sql;
}

struct orma_table *orma_vtab_get_table(sqlite3_vtab *base)
{
    return ((struct orma_vtab *)base)->table;
}

static int vtab_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct orma_vtab v = {.sql = aux};

    (void)argc;
    (void)ret_error;
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (!strcmp(orma_table_defs[i].name, argv[0]))
            v.table = &v.sql->storage->tables[i];
    for (const struct orma_proj *p = orma_vtab_projs; p->name && !v.table; p++)
        if (!strcmp(p->name, argv[0]))
            v.proj = p;
    if (v.proj)
        v.table = &v.sql->storage->tables[v.proj->table];
    return v.table ? vtab_new(db, v, ret) : SQLITE_ERROR;
}

/* ---- scanning ---- */

static int vtab_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    const struct orma_vtab *v = (const struct orma_vtab *)base;
    struct cursor *c = malloc(sizeof(*c));
    struct cells *cells = calloc((size_t)v->columns_num, sizeof(*cells));

    if (!c || !cells) {
        free(c);
        free(cells);
        return SQLITE_NOMEM;
    }
    memset(c, 0, offsetof(struct cursor, scan));
    c->cells = cells;
    c->columns_num = v->columns_num;
    orma_rowscan_init(&c->scan);
    *ret = &c->base;
    return SQLITE_OK;
}

static int vtab_close(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;

    orma_rowscan_fini(&c->scan);
    for (int i = 0; i < c->columns_num; i++)
        free(c->cells[i].vals);
    free(c->cells);
    free(c);
    return SQLITE_OK;
}

static void refill(struct cursor *c)
{
    c->block_at = 0;
    c->eof = !orma_rowscan_next(&c->scan);
    c->row = c->eof ? 0 : c->scan.block[0];
}

/* A plan that is one id: no scan is needed. False: the value is no integer, and is to be compared.
 */
static bool find_row(struct cursor *c, const struct orma_vtab *v, sqlite3_value *id)
{
    int type = sqlite3_value_type(id);
    sqlite3_int64 row = type == SQLITE_INTEGER ? sqlite3_value_int64(id) : -1;

    if (type != SQLITE_INTEGER && type != SQLITE_NULL)
        return false;
    c->plain = true;
    c->eof = row < 0 || row >= v->table->rows;
    c->row = c->eof ? 0 : (uint32_t)row;
    c->end = c->row + 1;
    return true;
}

static int vtab_filter(sqlite3_vtab_cursor *base, int flags, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    const struct orma_vtab *v = (const struct orma_vtab *)base->pVtab;

    /* Rows may have been changed since the last scan. */
    for (int i = 0; i < c->columns_num; i++)
        c->cells[i].num = c->cells[i].hits = 0;
    int r = orma_sql_settle(v->sql, v->table);
    if (r)
        return r;
    if (flags & ORMA_PLAN_ARGS && (r = orma_sql_settle_args(v->sql)))
        return r;
    if (flags & ORMA_PLAN_ROW && find_row(c, v, argv[0]))
        return orma_sql_is_interrupted(v->sql) ? SQLITE_INTERRUPT : SQLITE_OK;
    r = orma_vtab_run_plan(v, &c->scan, flags, plan ? plan : "", argv);
    (void)argc;
    if (r)
        return r;
    c->plain = orma_rowscan_is_plain(&c->scan);
    if (c->plain) {
        c->row = c->scan.lo;
        c->end = c->scan.hi;
        c->eof = c->row >= c->end;
    } else {
        refill(c);
    }
    return c->scan.failed ? SQLITE_NOMEM : SQLITE_OK;
}

static int vtab_next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;

    if (c->plain) {
        c->eof = ++c->row >= c->end;
        return SQLITE_OK;
    }
    if (++c->block_at < c->scan.block_num) {
        c->row = c->scan.block[c->block_at];
        return SQLITE_OK;
    }
    refill(c);
    return c->scan.failed ? SQLITE_NOMEM : SQLITE_OK;
}

static int vtab_eof(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)base)->eof;
}

static void result_number(sqlite3_context *ctx, const struct orma_column *col, uint32_t row)
{
    if (orma_column_is_null(col, row))
        return;
    if (col->kind == ORMA_COL_DOUBLE)
        sqlite3_result_double(ctx, orma_column_double(col, row));
    else
        sqlite3_result_int64(ctx, orma_column_int(col, row));
}

static void result_stored(sqlite3_context *ctx, const struct orma_vtab *v, unsigned idx,
                          uint32_t row)
{
    const struct orma_column *col = &v->table->columns[idx];

    switch ((enum orma_column_kind)col->kind) {
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
        sqlite3_result_int64(ctx, row);
        break;
    case ORMA_COL_COMPUTED: {
        int64_t val = orma_table_int(v->table, idx, row);

        if (val >= 0)
            sqlite3_result_int64(ctx, val);
        break;
    }
    case ORMA_COL_INT:
    case ORMA_COL_DOUBLE:
        result_number(ctx, col, row);
        break;
    case ORMA_COL_STRING:
        orma_result_pool(ctx, &v->sql->storage->pool, (uint32_t)orma_column_int(col, row));
        break;
    }
}

static void result_sum(sqlite3_context *ctx, const struct orma_vtab *v,
                       const struct orma_vcolumn *c, uint32_t row)
{
    int64_t a = orma_table_int(v->table, c->col, row), b = orma_table_int(v->table, c->other, row);

    sqlite3_result_int64(ctx, (int64_t)((uint64_t)a + (uint64_t)b));
}

static void result_arg(sqlite3_context *ctx, const struct orma_vtab *v,
                       const struct orma_vcolumn *c, uint32_t row)
{
    struct orma_args_item arg;

    if (!orma_table_is_null(v->table, c->col, row) &&
        orma_args_find(&v->sql->storage->args, (uint32_t)orma_table_int(v->table, c->col, row),
                       c->key, &arg))
        orma_result_arg(ctx, v->sql->storage, &arg);
}

/* Stored integers without NULLs. */
static bool is_plain_int(const struct orma_column *col)
{
    return col->kind == ORMA_COL_INT && !(col->flags & ORMA_COL_NULLABLE);
}

/* Most rows of a block are read. */
static bool is_dense(const struct cursor *c)
{
    return c->plain || (!c->scan.list && c->scan.block_num >= ORMA_SQL_SCAN_BLOCK / 2);
}

/* Counts reads in one block; at the last of a few the block is unpacked. */
ORMA_COLD static void unpack_cells(struct cells *k, const struct orma_table *t, unsigned col,
                                   uint32_t row)
{
    uint32_t block = row / ORMA_BLOCK_ROWS, first = block * ORMA_BLOCK_ROWS;

    if (k->near != block) {
        k->near = block;
        k->hits = 0;
    }
    if (++k->hits < HITS_MIN)
        return;
    k->hits = 0;
    if (!k->vals)
        k->vals = malloc(ORMA_BLOCK_ROWS * sizeof(*k->vals));
    if (!k->vals)
        return; /* it goes without */
    k->first = first;
    k->num = ORMA_MIN(ORMA_BLOCK_ROWS, t->rows - first);
    orma_column_read(&t->columns[col], first, k->num, k->vals);
}

__attribute__((noinline)) static void read_cell(const struct cursor *cur, sqlite3_context *ctx,
                                                int idx)
{
    const struct orma_vtab *v = (const struct orma_vtab *)cur->base.pVtab;
    const struct orma_vcolumn *c = &v->columns[idx];

    switch ((enum orma_proj_op)c->op) {
    case ORMA_PROJ_COL:
        result_stored(ctx, v, c->col, cur->row);
        if (is_dense(cur) && is_plain_int(&v->table->columns[c->col]))
            unpack_cells(&cur->cells[idx], v->table, c->col, cur->row);
        break;
    case ORMA_PROJ_CPU:
        if (!orma_table_is_null(v->table, c->col, cur->row))
            sqlite3_result_int64(ctx, orma_table_int(v->table, c->col, cur->row) %
                                          ORMA_UCPUS_PER_MACHINE);
        break;
    case ORMA_PROJ_SUM:
        result_sum(ctx, v, c, cur->row);
        break;
    case ORMA_PROJ_ARG:
        result_arg(ctx, v, c, cur->row);
        break;
    case ORMA_PROJ_NULL:
        break;
    }
}

static int vtab_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct cursor *cur = (const struct cursor *)base;
    const struct cells *cells = &cur->cells[idx];
    uint32_t at = cur->row - cells->first;

    if (ORMA_LIKELY(at < cells->num))
        sqlite3_result_int64(ctx, cells->vals[at]);
    else
        read_cell(cur, ctx, idx);
    return SQLITE_OK;
}

static int vtab_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

const sqlite3_module orma_vtab_table = {
    .xConnect = vtab_connect,
    .xBestIndex = orma_vtab_plan,
    .xDisconnect = vtab_disconnect,
    .xOpen = vtab_open,
    .xClose = vtab_close,
    .xFilter = vtab_filter,
    .xNext = vtab_next,
    .xEof = vtab_eof,
    .xColumn = vtab_column,
    .xRowid = vtab_rowid,
};

int orma_vtab_register(struct orma_sql *self)
{
    int r = SQLITE_OK;

    for (unsigned i = 0; i < ORMA_TABLES_NUM && !r; i++) {
        const sqlite3_module *m = i == ORMA_TABLE_ARGS ? &orma_vtab_args : &orma_vtab_table;

        /* Names with _orma_ are our own book-keeping. */
        if (strncmp(orma_table_defs[i].name, "_orma_", 6))
            r = sqlite3_create_module_v2(self->db, orma_table_defs[i].name, m, self, NULL);
    }
    for (const struct orma_proj *p = orma_vtab_projs; p->name && !r; p++)
        r = sqlite3_create_module_v2(self->db, p->name, &orma_vtab_table, self, NULL);
    return r ? r : sqlite3_create_module_v2(self->db, "args", &orma_vtab_args, self, NULL);
}
