/*
 * Conditions that follow from others: if a row is given by its number (`p.id = 5`), all columns of
 * it are constants, and so is what they are equal to (`c.parent_id = p.id`).
 */
#include "processor/sql/exec/plan/plan.h"
#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/run.h"

/* Whether `col` is known where `e`, a condition, holds: it is what is given, or another column of
 * the row that is given by its number. */
static bool is_known(struct orma_exec_plan *plan, const struct orma_exec_expr *col,
                     const struct orma_exec_expr *given, int64_t val, int64_t *ret)
{
    const struct orma_exec_source *src = given->column.source;

    *ret = val;
    if (orma_exec_same_expr(col, given))
        return true;
    if (col->column.source != src || src->join == ORMA_EXEC_LEFT ||
        !orma_exec_is_row_number(plan, given) || (uint64_t)val >= src->table->rows)
        return false;
    struct orma_exec_rows row = {.num = 1, .first = (uint32_t)val};
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool ok = v && orma_exec_run_column(plan, col, &row, v) && orma_exec_tag_at(v, 0) == EXEC_INT;
    if (ok)
        *ret = v->vals[0];
    orma_exec_give_vec(plan, v);
    return ok;
}

static bool has_given(const struct orma_exec_exprs *list, const struct orma_exec_expr *col)
{
    int64_t val;

    for (uint32_t i = 0; i < list->len; i++) {
        const struct orma_exec_expr *of = orma_exec_plan_given_column(list->data[i], &val);

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
        return orma_exec_give_up(plan, "out of memory");
    c->constant.val = (struct orma_exec_value){EXEC_INT, val};
    c->types = EXEC_INT;
    e->types = EXEC_INT | EXEC_NULL;
    e->args[0] = col;
    e->args[1] = c;
    e->folded = c->folded = true;
    return ORMA_VEC_PUSH(list, e) == 0 || orma_exec_give_up(plan, "out of memory");
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

            if (!orma_exec_plan_is_integer(col) || !orma_exec_plan_is_integer(other) ||
                (src && other->column.source != src) || has_given(list, other) ||
                !is_known(plan, col, given, val, &known))
                continue;
            if (!add_given(plan, list, other, known))
                return false;
        }
    }
    return true;
}

bool orma_exec_run_implied(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len && !plan->why; i++) {
        int64_t val;
        const struct orma_exec_expr *given = orma_exec_plan_given_column(q->where.data[i], &val);

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
