/*
 * Conditions that the scan of a table tests itself: a stored column compared with a constant; and
 * those that give the row of a table by its number.
 */
#include "processor/sql/exec/plan/plan.h"

/* Rows that guesses look at. */
#define SAMPLE 256

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
    const uint8_t text = val->constant.val.tag & EXEC_TEXT;

    return val->constant.val.tag == EXEC_NULL || (col->types & EXEC_TEXT) == text;
}

/* A column in a list of constants, of which there may be any number. */
static bool is_in(struct orma_exec_plan *plan, const struct orma_exec_expr *e, unsigned *ret_col)
{
    const struct orma_exec_expr *c = e->op == ORMA_EXEC_IN && !e->negated ? e->args[0] : NULL;

    if (!c || c->op != ORMA_EXEC_COLUMN || !c->column.source->table)
        return false;
    for (unsigned i = 1; i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || !is_of_kind(c, e->args[i]))
            return false;
    }
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, c->column.source, c->column.at);
    *ret_col = v.col;
    return v.op == ORMA_PROJ_COL;
}

/* A stored column compared with a constant: what orma_filter does. */
bool orma_exec_plan_is_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                              int *ret_op, unsigned *ret_col, const struct orma_exec_expr **ret_val)
{
    *ret_op = ORMA_FILTER_OP_IN;
    *ret_val = e;
    if (is_in(plan, e, ret_col))
        return true;
    for (unsigned i = 0; i < e->num && e->num <= 2; i++) {
        const struct orma_exec_expr *c = e->args[i], *val = e->num == 2 ? e->args[1 - i] : NULL;

        if (c->op != ORMA_EXEC_COLUMN || !c->column.source->table ||
            (val && (val->op != ORMA_EXEC_CONST || !is_of_kind(c, val))))
            continue;
        struct orma_vcolumn v = orma_exec_table_vcolumn(plan, c->column.source, c->column.at);
        *ret_op = op_of(e->op, i);
        *ret_col = v.col;
        *ret_val = val;
        return *ret_op && v.op == ORMA_PROJ_COL;
    }
    return false;
}

/* Whether a value of a column of integers or texts is that constant. */
static bool is_value(const struct orma_exec_expr *val, int64_t bits)
{
    return (val->constant.val.tag & (EXEC_INT | EXEC_TEXT)) && val->constant.val.bits == bits;
}

double orma_exec_plan_guess_rows(struct orma_exec_plan *plan, const struct orma_exec_expr *e)
{
    const struct orma_exec_expr *val;
    uint32_t tried = 0, passed = 0;
    unsigned col;
    int op;

    if (!orma_exec_plan_is_filter(plan, e, &op, &col, &val) || !val)
        return 0;
    const struct orma_exec_expr *c = e->args[e->args[0]->op != ORMA_EXEC_COLUMN];
    const struct orma_table *t = c->column.source->table;
    const struct orma_column *values = &t->columns[col];
    if ((values->kind != ORMA_COL_INT && values->kind != ORMA_COL_STRING) || t->waits)
        return 0;
    const uint32_t step = t->rows / SAMPLE + 1;
    for (uint32_t row = step / 2; row < t->rows && row >= step / 2; row += step) {
        const int64_t bits = orma_column_bits(values, row);
        bool equal = op != ORMA_FILTER_OP_IN && is_value(val, bits);

        for (unsigned i = 1; op == ORMA_FILTER_OP_IN && i < e->num; i++)
            equal |= is_value(e->args[i], bits);
        passed += equal && !orma_column_is_null(values, row);
        tried++;
    }
    return tried ? (double)t->rows * passed / tried : 0;
}

/* Values that are equal as integers, or not at all. */
bool orma_exec_plan_is_integer(const struct orma_exec_expr *e)
{
    return e->op == ORMA_EXEC_COLUMN && !(e->types & ~(EXEC_INT | EXEC_NULL)) &&
           e->affinity != EXEC_AFF_TEXT;
}

/* The column that a condition says to be a certain integer; NULL: it says something else. */
struct orma_exec_expr *orma_exec_plan_given_column(const struct orma_exec_expr *e, int64_t *ret)
{
    for (unsigned i = 0; e->op == ORMA_EXEC_EQ && i < 2; i++) {
        const struct orma_exec_expr *val = e->args[1 - i];

        if (orma_exec_plan_is_integer(e->args[i]) && val->op == ORMA_EXEC_CONST &&
            val->constant.val.tag == EXEC_INT) {
            *ret = val->constant.val.bits;
            return e->args[i];
        }
    }
    return NULL;
}

bool orma_exec_plan_is_given(struct orma_exec_plan *plan, const struct orma_exec_query *q,
                             const struct orma_exec_source *src)
{
    int64_t val;

    for (uint32_t i = 0; i < q->where.len; i++) {
        const struct orma_exec_expr *col = orma_exec_plan_given_column(q->where.data[i], &val);

        if (col && col->column.source == src && orma_exec_is_row_number(plan, col))
            return true;
    }
    return false;
}
