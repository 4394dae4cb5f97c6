/*
 * What binding promises to the stages behind it, of every expression, read or not: nothing is a
 * name any more, operators have the arguments that the table says, calls are of functions that it
 * or the engine knows, columns and slots lie in what they are of.
 */
#include "processor/sql/exec/plan/plan.h"
#include "sdk/base/assert.h"

static bool is_bound(enum orma_exec_op op)
{
    switch (op) {
    case ORMA_EXEC_NULL:
    case ORMA_EXEC_NUMBER:
    case ORMA_EXEC_TEXT:
    case ORMA_EXEC_NAME:
    case ORMA_EXEC_STAR:
    case ORMA_EXEC_BETWEEN:
    case ORMA_EXEC_MEMO: /* made by folding */
    case ORMA_EXEC_APPLY:
    case ORMA_EXEC_PARAM:
        return false;
    default:
        return true;
    }
}

static void check_column(const struct orma_exec_expr *e)
{
    ORMA_ASSERT(e->column.source && !e->num);
    ORMA_ASSERT(!e->column.source->table != !e->column.source->query);
    if (e->column.source->table)
        ORMA_ASSERT(e->column.at < orma_exec_table_width(e->column.source));
    else
        ORMA_ASSERT(e->column.at < e->column.source->query->results.len);
}

static void check_expr(const struct orma_exec_plan *plan, const struct orma_exec_query *q,
                       struct orma_exec_expr *e)
{
    const struct orma_exec_operator *o = orma_exec_operator_of(plan->catalog, e->op);

    if (e->checked) /* the first operand of BETWEEN comes twice */
        return;
    e->checked = true;
    ORMA_ASSERT(is_bound(e->op) && e->affinity <= EXEC_AFF_OPEN);
    ORMA_ASSERT(!o->args || o->args == e->num);
    ORMA_ASSERT(o->by_values || o->by_rows || o->by_sqlite || e->op == ORMA_EXEC_CALL);
    if (e->op == ORMA_EXEC_COLUMN)
        check_column(e);
    else if (e->op == ORMA_EXEC_SLOT)
        ORMA_ASSERT(q->parts.len || e->slot.at < q->slots_num);
    else if (e->op == ORMA_EXEC_CALL)
        ORMA_ASSERT(e->call.function && e->call.function->kinds & EXEC_SCALAR);
    else if (e->op == ORMA_EXEC_IN_SELECT || e->op == ORMA_EXEC_VALUE || e->op == ORMA_EXEC_EXISTS)
        ORMA_ASSERT(e->query.sub && e->query.sub->query);
    for (unsigned i = 0; i < e->num; i++) {
        ORMA_ASSERT(e->args[i]);
        check_expr(plan, q, e->args[i]);
    }
}

static void check_keys(const struct orma_exec_plan *plan, const struct orma_exec_query *q,
                       const struct orma_exec_keys *keys)
{
    for (uint32_t i = 0; i < keys->len; i++)
        check_expr(plan, q, keys->data[i].expr);
}

static void check_conditions(const struct orma_exec_plan *plan, const struct orma_exec_query *q,
                             const struct orma_exec_exprs *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        check_expr(plan, q, list->data[i]);
}

static void check_window(const struct orma_exec_plan *plan, const struct orma_exec_query *q,
                         const struct orma_exec_win *w)
{
    check_keys(plan, q, &w->partition);
    check_keys(plan, q, &w->order);
    for (unsigned i = 0; i < w->funcs_num; i++) {
        ORMA_ASSERT(w->funcs[i].function->kinds & EXEC_WINDOW);
        ORMA_ASSERT(w->funcs[i].function->window || w->funcs[i].function->step);
        ORMA_ASSERT(w->funcs[i].slot < q->slots_num);
        if (w->funcs[i].arg)
            check_expr(plan, q, w->funcs[i].arg);
        if (w->funcs[i].fallback)
            check_expr(plan, q, w->funcs[i].fallback);
    }
}

static void check_parts(const struct orma_exec_query *q)
{
    ORMA_ASSERT(!q->sources_num && !q->where.len && !q->grouped);
    for (uint32_t i = 0; i < q->parts.len; i++)
        ORMA_ASSERT(q->parts.data[i]->results.len == q->results.len);
}

static void check_query(const struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    if (q->parts.len)
        check_parts(q);
    ORMA_ASSERT(q->aggs.len == 0 || q->grouped);
    check_conditions(plan, q, &q->where);
    check_conditions(plan, q, &q->having);
    check_keys(plan, q, &q->groups);
    check_keys(plan, q, &q->order);
    for (unsigned i = 0; i < q->sources_num; i++)
        check_conditions(plan, q, &q->sources[i]->on);
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_agg *a = &q->aggs.data[i];

        ORMA_ASSERT(a->arg || a->function->can_be_star);
        ORMA_ASSERT(a->function->fold || a->function->step);
        ORMA_ASSERT(!a->distinct || a->function->fold); /* steps see each value */
        if (a->arg)
            check_expr(plan, q, a->arg);
    }
    for (uint32_t i = 0; i < q->wins.len; i++)
        check_window(plan, q, q->wins.data[i]);
    for (uint32_t i = 0; i < q->results.len; i++)
        check_expr(plan, q, q->results.data[i].expr);
}

void orma_exec_plan_check(const struct orma_exec_plan *plan)
{
    ORMA_ASSERT(!plan->why && plan->root);
    for (uint32_t i = 0; i < plan->queries.len; i++)
        check_query(plan, plan->queries.data[i]);
}
