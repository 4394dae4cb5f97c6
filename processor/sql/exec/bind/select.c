/*
 * Queries: clauses are bound in the order that names need: FROM, GROUP BY, results, WHERE, HAVING,
 * ORDER BY.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

#define VIEWS_MAX 40

static struct orma_exec_query *bind_select(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_ctes *ctes, unsigned depth);

static void number_slots(struct orma_exec_query *q)
{
    unsigned base = q->groups.len + q->aggs.len;

    for (uint32_t i = 0; i < q->win_slots.len; i++)
        q->win_slots.data[i]->slot.at += base;
    for (uint32_t i = 0; i < q->wins.len; i++) {
        for (unsigned k = 0; k < q->wins.data[i]->funcs_num; k++)
            q->wins.data[i]->funcs[k].slot += base;
    }
    q->slots_num += base;
}

/* Results are bound twice where GROUP BY names them: before the groups are known they cannot have
 * aggregates, after that they can. */
static bool bind_groups_by_results(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    struct orma_exec_results plain = {0};
    bool ok = true;
    const struct orma_exec_item *item = ast->items;

    for (; item && ok; item = item->next) {
        struct orma_exec_result r = {.name = item->alias, .given = item->alias.len};

        if (!item->expr)
            break; /* numbers and names behind a star are given up */
        const char *why = s->plan->why;
        if (!r.name.len && item->expr->op == ORMA_EXEC_NAME)
            r.name = item->expr->name.name;
        r.expr = orma_exec_bind_expr(s, item->expr);
        if (!r.expr) { /* an aggregate, which nobody groups by */
            s->plan->why = why;
            r.expr = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);
        }
        ok = ORMA_VEC_PUSH(&plain, r) == 0;
    }
    s->aliases = &plain;
    ok = ok && orma_exec_bind_group(s, ast->group, &plain);
    s->aliases = NULL;
    ORMA_VEC_FINI(&plain);
    return ok;
}

static bool bind_where(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    return !ast->where ||
           orma_exec_bind_conditions(s->plan, &s->q->where, orma_exec_bind_expr(s, ast->where));
}

/*
 * A query that may depend on the row of the one around it: what it compares with that becomes its
 * groups, if it has aggregates, so WHERE is bound first (and sees no names of results).
 */
static bool bind_where_first(struct orma_exec_scope *s, const struct orma_exec_select *ast,
                             struct orma_exec_scope *outer)
{
    s->outer = outer;
    s->items = ast->items;
    bool ok = bind_where(s, ast) && orma_exec_bind_keys(s->plan, s->q, &s->q->where);

    s->outer = NULL;
    if (!ok)
        return false;
    for (uint32_t i = 0; i < s->q->keys.len; i++) {
        if (ORMA_VEC_PUSH(&s->q->groups, (struct orma_exec_key){.expr = s->q->keys.data[i]}) < 0)
            return orma_exec_give_up(s->plan, "out of memory");
    }
    return true;
}

static bool bind_clauses(struct orma_exec_scope *s, const struct orma_exec_select *ast,
                         struct orma_exec_scope *outer)
{
    const bool first = outer && !ast->group;

    if (first && !bind_where_first(s, ast, outer))
        return false;
    if (ast->group && !bind_groups_by_results(s, ast))
        return false;
    s->aggregates = s->window_funcs = true;
    if (!orma_exec_bind_results(s, ast->items))
        return false;
    s->aggregates = s->window_funcs = false;
    if (!s->q->grouped)
        s->q->groups.len = 0;
    s->q->result_aggs = s->q->aggs.len;
    s->aliases = &s->q->results;
    if (!first && !bind_where(s, ast))
        return false;
    s->aggregates = true;
    if (ast->having &&
        !orma_exec_bind_conditions(s->plan, &s->q->having, orma_exec_bind_expr(s, ast->having)))
        return false;
    s->window_funcs = true;
    return (!ast->order || orma_exec_bind_order(s, ast->order)) && orma_exec_bind_limit(s, ast) &&
           (!s->q->grouped || orma_exec_bind_regroup(s));
}

static struct orma_exec_query *bind_with(struct orma_exec_plan *plan,
                                         const struct orma_exec_select *ast,
                                         struct orma_exec_ctes *ctes, unsigned depth)
{
    struct orma_exec_scope *s = calloc(1, sizeof(*s)), *outer = plan->outer;
    struct orma_exec_query *q = orma_exec_new_query(plan);
    bool ok = s && q;

    plan->outer = NULL; /* not for queries in its FROM */
    if (ok) {
        *s = (struct orma_exec_scope){.plan = plan,
                                      .q = q,
                                      .windows = ast->windows,
                                      .ctes = ctes,
                                      .bind_select = bind_select,
                                      .bind_call = orma_exec_bind_call,
                                      .select_depth = depth};
        ok = ast->from ? orma_exec_bind_sources(s, ast) : orma_exec_give_up(plan, "no FROM");
    }
    ok = ok && bind_clauses(s, ast, outer);
    for (unsigned i = 0; s && i < s->seen_num; i++)
        ORMA_VEC_FINI(&s->seen[i].cols);
    free(s);
    if (!ok || plan->why) {
        orma_exec_give_up(plan, "out of memory");
        return NULL;
    }
    q->distinct = ast->distinct;
    q->has_order = ast->order;
    number_slots(q);
    return q;
}

static struct orma_exec_query *bind_select(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_ctes *ctes, unsigned depth)
{
    if (depth > VIEWS_MAX || plan->why || plan->queries.len > 200) {
        orma_exec_give_up(plan, "nested too deeply");
        return NULL;
    }
    if (!orma_exec_scope_with(plan, ast->with, &ctes))
        return NULL;
    if (ast->more)
        plan->outer = NULL;
    return ast->more ? orma_exec_bind_compound(plan, ast, ctes, depth, bind_select)
                     : bind_with(plan, ast, ctes, depth);
}

bool orma_exec_bind(struct orma_exec_plan *plan, struct orma_exec_select *ast)
{
    plan->root = bind_select(plan, ast, NULL, 0);
    for (uint32_t i = 0; i < plan->queries.len; i++)
        plan->found.has_others |= plan->queries.data[i]->parts.len || plan->subs.len;
    return plan->root;
}
