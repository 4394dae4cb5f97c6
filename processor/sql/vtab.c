/*
 * Tables of the storage as virtual tables: each as it is stored, and the
 * projections of proj.h.
 *
 * Planning (best_index): every comparison with a constant is taken over whole,
 * so SQLite need not check again. ORDER BY on the row id or on times that rise
 * is taken over. The plan is a string with the operators and columns.
 *
 * Scanning (filter, next): the constraints give a stretch of rows (from ids and
 * rising times), or the rows of an index (equality), and what is left is tested
 * a block of rows at a time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/engine.h"
#include "processor/sql/filter.h"
#include "processor/sql/index.h"
#include "processor/sql/proj.h"
#include "sdk/base/buf.h"

#define BLOCK 1024
/* Of one query; the arrays have room for those of a projection beside them. */
#define FILTERS_MAX 32

/* A column as SQLite sees it. */
struct vcolumn {
    uint8_t op; /* enum orma_proj_op */
    uint16_t col, other;
    uint32_t key; /* ARG: pool id */
};

struct vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
    struct orma_table *table;
    const struct orma_proj *proj; /* NULL: the table as it is stored */
    struct vcolumn *columns;
    int columns_num;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct orma_filter filters[FILTERS_MAX + ORMA_PROJ_CHOICES_MAX];
    unsigned filters_num;
    bool descending;
    /* What is left to look at: rows lo .. hi, or list[lo .. hi]. */
    const uint32_t *list;
    uint32_t lo, hi;
    /* The block at hand; without filters and list, rows are counted instead. */
    bool plain;
    bool eof;
    uint32_t row;
    uint32_t block[BLOCK];
    uint32_t block_at, block_num;
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
    return "BIGINT";
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
    case ORMA_PROJ_ZERO:
    case ORMA_PROJ_NULL:
        break;
    }
    return "BIGINT";
}

static int count_columns(const struct orma_proj *proj)
{
    int n = 0;

    while (proj->columns[n].name)
        n++;
    return n;
}

static void describe(struct vtab *v, struct orma_buf *text)
{
    for (int i = 0; i < v->columns_num; i++) {
        const struct orma_column_def *def = v->proj ? NULL : &v->table->def->columns[i];
        const struct orma_proj_column *c = v->proj ? &v->proj->columns[i] : NULL;

        orma_buf_printf(text, "%s\"%s\" %s%s", i ? "," : "CREATE TABLE x(", c ? c->name : def->name,
                        c ? proj_type(v->table, c) : sql_type(def),
                        def && !strcmp(def->name, "_auto_id") ? " HIDDEN" : "");
        v->columns[i] = (struct vcolumn){.col = (uint16_t)i};
        if (c)
            v->columns[i] = (struct vcolumn){
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
    free(((struct vtab *)base)->columns);
    free(base);
    return SQLITE_OK;
}

static int vtab_new(sqlite3 *db, struct vtab v, sqlite3_vtab **ret)
{
    struct orma_buf text = {0};
    struct vtab *made = malloc(sizeof(*made));

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
    return vtab_new(db, (struct vtab){.sql = sql, .table = table}, ret);
}

struct orma_sql *orma_vtab_sql(sqlite3_vtab *base)
{
    return ((struct vtab *)base)->sql;
}

struct orma_table *orma_vtab_get_table(sqlite3_vtab *base)
{
    return ((struct vtab *)base)->table;
}

static int vtab_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct vtab v = {.sql = aux};

    (void)argc;
    (void)ret_error;
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (!strcmp(orma_table_defs[i].name, argv[0]))
            v.table = &v.sql->storage->tables[i];
    for (const struct orma_proj *p = orma_projs; p->name && !v.table; p++)
        if (!strcmp(p->name, argv[0]))
            v.proj = p;
    if (v.proj)
        v.table = &v.sql->storage->tables[v.proj->table];
    return v.table ? vtab_new(db, v, ret) : SQLITE_ERROR;
}

/* ---- planning ---- */

static bool is_id(const struct orma_column_def *def)
{
    return def->kind == ORMA_COL_ID || def->kind == ORMA_COL_ALIAS;
}

static bool is_sorted(const struct orma_table *t, unsigned col)
{
    const struct orma_column_def *def = &t->def->columns[col];

    return is_id(def) || (def->flags == ORMA_COL_TIME && !t->columns[col].unsorted);
}

/* How many of the rows are likely to be left, as a factor. */
static double selectivity(const struct orma_table *t, unsigned col, int op)
{
    const struct orma_column_def *def = &t->def->columns[col];
    double rows = ORMA_MAX(t->rows, 1u);

    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return is_id(def) ? 1 / rows : is_sorted(t, col) ? 4 / rows : ORMA_MAX(10 / rows, 0.01);
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return 0.9;
    default:
        return 0.3;
    }
}

/* The stored column behind one that SQLite sees; -1: it is computed. The rowid is the id. */
static int stored_column(const struct vtab *v, int col)
{
    if (col < 0)
        return 0;
    const struct vcolumn *c = &v->columns[col];
    /* With one machine a cpu's number is its ucpu. */
    if (c->op == ORMA_PROJ_COL ||
        (c->op == ORMA_PROJ_CPU && v->sql->storage->tables[ORMA_TABLE_MACHINE].rows == 1))
        return c->col;
    return -1;
}

static bool can_order(const struct vtab *v, const sqlite3_index_info *info, bool *ret_desc)
{
    const struct orma_table *t = v->table;

    if (!info->nOrderBy || info->nOrderBy > 2)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        int col = stored_column(v, info->aOrderBy[i].iColumn);

        if (info->aOrderBy[i].desc != info->aOrderBy[0].desc)
            return false;
        if (col < 0 || !is_sorted(t, (unsigned)col))
            return false;
        /* A second key is settled by the first only if it is the row itself. */
        if (i && !is_id(&t->def->columns[col]))
            return false;
    }
    *ret_desc = info->aOrderBy[0].desc;
    return true;
}

static int vtab_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct vtab *v = (struct vtab *)base;
    const struct orma_table *t = v->table;
    struct orma_buf plan = {0};
    double rows = t->rows, visited = t->rows;
    int args = 0;
    bool desc = false;

    for (int i = 0; i < info->nConstraint && args < FILTERS_MAX; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (!c->usable || c->iColumn >= v->columns_num || stored_column(v, c->iColumn) < 0)
            continue;
        unsigned col = (unsigned)stored_column(v, c->iColumn);
        const char *collation = sqlite3_vtab_collation(info, i);
        if (!orma_filter_can(&t->def->columns[col], c->op) ||
            (t->def->columns[col].kind == ORMA_COL_STRING && sqlite3_stricmp(collation, "BINARY")))
            continue;
        info->aConstraintUsage[i].argvIndex = ++args;
        info->aConstraintUsage[i].omit = 1;
        orma_buf_printf(&plan, "%d,%u;", c->op, col);
        double left = selectivity(t, col, c->op);
        rows *= left;
        if (is_sorted(t, col) || c->op == SQLITE_INDEX_CONSTRAINT_EQ)
            visited *= left;
        if (is_id(&t->def->columns[col]) && c->op == SQLITE_INDEX_CONSTRAINT_EQ)
            info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    }
    info->orderByConsumed = can_order(v, info, &desc);
    info->idxNum = desc;
    info->estimatedRows = (sqlite3_int64)ORMA_MAX(rows, 1.0);
    info->estimatedCost = ORMA_MAX(rows * 10, 1.0) + visited / 8 + 5;
    info->idxStr = plan.failed ? NULL : sqlite3_mprintf("%s", orma_buf_cstr(&plan));
    info->needToFreeIdxStr = 1;
    orma_buf_fini(&plan);
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- scanning ---- */

static int vtab_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct cursor *c = malloc(sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    memset(c, 0, offsetof(struct cursor, block));
    *ret = &c->base;
    return SQLITE_OK;
}

static void clear_filters(struct cursor *c)
{
    for (unsigned i = 0; i < c->filters_num; i++)
        orma_filter_fini(&c->filters[i]);
    c->filters_num = 0;
}

static int vtab_close(sqlite3_vtab_cursor *base)
{
    clear_filters((struct cursor *)base);
    free(base);
    return SQLITE_OK;
}

/* First row whose time is >= val (or > val). */
static uint32_t bound(const struct orma_table *t, unsigned col, int64_t val, bool after)
{
    uint32_t lo = 0, hi = t->rows;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int64_t have = orma_table_int(t, col, mid);

        if (have < val || (after && have == val))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Narrows lo .. hi by filters on the id and on rising columns, and drops those filters. */
static void narrow(struct cursor *c, const struct orma_table *t)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < c->filters_num; i++) {
        struct orma_filter *f = &c->filters[i];

        if (f->kind == ORMA_FILTER_NONE_PASS) {
            c->hi = c->lo;
        } else if (f->kind == ORMA_FILTER_RANGE && is_sorted(t, f->col)) {
            uint32_t lo, hi;

            if (is_id(&t->def->columns[f->col])) {
                lo = f->lo <= 0 ? 0 : f->lo >= t->rows ? t->rows : (uint32_t)f->lo;
                hi = f->hi < 0 ? 0 : f->hi >= t->rows ? t->rows : (uint32_t)f->hi + 1;
            } else {
                lo = bound(t, f->col, f->lo, false);
                hi = bound(t, f->col, f->hi, true);
            }
            c->lo = ORMA_MAX(c->lo, lo);
            c->hi = ORMA_MIN(c->hi, hi);
        } else {
            c->filters[kept++] = *f;
        }
    }
    c->filters_num = kept;
    c->lo = ORMA_MIN(c->lo, c->hi);
}

/* The rows of an index instead of a long stretch. */
static void use_index(struct vtab *v, struct cursor *c)
{
    const struct orma_table *t = v->table;
    unsigned best = c->filters_num;
    const uint32_t *rows = NULL;
    uint32_t num = 0;

    if (c->hi - c->lo < ORMA_INDEX_ROWS_MIN)
        return;
    for (unsigned i = 0; i < c->filters_num; i++) {
        struct orma_filter *f = &c->filters[i];
        const uint32_t *list;
        uint32_t list_num;
        bool equal =
            f->kind == ORMA_FILTER_STR_ID || (f->kind == ORMA_FILTER_RANGE && f->lo == f->hi &&
                                              t->def->columns[f->col].kind == ORMA_COL_INT);

        if (equal && orma_sql_index_find(v->sql, t, f->col, f->lo, &list, &list_num) &&
            (best == c->filters_num || list_num < num)) {
            best = i;
            rows = list;
            num = list_num;
        }
    }
    if (best == c->filters_num || num >= c->hi - c->lo)
        return;
    c->filters[best] = c->filters[--c->filters_num];
    /* Rows of an index rise, so the stretch is found by halves. */
    uint32_t from = 0, to = num;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (rows[mid] < c->lo)
            from = mid + 1;
        else
            to = mid;
    }
    uint32_t first = from;
    to = num;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (rows[mid] < c->hi)
            from = mid + 1;
        else
            to = mid;
    }
    c->list = rows;
    c->lo = first;
    c->hi = from;
}

static void reverse(uint32_t *rows, uint32_t num)
{
    for (uint32_t i = 0; i < num / 2; i++) {
        uint32_t other = rows[num - 1 - i];

        rows[num - 1 - i] = rows[i];
        rows[i] = other;
    }
}

/* The next block with a row in it. */
static void refill(struct vtab *v, struct cursor *c)
{
    struct orma_storage *st = v->sql->storage;

    c->block_at = c->block_num = 0;
    while (!c->block_num && c->lo < c->hi) {
        uint32_t num = ORMA_MIN(c->hi - c->lo, (uint32_t)BLOCK);
        uint32_t first = c->descending ? c->hi - num : c->lo;
        unsigned from = 0;

        if (c->descending)
            c->hi -= num;
        else
            c->lo += num;
        if (c->list) {
            memcpy(c->block, c->list + first, num * sizeof(*c->block));
        } else if (c->filters_num) {
            num = orma_filter_apply_range(&c->filters[0], st, v->table, first, num, c->block);
            from = 1;
        } else {
            for (uint32_t i = 0; i < num; i++)
                c->block[i] = first + i;
        }
        for (unsigned i = from; i < c->filters_num && num; i++)
            num = orma_filter_apply(&c->filters[i], st, v->table, c->block, num);
        if (c->descending)
            reverse(c->block, num);
        c->block_num = num;
    }
    c->eof = !c->block_num;
    c->row = c->block_num ? c->block[0] : 0;
}

/* The rows that a projection has at all. False: none. */
static bool add_choices(struct vtab *v, struct cursor *c)
{
    for (unsigned i = 0; v->proj && i < ORMA_PROJ_CHOICES_MAX; i++) {
        struct orma_filter *f = &c->filters[c->filters_num];

        *f = (struct orma_filter){.col = v->proj->choices[i].col};
        switch ((enum orma_proj_choice)v->proj->choices[i].choice) {
        case ORMA_CHOOSE_ALL:
            continue;
        case ORMA_CHOOSE_TEXT:
            f->kind = ORMA_FILTER_STR_ID;
            f->lo =
                orma_strpool_find(&v->sql->storage->pool, orma_str_from(v->proj->choices[i].text));
            if (!f->lo)
                return false;
            break;
        case ORMA_CHOOSE_NOT_NULL:
            f->kind = ORMA_FILTER_NOT_NULL;
            break;
        case ORMA_CHOOSE_ZERO:
            f->kind = ORMA_FILTER_RANGE;
            break;
        case ORMA_CHOOSE_ARG:
            f->kind = ORMA_FILTER_ARG;
            f->lo =
                orma_strpool_find(&v->sql->storage->pool, orma_str_from(v->proj->choices[i].text));
            break;
        }
        c->filters_num++;
    }
    return true;
}

static int vtab_filter(sqlite3_vtab_cursor *base, int descending, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    struct vtab *v = (struct vtab *)base->pVtab;

    clear_filters(c);
    c->descending = descending;
    c->list = NULL;
    c->lo = 0;
    c->hi = add_choices(v, c) ? v->table->rows : 0;
    for (int i = 0; i < argc && plan; i++) {
        char *end;
        int op = (int)strtol(plan, &end, 10);
        unsigned col = (unsigned)strtoul(end + 1, &end, 10);

        plan = end + 1;
        if (!orma_filter_init(&c->filters[c->filters_num], v->sql->storage,
                              &v->table->def->columns[col], col, op, argv[i]))
            return SQLITE_NOMEM;
        c->filters_num++;
    }
    narrow(c, v->table);
    use_index(v, c);
    c->plain = !c->filters_num && !c->list && !c->descending;
    if (c->plain) {
        c->row = c->lo;
        c->eof = c->lo >= c->hi;
    } else {
        refill(v, c);
    }
    return SQLITE_OK;
}

static int vtab_next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;

    if (c->plain) {
        c->eof = ++c->row >= c->hi;
        return SQLITE_OK;
    }
    if (++c->block_at < c->block_num)
        c->row = c->block[c->block_at];
    else
        refill((struct vtab *)base->pVtab, c);
    return SQLITE_OK;
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

static void result_stored(sqlite3_context *ctx, const struct vtab *v, unsigned idx, uint32_t row)
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
    case ORMA_COL_STRING: {
        struct orma_str s =
            orma_strpool_get(&v->sql->storage->pool, (uint32_t)orma_column_int(col, row));

        if (s.data)
            sqlite3_result_text(ctx, s.data, (int)s.len, SQLITE_STATIC);
        break;
    }
    }
}

static void result_sum(sqlite3_context *ctx, const struct vtab *v, const struct vcolumn *c,
                       uint32_t row)
{
    int64_t a = orma_table_int(v->table, c->col, row), b = orma_table_int(v->table, c->other, row);

    sqlite3_result_int64(ctx, (int64_t)((uint64_t)a + (uint64_t)b));
}

static void result_arg(sqlite3_context *ctx, const struct vtab *v, const struct vcolumn *c,
                       uint32_t row)
{
    struct orma_arg arg;

    if (!orma_table_is_null(v->table, c->col, row) &&
        orma_args_find(&v->sql->storage->args, (uint32_t)orma_table_int(v->table, c->col, row),
                       c->key, &arg))
        orma_sql_result_arg(ctx, v->sql->storage, &arg);
}

static int vtab_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct cursor *cur = (const struct cursor *)base;
    const struct vtab *v = (const struct vtab *)base->pVtab;
    const struct vcolumn *c = &v->columns[idx];

    switch ((enum orma_proj_op)c->op) {
    case ORMA_PROJ_COL:
        result_stored(ctx, v, c->col, cur->row);
        break;
    case ORMA_PROJ_CPU:
        if (!orma_table_is_null(v->table, c->col, cur->row))
            sqlite3_result_int64(ctx, orma_table_int(v->table, c->col, cur->row) %
                                          ORMA_SQL_UCPUS_PER_MACHINE);
        break;
    case ORMA_PROJ_SUM:
        result_sum(ctx, v, c, cur->row);
        break;
    case ORMA_PROJ_ARG:
        result_arg(ctx, v, c, cur->row);
        break;
    case ORMA_PROJ_ZERO:
        sqlite3_result_int64(ctx, 0);
        break;
    case ORMA_PROJ_NULL:
        break;
    }
    return SQLITE_OK;
}

static int vtab_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

const sqlite3_module orma_vtab_table = {
    .xConnect = vtab_connect,
    .xBestIndex = vtab_best_index,
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
    for (const struct orma_proj *p = orma_projs; p->name && !r; p++)
        r = sqlite3_create_module_v2(self->db, p->name, &orma_vtab_table, self, NULL);
    return r ? r : sqlite3_create_module_v2(self->db, "args", &orma_vtab_args, self, NULL);
}
