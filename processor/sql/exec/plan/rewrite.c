/* All expressions of a statement are folded, and limits move to where they save rows. */
#include "processor/sql/exec/plan/plan.h"

/* Whether values of an expression depend on which sets of args are equal: extract_arg() of a column
 * does not. */
static void find_sets(struct orma_exec_plan *plan, const struct orma_exec_expr *e, bool inside)
{
    if (e->op == ORMA_EXEC_COLUMN && e->column.source->table) {
        const struct orma_vcolumn v = orma_exec_table_vcolumn(plan, e->column.source, e->column.at);
        const struct orma_table *t = e->column.source->table, *tables = plan->sql->storage->tables;
        const bool set = v.op == ORMA_PROJ_COL && t >= tables && t < tables + ORMA_TABLES_NUM &&
                         orma_args_is_set_column(&t->def->columns[v.col]);

        plan->statement.sets |= set && inside;
        plan->statement.ids |= set != inside || v.op == ORMA_PROJ_ARG;
    } else if (e->op == ORMA_EXEC_COLUMN && !e->column.source->query->parts.len) {
        find_sets(plan, e->column.source->query->results.data[e->column.at].expr, inside);
    } else if (inside) {
        plan->statement.ids = true;
    }
    for (unsigned i = 0; i < e->num; i++)
        find_sets(plan, e->args[i],
                  i == 0 && e->op == ORMA_EXEC_CALL && e->call.function->of_arg_set);
}

static void fold(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    if (plan->statement.args)
        find_sets(plan, e, false);
    orma_exec_plan_fold(plan, e);
}

/* Conditions: SQLite tests them in an order of its own, so none may fail where there are several.
 */
static void fold_all(struct orma_exec_plan *plan, struct orma_exec_exprs *list, bool alone)
{
    plan->found.sure = !alone || list->len > 1;
    for (uint32_t i = 0; i < list->len && !plan->why; i++) {
        const struct orma_exec_expr *val;
        unsigned col;
        int op;

        /* Scans have indexes for these. */
        if (!orma_exec_plan_is_filter(plan, list->data[i], &op, &col, &val))
            fold(plan, list->data[i]);
        else if (plan->statement.args)
            find_sets(plan, list->data[i], false);
    }
    plan->found.sure = false;
}

static void fold_keys(struct orma_exec_plan *plan, struct orma_exec_keys *keys)
{
    for (uint32_t i = 0; i < keys->len && !plan->why; i++)
        fold(plan, keys->data[i].expr);
}

static void fold_window(struct orma_exec_plan *plan, struct orma_exec_win *w)
{
    fold_keys(plan, &w->partition);
    fold_keys(plan, &w->order);
    for (unsigned i = 0; i < w->funcs_num; i++) {
        if (w->funcs[i].arg)
            fold(plan, w->funcs[i].arg);
        if (w->funcs[i].fallback)
            fold(plan, w->funcs[i].fallback);
    }
}

/* Whether its results are looked at by name only: those that nobody reads have no values. */
static bool is_source(const struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < plan->queries.len && !q->distinct; i++) {
        const struct orma_exec_query *other = plan->queries.data[i];

        for (unsigned k = 0; k < other->sources_num; k++) {
            if (other->sources[k]->query == q)
                return true;
        }
    }
    return false;
}

static bool may_fail(const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_CALL && e->call.function->may_fail;

    for (unsigned i = 0; i < e->num && !found; i++)
        found = may_fail(e->args[i]);
    return found;
}

/* SQLite works results out before it sorts, so also for rows behind the limit: whether for all of
 * them depends on their order. */
static bool check_limited(struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    for (uint32_t i = 0; q->has_limit && q->order.len && i < q->results.len; i++) {
        if (may_fail(q->results.data[i].expr))
            return orma_exec_give_up(plan, "a function that may fail behind a LIMIT");
    }
    return true;
}

static bool fold_query(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    fold_all(plan, &q->where, q->sources_num == 1);
    for (unsigned i = 0; i < q->sources_num; i++)
        fold_all(plan, &q->sources[i]->on, false);
    fold_keys(plan, &q->groups);
    for (uint32_t i = 0; i < q->aggs.len && !plan->why; i++) {
        if (q->aggs.data[i].arg)
            fold(plan, q->aggs.data[i].arg);
    }
    fold_all(plan, &q->having, true);
    for (uint32_t i = 0; i < q->wins.len && !plan->why; i++)
        fold_window(plan, q->wins.data[i]);
    const bool named = is_source(plan, q);
    if (!check_limited(plan, q))
        return false;
    plan->found.sure = named; /* nobody may read them */
    for (uint32_t i = 0; i < q->results.len && !plan->why; i++) {
        if (named)
            orma_exec_plan_fold(plan, q->results.data[i].expr);
        else
            fold(plan, q->results.data[i].expr);
    }
    plan->found.sure = false;
    fold_keys(plan, &q->order);
    return !plan->why;
}

/* Whether the query numbers its rows and does nothing else that looks at all of them. */
static bool only_numbers(const struct orma_exec_query *q)
{
    if (q->wins.len != 1 || q->distinct || q->order.len || q->has_limit ||
        q->wins.data[0]->partition.len)
        return false;
    for (unsigned i = 0; i < q->wins.data[0]->funcs_num; i++) {
        if (!q->wins.data[0]->funcs[i].function->numbers_rows)
            return false;
    }
    return true;
}

/* row_number() < 100 around a query that numbers its rows: the first 99 will do. */
static void limit_numbers(struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len; i++) {
        const struct orma_exec_expr *e = q->where.data[i];

        if ((e->op != ORMA_EXEC_LT && e->op != ORMA_EXEC_LE) ||
            e->args[0]->op != ORMA_EXEC_COLUMN || !e->args[0]->column.source->query ||
            e->args[0]->column.source->join == ORMA_EXEC_LEFT ||
            e->args[1]->op != ORMA_EXEC_CONST || e->args[1]->constant.val.tag != EXEC_INT)
            continue;
        struct orma_exec_query *sub = e->args[0]->column.source->query;
        const struct orma_exec_expr *slot = sub->results.data[e->args[0]->column.at].expr;
        int64_t num = e->args[1]->constant.val.bits - (e->op == ORMA_EXEC_LT);
        if (only_numbers(sub) && slot->op == ORMA_EXEC_SLOT && slot->slot.of_window && num > 0 &&
            num < UINT32_MAX)
            sub->first_rows = (uint32_t)num;
    }
}

bool orma_exec_plan_rewrite(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        limit_numbers(plan->queries.data[i]);
        if (!fold_query(plan, plan->queries.data[i]))
            return false;
    }
    return true;
}
