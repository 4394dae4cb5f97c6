/*
 * Expressions over blocks of rows: the table says what computes an operator or a function, from the
 * values of its arguments, or by itself.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/run.h"
#include "sdk/base/assert.h"

static bool eval_values(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        orma_exec_by_values *compute, const struct orma_exec_rows *r,
                        struct orma_exec_vec *ret)
{
    struct orma_exec_vec *v[EXEC_PARAMS_MAX] = {NULL};
    bool ok = true;

    ORMA_ASSERT(e->num <= EXEC_PARAMS_MAX);
    for (unsigned k = 0; ok && k < e->num; k++)
        ok = (v[k] = orma_exec_take_vec(plan)) && orma_exec_run_eval(plan, e->args[k], r, v[k]);
    ok = ok && compute(plan, e, v, r->num, ret);
    for (unsigned k = 0; k < e->num; k++)
        orma_exec_give_vec(plan, v[k]);
    return ok;
}

bool orma_exec_run_eval(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    const struct orma_exec_function *f = e->op == ORMA_EXEC_CALL ? e->call.function : NULL;
    const struct orma_exec_operator *o = orma_exec_operator_of(plan->catalog, e->op);
    orma_exec_by_rows *by_rows = f ? f->by_rows : o->by_rows;
    orma_exec_by_values *by_values = f ? f->by_values : o->by_values;

    if (plan->why)
        return false;
    if (by_rows)
        return by_rows(plan, e, r, ret);
    if (by_values)
        return eval_values(plan, e, by_values, r, ret);
    return orma_exec_give_up(plan, "an operator");
}

int orma_exec_run_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         const struct orma_exec_rows *r, uint32_t *ret)
{
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    uint32_t num = 0;
    bool ok = v && orma_exec_run_eval(plan, e, r, v);

    for (uint32_t i = 0; ok && i < r->num; i++) {
        enum orma_exec_truth t = EXEC_MAYBE;

        ok = orma_exec_run_truth(plan, v, i, &t);
        ret[num] = i;
        num += ok && t == EXEC_TRUE;
    }
    orma_exec_give_vec(plan, v);
    return ok ? (int)num : -1;
}
