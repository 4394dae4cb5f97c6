/*
 * Compound queries: a query whose rows are those of its parts, one part behind the other. It has no
 * sources and computes nothing; a column of it is the result of whichever part a row lies in.
 * ORDER BY and LIMIT of the whole are those of a query around it, which also makes sets of the rows
 * for UNION, INTERSECT and EXCEPT.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

/* The columns have the names of the first part. */
static bool add_columns(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_query *part)
{
    for (uint32_t i = 0; i < part->results.len; i++) {
        struct orma_exec_result r = part->results.data[i];

        r.given = r.name.len;
        r.expr = orma_exec_new_expr(plan, ORMA_EXEC_SLOT, 0);
        if (!r.expr || ORMA_VEC_PUSH(&q->results, r) < 0)
            return orma_exec_give_up(plan, "out of memory");
        r.expr->affinity = part->results.data[i].expr->affinity;
    }
    return true;
}

static bool add_part(struct orma_exec_plan *plan, struct orma_exec_query *q,
                     struct orma_exec_query *part)
{
    if (!part || (!q->parts.len && !add_columns(plan, q, part)))
        return false;
    part->is_part = true;
    if (ORMA_VEC_PUSH(&q->parts, part) < 0)
        return orma_exec_give_up(plan, "out of memory");
    if (part->results.len != q->results.len)
        return orma_exec_give_up(plan, "the number of columns");
    for (uint32_t i = 0; i < q->results.len; i++) {
        struct orma_exec_expr *to = q->results.data[i].expr;

        to->types |= part->results.data[i].expr->types;
        if (to->affinity != part->results.data[i].expr->affinity)
            to->affinity = EXEC_AFF_OPEN;
        plan->found.mixes |= to->affinity == EXEC_AFF_OPEN && to->types & EXEC_TEXT &&
                             to->types & (EXEC_INT | EXEC_REAL);
        /* Of a column of reals SQLite reads integers as reals. */
        if (to->affinity != EXEC_AFF_NONE && to->types & EXEC_INT && to->types & EXEC_REAL)
            return orma_exec_give_up(plan, "integers among reals in a UNION ALL");
    }
    return true;
}

/* SQLite looks for names in all parts, and among names that were given first. */
static bool are_told_apart(const struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->results.len; i++) {
        for (uint32_t k = i + 1; k < q->results.len; k++) {
            if (orma_exec_same_name(q->results.data[i].name, q->results.data[k].name))
                return false;
        }
    }
    return true;
}

static bool check_union_order(struct orma_exec_scope *s, const struct orma_exec_item *items)
{
    if (items && !are_told_apart(s->q))
        return orma_exec_give_up(s->plan, "columns of a compound query with the same name");
    for (; items; items = items->next) {
        bool is_result = items->expr->op == ORMA_EXEC_NUMBER ||
                         (items->expr->op == ORMA_EXEC_NAME && !items->expr->name.table.len);

        if (!is_result)
            return orma_exec_give_up(s->plan, "an order of a compound query by an expression");
    }
    return true;
}

/* A query around the parts of a compound one: ORDER BY and LIMIT of the whole, which are in `ast`
 * or NULL, and what makes a set of them. */
static struct orma_exec_query *bind_around(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_query *sub, enum orma_exec_set set)
{
    struct orma_exec_scope *s = sub ? calloc(1, sizeof(*s)) : NULL;
    struct orma_exec_query *q = s ? orma_exec_new_query(plan) : NULL;
    const struct orma_exec_item star = {0}, *order = ast ? ast->order : NULL;
    struct orma_exec_source *src;
    bool ok = q;

    if (ok) {
        *s = (struct orma_exec_scope){
            .plan = plan, .q = q, .seen_num = 1, .bind_call = orma_exec_bind_call};
        q->set = set;
        q->distinct = set != ORMA_EXEC_UNION_ALL;
        ok = orma_exec_bind_query_source(s, sub, &s->seen[0], &src) &&
             orma_exec_bind_results(s, &star) && (!order || orma_exec_bind_order(s, order)) &&
             check_union_order(s, order) && (!ast || orma_exec_bind_limit(s, ast));
        for (uint32_t i = 0; ok && i < q->results.len; i++)
            q->results.data[i].given = sub->results.data[i].given;
        q->has_order = order;
        q->is_compound = true;
        ORMA_VEC_FINI(&s->seen[0].cols);
    }
    free(s);
    if (!ok)
        orma_exec_give_up(plan, "out of memory");
    return ok ? q : NULL;
}

/* Whether one more part joins those that are there: a set of sets would be the same. */
static bool goes_on(const struct orma_exec_select *last, const struct orma_exec_select *part)
{
    return last->set == part->set && part->set != ORMA_EXEC_INTERSECT;
}

/*
 * Parts from the left to the right. Those with the same word between them are one list; where it
 * changes, what stands before is a query of its own.
 */
struct orma_exec_query *orma_exec_bind_compound(struct orma_exec_plan *plan,
                                                const struct orma_exec_select *ast,
                                                struct orma_exec_ctes *ctes, unsigned depth,
                                                orma_exec_bind_select *bind_select)
{
    const struct orma_exec_select *last = ast;
    struct orma_exec_query *list = NULL, *whole = NULL;

    for (const struct orma_exec_select *part = ast; part; last = part, part = part->more) {
        struct orma_exec_select core = *part;

        core.order = NULL;
        core.limit = core.offset = NULL;
        core.more = NULL;
        core.with = NULL;
        struct orma_exec_query *q = bind_select(plan, &core, ctes, depth + 1);
        if (part == ast) {
            whole = q;
            continue;
        }
        if (!list || !goes_on(last, part)) {
            if (list && !(whole = bind_around(plan, NULL, list, last->set)))
                return NULL;
            list = orma_exec_new_query(plan);
            if (!list || !add_part(plan, list, whole))
                return NULL;
        }
        if (!add_part(plan, list, q))
            return NULL;
    }
    return bind_around(plan, ast, list, last->set);
}
