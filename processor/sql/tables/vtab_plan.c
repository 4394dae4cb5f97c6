/*
 * Planning of scans: what of a query the columns do themselves.
 *
 * A comparison of a stored column is taken over whole where it is proved to be ours and to mean
 * what SQLite means, so SQLite need not check it again; roughly where more rows may come; else it
 * is left to SQLite. So are lists (IN), ORDER BY and GROUP BY of stored columns, DISTINCT of one,
 * and LIMIT where nothing but this table decides about rows.
 *
 *   plan   op,col;op,col;|col,desc;       the constraints, then the order
 *   flags  bits below                     arguments: constraints, limit, offset
 *
 * Estimates come from the data: constants are tried on a sample of the rows,
 * and columns know how many rows a value has.
 */
#include <stdlib.h>

#include "processor/sql/base/aux_terms.h"
#include "processor/sql/base/trials.h"
#include "processor/sql/tables/number_texts.h"
#include "processor/sql/tables/vtab.h"
#include "sdk/base/buf.h"

#define FILTERS_MAX (ORMA_SQL_SCAN_FILTERS_MAX - ORMA_PROJ_CHOICES_MAX)
/* Rows of a sample. */
#define SAMPLE 256
/* Values that a list of IN is taken to have. */
#define LIST_GUESS 8.0

/* Costs, in rows that SQLite takes from us: of a call, and of a row that we look at ourselves. */
#define COST_CALL 4.0
#define COST_LOOK 0.05
#define COST_SORT 0.3
#define SORT_BYTES_PER_ROW 24

static bool is_id(const struct orma_table *t, unsigned col)
{
    return t->columns[col].kind <= ORMA_COL_ALIAS;
}

/* Some rows, from all over the table. */
static uint32_t sample_rows(const struct orma_table *t, uint32_t rows[SAMPLE])
{
    uint32_t num = 0, step = t->rows / SAMPLE + 1;

    for (uint32_t row = step / 2; row < t->rows && num < SAMPLE; row += step)
        rows[num++] = row;
    return num;
}

/* The part of the rows that pass, tried on some of them. */
static double try_constant(const struct orma_vtab *v, unsigned col, int op, sqlite3_value *val)
{
    uint32_t rows[SAMPLE], num;
    struct orma_filter f;

    if (!orma_filter_init(&f, v->sql->storage, &v->table->def->columns[col], col, op, val)) {
        orma_filter_fini(&f);
        return 0.1;
    }
    num = sample_rows(v->table, rows);
    uint32_t passed = orma_filter_apply(&f, v->sql->storage, v->table, rows, num);
    orma_filter_fini(&f);
    return num ? (passed + 0.5) / (num + 1.0) : 1;
}

/* The part of the table's rows that the projection has, tried on some of them: few tracks are those
 * of threads, and joins should begin with them. */
static double try_choices(const struct orma_vtab *v)
{
    uint32_t rows[SAMPLE], num = sample_rows(v->table, rows), passed = num;
    struct orma_rowscan scan;

    if (!v->proj || v->proj->choices[0].choice == ORMA_CHOOSE_ALL)
        return 1;
    orma_rowscan_init(&scan);
    orma_vtab_start_scan(v->sql, v->table, v->proj, &scan);
    for (unsigned i = 0; i < scan.filters_num; i++)
        passed = orma_filter_apply(&scan.filters[i], v->sql->storage, v->table, rows, passed);
    orma_rowscan_fini(&scan);
    return num ? (passed + 0.5) / (num + 1.0) : 1;
}

/* The part of the rows that is likely to be left. */
static double selectivity(const struct orma_vtab *v, sqlite3_index_info *info, int i, unsigned col,
                          int op)
{
    double rows = ORMA_MAX(v->table->rows, 1u), part, tried = -1;
    sqlite3_value *val = NULL;

    if (op != ORMA_FILTER_OP_IN && !sqlite3_vtab_rhs_value(info, i, &val) && val)
        tried = try_constant(v, col, op, val);
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
    case ORMA_FILTER_OP_IN:
        part = is_id(v->table, col) ? 1 / rows : orma_index_per_value(v->sql, v->table, col) / rows;
        if (tried >= 0) /* common values are seen in the sample, rare ones are not */
            part = tried * (SAMPLE + 1.0) > 2 ? tried : ORMA_MIN(part, tried);
        return op == ORMA_FILTER_OP_IN ? ORMA_MIN(part * LIST_GUESS, 1.0) : part;
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return tried >= 0 ? tried : 0.9;
    }
    return tried >= 0 ? tried : 0.3;
}

/* What is known of a plan while it is made. */
struct planner {
    const struct orma_vtab *v;
    sqlite3_index_info *info;
    struct orma_buf plan;
    double rows, looked_at;
    int args, limit_at, offset_at; /* constraints LIMIT and OFFSET; -1: none */
    bool whole;                    /* all constraints were taken */
    bool inner;                    /* equality with something that is not constant */
    bool indexed;                  /* equality: rows come from an index */
};

/* How a comparison may be taken over. */
enum taking {
    LEFT_TO_SQLITE,
    TAKEN_ROUGHLY, /* more rows may come: SQLite looks again */
    TAKEN_WHOLE,
};

/*
 * Comparisons of a column of texts. What is not known is whether the other side has a numeric
 * affinity, which makes a number of a text that looks like one. A constant text has none; for
 * equality the rows of both meanings are given (tables/number_texts.h).
 */
static enum taking taking_of_text(const struct planner *p, int i, int op)
{
    sqlite3_value *val = NULL;
    bool known = !sqlite3_vtab_rhs_value(p->info, i, &val) && val;
    int type = known ? sqlite3_value_type(val) : SQLITE_NULL;

    if (sqlite3_stricmp(sqlite3_vtab_collation(p->info, i), "BINARY"))
        return LEFT_TO_SQLITE;
    if (known && type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return TAKEN_WHOLE;
    return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_IS ? TAKEN_ROUGHLY
                                                                                : LEFT_TO_SQLITE;
}

/* Other columns have numbers: each comparison of one is by number, whatever the other side is. */
static enum taking taking_of(const struct planner *p, int i, unsigned col)
{
    const struct orma_column_def *def = &p->v->table->def->columns[col];
    int op = p->info->aConstraint[i].op;

    if (p->args >= FILTERS_MAX || !orma_filter_can(def, op) ||
        (orma_aux_is_auxiliary(op) && orma_sql_trial(ORMA_TRIAL_SPREADS_TERMS)))
        return LEFT_TO_SQLITE;
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return TAKEN_WHOLE;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return TAKEN_ROUGHLY; /* the functions behind patterns may be others than SQLite's */
    }
    return def->kind == ORMA_COL_STRING ? taking_of_text(p, i, op) : TAKEN_WHOLE;
}

/* The operator as plans have it. */
static int planned_op(const struct planner *p, int i, unsigned col, enum taking taking)
{
    int op = p->info->aConstraint[i].op;

    if (op == SQLITE_INDEX_CONSTRAINT_EQ && sqlite3_vtab_in(p->info, i, 1))
        return ORMA_FILTER_OP_IN;
    if (taking == TAKEN_WHOLE || p->v->table->def->columns[col].kind != ORMA_COL_STRING)
        return op;
    return op == SQLITE_INDEX_CONSTRAINT_EQ   ? ORMA_PLAN_OP_EQUAL
           : op == SQLITE_INDEX_CONSTRAINT_IS ? ORMA_PLAN_OP_IS
                                              : op;
}

static void take_constraint(struct planner *p, int i, unsigned col, enum taking taking)
{
    const int op = p->info->aConstraint[i].op, planned = planned_op(p, i, col, taking);
    const struct orma_table *t = p->v->table;
    sqlite3_value *val;

    p->info->aConstraintUsage[i].argvIndex = ++p->args;
    p->info->aConstraintUsage[i].omit = taking == TAKEN_WHOLE;
    p->whole &= taking == TAKEN_WHOLE;
    orma_buf_printf(&p->plan, "%d,%u;", planned, col);
    double left = selectivity(p->v, p->info, i, col, planned == ORMA_FILTER_OP_IN ? planned : op);
    bool equal = op == SQLITE_INDEX_CONSTRAINT_EQ;

    p->rows *= left;
    if (equal && !is_id(t, col)) { /* one index is used, not several */
        double rows = left * ORMA_MAX(t->rows, 1u);

        p->looked_at = ORMA_MIN(p->looked_at, rows);
        p->indexed = true;
    } else if (orma_rowscan_is_sorted(t, col)) {
        p->looked_at *= left;
    }
    if (equal && planned != ORMA_FILTER_OP_IN && sqlite3_vtab_rhs_value(p->info, i, &val))
        p->inner = true;
    if (is_id(t, col) && equal && planned != ORMA_FILTER_OP_IN)
        p->info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
}

static void take_constraints(struct planner *p)
{
    for (int i = 0; i < p->info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
        int col = -1;

        if (c->op == SQLITE_INDEX_CONSTRAINT_LIMIT || c->op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
            if (c->usable)
                *(c->op == SQLITE_INDEX_CONSTRAINT_LIMIT ? &p->limit_at : &p->offset_at) = i;
            else
                p->whole = false;
            continue;
        }
        if (c->usable && c->iColumn < p->v->columns_num)
            col = orma_vtab_stored_column(p->v, c->iColumn);
        enum taking taking = col >= 0 ? taking_of(p, i, (unsigned)col) : LEFT_TO_SQLITE;
        if (taking == LEFT_TO_SQLITE)
            p->whole = false;
        else
            take_constraint(p, i, (unsigned)col, taking);
    }
}

/* Of SELECT DISTINCT a ... ORDER BY b the first row of each value counts, which is that of the
 * table whoever runs the statement. */
static bool takes_first_rows(const struct planner *p)
{
    const int distinct = sqlite3_vtab_distinct(p->info);
    uint64_t ordered = 0;

    for (int i = 0; i < p->info->nOrderBy; i++) {
        const int col = p->info->aOrderBy[i].iColumn;

        ordered |= col < 0 ? 0 : 1ull << ORMA_MIN(col, 63);
    }
    return p->v->sql->planner.distinct && (distinct == 0 || distinct == 3) &&
           p->info->colUsed & ~ordered;
}

/* ORDER BY that the rows follow anyhow. */
static bool is_natural_order(const struct planner *p)
{
    const struct sqlite3_index_info *info = p->info;

    if (takes_first_rows(p) && info->aOrderBy[0].desc)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        int col = orma_vtab_stored_column(p->v, info->aOrderBy[i].iColumn);

        if (info->aOrderBy[i].desc != info->aOrderBy[0].desc || col < 0 ||
            !orma_rowscan_is_sorted(p->v->table, (unsigned)col))
            return false;
        if (is_id(p->v->table, (unsigned)col))
            return true; /* nothing is left to be ordered */
        if (i)           /* a second key is settled by the first only if it is the row itself */
            return false;
    }
    return true;
}

/* Only the first row of each value: when nothing but that column is looked at. Numbers of rows are
 * no column. */
static bool plan_distinct(struct planner *p)
{
    int col = p->info->aOrderBy[0].iColumn;

    if (sqlite3_vtab_distinct(p->info) != 2 || p->info->nOrderBy != 1 || col < 0 || col >= 63 ||
        p->info->colUsed != 1ull << col || !p->whole || p->v->sql->planner.rowids)
        return false;
    col = orma_vtab_stored_column(p->v, col);
    if (col < 0)
        return false;
    orma_buf_printf(&p->plan, "|%d,0;", col);
    p->info->idxNum |= ORMA_PLAN_DISTINCT;
    p->rows = ORMA_MAX(p->rows / orma_index_per_value(p->v->sql, p->v->table, (unsigned)col), 1.0);
    return true;
}

/* The columns of ORDER BY, up to the id: behind it nothing is left to be ordered. */
static void put_keys(struct planner *p)
{
    for (int i = 0; i < p->info->nOrderBy && i < ORMA_SQL_SCAN_KEYS_MAX; i++) {
        int col = orma_vtab_stored_column(p->v, p->info->aOrderBy[i].iColumn);

        if (col < 0)
            return;
        orma_buf_printf(&p->plan, "%s%d,%d;", i ? "" : "|", col, p->info->aOrderBy[i].desc);
        if (is_id(p->v->table, (unsigned)col))
            return;
    }
}

/* We sort better than SQLite does, but not again and again inside a join. */
static bool plan_sort(struct planner *p)
{
    if (p->info->nOrderBy > ORMA_SQL_SCAN_KEYS_MAX || p->inner || takes_first_rows(p) ||
        sqlite3_vtab_distinct(p->info) == 2)
        return false;
    for (int i = 0; i < p->info->nOrderBy; i++) {
        if (orma_vtab_stored_column(p->v, p->info->aOrderBy[i].iColumn) < 0)
            return false;
    }
    if (!orma_sql_memory_holds(&p->v->sql->limits.memory, p->rows, SORT_BYTES_PER_ROW))
        return false;
    put_keys(p);
    p->looked_at += p->rows * (COST_SORT / COST_LOOK);
    return true;
}

static void plan_order(struct planner *p)
{
    if (!p->info->nOrderBy)
        return;
    p->info->orderByConsumed = 1;
    if (is_natural_order(p))
        put_keys(p); /* it is looked at again when the scan begins: tables may grow */
    else if (!plan_distinct(p) && !plan_sort(p))
        p->info->orderByConsumed = 0;
}

/* SQLite counts again: the limit says only that more rows are not needed. */
static void plan_limit(struct planner *p)
{
    if (p->limit_at < 0 || !p->whole || (p->info->nOrderBy && !p->info->orderByConsumed))
        return;
    p->info->aConstraintUsage[p->limit_at].argvIndex = ++p->args;
    p->info->idxNum |= ORMA_PLAN_LIMIT;
    if (p->offset_at < 0)
        return;
    p->info->aConstraintUsage[p->offset_at].argvIndex = ++p->args;
    p->info->idxNum |= ORMA_PLAN_OFFSET;
}

/* ---- args ---- */

/* What stands in the table's own column, or in a set of args that it names. */
static bool is_of_args(const struct orma_vtab *v, int col)
{
    const struct orma_vcolumn *c = col < 0 ? NULL : &v->columns[col];

    return c &&
           (c->op == ORMA_PROJ_ARG ||
            (c->op == ORMA_PROJ_COL && orma_args_is_set_column(&v->table->def->columns[c->col])));
}

/* Whether sets of args must have ids before rows are chosen, and before their number is estimated.
 */
static bool chooses_by_args(const struct orma_vtab *v, const sqlite3_index_info *info)
{
    for (unsigned i = 0; v->proj && i < ORMA_PROJ_CHOICES_MAX; i++)
        if (v->proj->choices[i].choice == ORMA_CHOOSE_ARG)
            return true;
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].iColumn < v->columns_num &&
            is_of_args(v, info->aConstraint[i].iColumn))
            return true;
    for (int i = 0; i < info->nOrderBy; i++)
        if (is_of_args(v, info->aOrderBy[i].iColumn))
            return true;
    return false;
}

/* Whether a row of this plan cannot be had before sets of args have ids. */
static bool shows_args(const struct orma_vtab *v, const sqlite3_index_info *info)
{
    for (int i = 0; i < v->columns_num; i++)
        if (info->colUsed >> ORMA_MIN(i, 63) & 1 && is_of_args(v, i))
            return true;
    return false;
}

/* The statement may run much later: ids that only rows need are settled then. */
static int plan_args(const struct orma_vtab *v, sqlite3_index_info *info)
{
    const struct orma_storage *st = v->sql->storage;

    if (v->table < st->tables || v->table >= st->tables + ORMA_TABLES_NUM)
        return SQLITE_OK; /* made by a query, and with ids by then */
    const bool chooses = chooses_by_args(v, info);
    if (!chooses && !shows_args(v, info))
        return SQLITE_OK;
    info->idxNum = ORMA_PLAN_ARGS;
    v->sql->planner.args = true;
    return chooses ? orma_sql_settle_args(v->sql) : SQLITE_OK;
}

int orma_vtab_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct orma_vtab *v = (struct orma_vtab *)base;
    int r = orma_sql_settle(v->sql, v->table); /* estimates count its rows */
    struct planner p = {
        .v = v,
        .info = info,
        .rows = v->table->rows,
        .looked_at = v->table->rows,
        .limit_at = -1,
        .offset_at = -1,
        .whole = true,
    };

    if (r)
        return r;
    v->sql->planner.planned = true;
    v->sql->planner.rows_max = ORMA_MAX(v->sql->planner.rows_max, v->table->rows);
    info->idxNum = 0;
    r = plan_args(v, info);
    if (r)
        return r;
    p.rows *= try_choices(v);
    take_constraints(&p);
    plan_order(&p);
    plan_limit(&p);
    if (p.args == 1 && !v->proj && info->idxFlags & SQLITE_INDEX_SCAN_UNIQUE &&
        !(info->idxNum & ORMA_PLAN_LIMIT))
        info->idxNum |= ORMA_PLAN_ROW;
    info->estimatedRows = (sqlite3_int64)ORMA_MAX(p.rows, 1.0);
    info->estimatedCost = COST_CALL + p.looked_at * COST_LOOK + p.rows;
    info->idxStr = p.plan.failed ? NULL : sqlite3_mprintf("%s", orma_buf_cstr(&p.plan));
    info->needToFreeIdxStr = 1;
    orma_buf_fini(&p.plan);
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- carrying it out ---- */

/* Reads "a,b;" and moves on. */
static void read_pair(const char **at, int *ret_a, unsigned *ret_b)
{
    const char *p = *at;

    for (*ret_a = 0; *p && *p != ','; p++)
        *ret_a = *ret_a * 10 + (*p - '0');
    p += *p == ',';
    for (*ret_b = 0; *p && *p != ';'; p++)
        *ret_b = *ret_b * 10 + (unsigned)(*p - '0');
    *at = p + (*p == ';');
}

struct in_list {
    sqlite3_value *list, *val;
    bool begun;
    int error;
};

static sqlite3_value *next_in_list(void *data)
{
    struct in_list *l = data;
    int r =
        l->begun ? sqlite3_vtab_in_next(l->list, &l->val) : sqlite3_vtab_in_first(l->list, &l->val);

    l->begun = true;
    if (r == SQLITE_OK)
        return l->val;
    if (r != SQLITE_DONE)
        l->error = r;
    return NULL;
}

/* Texts that may be equal to one of the values. */
static int add_texts(const struct orma_vtab *v, struct orma_filter *f, unsigned col,
                     sqlite3_value *(*next)(void *data), void *data)
{
    struct orma_text_ids ids = {0};

    for (sqlite3_value *val = next(data); val; val = next(data)) {
        if (!orma_number_texts_equal(v->sql, val, &ids)) {
            ORMA_VEC_FINI(&ids);
            return SQLITE_NOMEM;
        }
    }
    orma_filter_init_ids(f, col, ids.data, ids.len);
    return SQLITE_OK;
}

static sqlite3_value *next_of_one(void *data)
{
    sqlite3_value **at = data, *val = *at;

    *at = NULL;
    return val;
}

static int add_filter(const struct orma_vtab *v, struct orma_rowscan *scan, int op, unsigned col,
                      sqlite3_value *val)
{
    struct orma_filter *f = orma_rowscan_new_filter(scan);
    const struct orma_column_def *def = &v->table->def->columns[col];
    struct in_list list = {.list = val};
    int r = SQLITE_OK;

    if (op == ORMA_PLAN_OP_EQUAL ||
        (op == ORMA_PLAN_OP_IS && sqlite3_value_type(val) != SQLITE_NULL))
        return add_texts(v, f, col, next_of_one, &val);
    if (op == ORMA_PLAN_OP_IS)
        op = SQLITE_INDEX_CONSTRAINT_IS;
    if (op != ORMA_FILTER_OP_IN)
        return orma_filter_init(f, v->sql->storage, def, col, op, val) ? SQLITE_OK : SQLITE_NOMEM;
    if (def->kind == ORMA_COL_STRING)
        r = add_texts(v, f, col, next_in_list, &list);
    else if (!orma_filter_init_in(f, v->sql->storage, def, col, next_in_list, &list))
        r = SQLITE_NOMEM;
    return r ? r : list.error;
}

static uint64_t read_limit(int flags, sqlite3_value **argv)
{
    sqlite3_int64 limit = flags & ORMA_PLAN_LIMIT ? sqlite3_value_int64(argv[0]) : -1;
    sqlite3_int64 offset = flags & ORMA_PLAN_OFFSET ? sqlite3_value_int64(argv[1]) : 0;

    if (limit < 0)
        return ORMA_SQL_SCAN_NO_LIMIT;
    return (uint64_t)limit + (offset > 0 ? (uint64_t)offset : 0);
}

int orma_vtab_run_plan(const struct orma_vtab *self, struct orma_rowscan *scan, int flags,
                       const char *plan, sqlite3_value **argv)
{
    struct orma_rowscan_order order = {.distinct = flags & ORMA_PLAN_DISTINCT};
    int op, col, r = SQLITE_OK;
    unsigned second;

    orma_vtab_start_scan(self->sql, self->table, self->proj, scan);
    while (*plan && *plan != '|' && !r) {
        read_pair(&plan, &op, &second);
        r = add_filter(self, scan, op, second, *argv++);
    }
    for (plan += *plan == '|'; *plan; order.keys_num++) {
        read_pair(&plan, &col, &second);
        order.keys[order.keys_num] = (struct orma_sort_key){(unsigned)col, second};
    }
    order.limit = read_limit(flags, argv);
    if (!r)
        orma_rowscan_begin(scan, &order);
    if (!r && orma_sql_is_interrupted(self->sql))
        return SQLITE_INTERRUPT;
    return scan->failed ? SQLITE_NOMEM : r;
}
