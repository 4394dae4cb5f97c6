/*
 * Conditions that the scan of a table tests itself: a stored column compared with a constant. Some
 * follow from others: if a row is given by its number (`p.id = 5`), all columns of it are
 * constants, and so is what they are equal to (`c.parent_id = p.id`).
 */
#include "processor/sql/exec/exec_plan.h"

static int op_of(enum orma_exec_op op, bool turned)
{
    switch (op) {
    case ORMA_EXEC_EQ:
        return SQLITE_INDEX_CONSTRAINT_EQ;
    case ORMA_EXEC_NE:
        return SQLITE_INDEX_CONSTRAINT_NE;
    case ORMA_EXEC_LT:
        return turned ? SQLITE_INDEX_CONSTRAINT_GT : SQLITE_INDEX_CONSTRAINT_LT;
    case ORMA_EXEC_LE:
        return turned ? SQLITE_INDEX_CONSTRAINT_GE : SQLITE_INDEX_CONSTRAINT_LE;
    case ORMA_EXEC_GT:
        return turned ? SQLITE_INDEX_CONSTRAINT_LT : SQLITE_INDEX_CONSTRAINT_GT;
    case ORMA_EXEC_GE:
        return turned ? SQLITE_INDEX_CONSTRAINT_LE : SQLITE_INDEX_CONSTRAINT_GE;
    case ORMA_EXEC_IS_NULL:
        return SQLITE_INDEX_CONSTRAINT_ISNULL;
    case ORMA_EXEC_NOT_NULL:
        return SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
    default:
        return 0;
    }
}

/* Whether SQLite compares them as they are: of a text and a number an affinity changes one. */
static bool is_of_kind(const struct orma_exec_expr *col, const struct orma_exec_expr *val)
{
    const uint8_t text = val->val.tag & EXEC_TEXT;

    return val->val.tag == EXEC_NULL || (col->types & EXEC_TEXT) == text;
}

/* A column in a list of constants, of which there may be any number. */
static bool is_in(struct orma_exec_plan *plan, const struct orma_exec_expr *e, unsigned *ret_col)
{
    const struct orma_exec_expr *c = e->op == ORMA_EXEC_IN && !e->negated ? e->args[0] : NULL;

    if (!c || c->op != ORMA_EXEC_COLUMN || !c->source->table)
        return false;
    for (unsigned i = 1; i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || !is_of_kind(c, e->args[i]))
            return false;
    }
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, c->source, c->col);
    *ret_col = v.col;
    return v.op == ORMA_PROJ_COL;
}

/* A stored column compared with a constant: what orma_filter does. */
bool orma_exec_is_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e, int *ret_op,
                         unsigned *ret_col, const struct orma_exec_expr **ret_val)
{
    *ret_op = ORMA_FILTER_OP_IN;
    *ret_val = e;
    if (is_in(plan, e, ret_col))
        return true;
    for (unsigned i = 0; i < e->num && e->num <= 2; i++) {
        const struct orma_exec_expr *c = e->args[i], *val = e->num == 2 ? e->args[1 - i] : NULL;

        if (c->op != ORMA_EXEC_COLUMN || !c->source->table ||
            (val && (val->op != ORMA_EXEC_CONST || !is_of_kind(c, val))))
            continue;
        struct orma_vcolumn v = orma_exec_table_vcolumn(plan, c->source, c->col);
        *ret_op = op_of(e->op, i);
        *ret_col = v.col;
        *ret_val = val;
        return *ret_op && v.op == ORMA_PROJ_COL;
    }
    return false;
}

/* As SQLite has it; NULL: memory is out. */
static sqlite3_value *make_value(struct orma_exec_plan *plan, const struct orma_exec_value *val)
{
    struct orma_str text = {0};
    sqlite3_stmt *stmt = NULL;
    bool ok = !sqlite3_prepare_v2(plan->sql->db, "SELECT ?1", -1, &stmt, NULL);

    if (val->tag == EXEC_TEXT)
        text = orma_strpool_get(&plan->sql->storage->pool, (uint32_t)val->bits);
    if (ok && val->tag == EXEC_INT)
        sqlite3_bind_int64(stmt, 1, val->bits);
    else if (ok && val->tag == EXEC_REAL)
        sqlite3_bind_double(stmt, 1, orma_exec_double(val->bits));
    else if (ok && val->tag == EXEC_TEXT)
        sqlite3_bind_text64(stmt, 1, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
    ok = ok && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_value *copy = ok ? sqlite3_value_dup(sqlite3_column_value(stmt, 0)) : NULL;
    sqlite3_finalize(stmt);
    return copy;
}

struct list {
    struct orma_exec_plan *plan;
    const struct orma_exec_expr *e;
    unsigned at;
    sqlite3_value *val; /* the last one */
    bool failed;
};

static sqlite3_value *next_of(void *data)
{
    struct list *l = data;

    sqlite3_value_free(l->val);
    l->val = ++l->at < l->e->num ? make_value(l->plan, &l->e->args[l->at]->val) : NULL;
    l->failed |= !l->val && l->at < l->e->num;
    return l->val;
}

bool orma_exec_add_filter(struct orma_exec_plan *plan, const struct orma_table *t,
                          struct orma_rowscan *scan, int op, unsigned col,
                          const struct orma_exec_expr *val)
{
    struct orma_filter *f = orma_rowscan_new_filter(scan);
    struct orma_storage *st = plan->sql->storage;
    const struct orma_column_def *def = &t->def->columns[col];

    if (!val)
        return orma_filter_init(f, st, def, col, op, NULL);
    if (op == ORMA_FILTER_OP_IN) {
        struct list l = {.plan = plan, .e = val};
        bool ok = orma_filter_init_in(f, st, def, col, next_of, &l) && !l.failed;

        sqlite3_value_free(l.val);
        return ok || orma_exec_give_up(plan, "memory");
    }
    sqlite3_value *copy = make_value(plan, &val->val);
    bool ok = copy && orma_filter_init(f, st, def, col, op, copy);
    sqlite3_value_free(copy);
    return ok || orma_exec_give_up(plan, "memory");
}

/* ---- what follows ---- */

/* Values that are equal as integers, or not at all. */
static bool is_whole(const struct orma_exec_expr *e)
{
    return e->op == ORMA_EXEC_COLUMN && !(e->types & ~(EXEC_INT | EXEC_NULL)) &&
           e->affinity != EXEC_AFF_TEXT;
}

/* The column that a condition says to be a certain integer; NULL: it says something else. */
static struct orma_exec_expr *is_given(const struct orma_exec_expr *e, int64_t *ret)
{
    for (unsigned i = 0; e->op == ORMA_EXEC_EQ && i < 2; i++) {
        const struct orma_exec_expr *val = e->args[1 - i];

        if (is_whole(e->args[i]) && val->op == ORMA_EXEC_CONST && val->val.tag == EXEC_INT) {
            *ret = val->val.bits;
            return e->args[i];
        }
    }
    return NULL;
}

static bool is_number_of_row(struct orma_exec_plan *plan, const struct orma_exec_expr *col)
{
    if (!col->source->table)
        return false;
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, col->source, col->col);
    return v.op == ORMA_PROJ_COL && col->source->table->columns[v.col].kind <= ORMA_COL_ALIAS;
}

bool orma_exec_is_given(struct orma_exec_plan *plan, const struct orma_exec_query *q,
                        const struct orma_exec_source *src)
{
    int64_t val;

    for (uint32_t i = 0; i < q->where.len; i++) {
        const struct orma_exec_expr *col = is_given(q->where.data[i], &val);

        if (col && col->source == src && is_number_of_row(plan, col))
            return true;
    }
    return false;
}

/* Whether `col` is known where `e`, a condition, holds: it is what is given, or another column of
 * the row that is given by its number. */
static bool is_known(struct orma_exec_plan *plan, const struct orma_exec_expr *col,
                     const struct orma_exec_expr *given, int64_t val, int64_t *ret)
{
    const struct orma_exec_source *src = given->source;

    *ret = val;
    if (orma_exec_same_expr(col, given))
        return true;
    if (col->source != src || src->join == ORMA_EXEC_LEFT || !is_number_of_row(plan, given) ||
        (uint64_t)val >= src->table->rows)
        return false;
    struct orma_exec_rows row = {.num = 1, .first = (uint32_t)val};
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool ok = v && orma_exec_load_column(plan, col, &row, v) && orma_exec_tag_at(v, 0) == EXEC_INT;
    if (ok)
        *ret = v->vals[0];
    orma_exec_give_vec(plan, v);
    return ok;
}

static bool has_given(const struct orma_exec_exprs *list, const struct orma_exec_expr *col)
{
    int64_t val;

    for (uint32_t i = 0; i < list->len; i++) {
        const struct orma_exec_expr *of = is_given(list->data[i], &val);

        if (of && orma_exec_same_expr(of, col))
            return true;
    }
    return false;
}

static bool add_given(struct orma_exec_plan *plan, struct orma_exec_exprs *list,
                      struct orma_exec_expr *col, int64_t val)
{
    struct orma_exec_expr *e = orma_exec_new_expr(plan, ORMA_EXEC_EQ, 2);
    struct orma_exec_expr *c = orma_exec_new_expr(plan, ORMA_EXEC_CONST, 0);

    if (!e || !c)
        return orma_exec_give_up(plan, "memory");
    c->val = (struct orma_exec_value){EXEC_INT, val};
    c->types = EXEC_INT;
    e->types = EXEC_INT | EXEC_NULL;
    e->args[0] = col;
    e->args[1] = c;
    e->folded = c->folded = true;
    return ORMA_VEC_PUSH(list, e) == 0 || orma_exec_give_up(plan, "memory");
}

/* Adds to `list`, of the source `src` alone if there is one, what it and a given column imply. */
static bool spread(struct orma_exec_plan *plan, struct orma_exec_exprs *list,
                   const struct orma_exec_source *src, const struct orma_exec_expr *given,
                   int64_t val)
{
    const uint32_t num = list->len;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_expr *e = list->data[i];

        for (unsigned k = 0; e->op == ORMA_EXEC_EQ && k < 2; k++) {
            struct orma_exec_expr *col = e->args[k], *other = e->args[1 - k];
            int64_t known;

            if (!is_whole(col) || !is_whole(other) || (src && other->source != src) ||
                has_given(list, other) || !is_known(plan, col, given, val, &known))
                continue;
            if (!add_given(plan, list, other, known))
                return false;
        }
    }
    return true;
}

bool orma_exec_spread(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len && !plan->why; i++) {
        int64_t val;
        const struct orma_exec_expr *given = is_given(q->where.data[i], &val);

        for (unsigned s = 0; given && s < q->sources_num; s++) {
            struct orma_exec_source *src = q->sources[s];

            if (src->join == ORMA_EXEC_LEFT && !spread(plan, &src->on, src, given, val))
                return false;
        }
        if (given && !spread(plan, &q->where, NULL, given, val))
            return false;
    }
    return !plan->why;
}
