/*
 * Compound queries: a query whose rows are those of its parts, one part behind the other. It has no
 * sources and computes nothing; a column of it is the result of whichever part a row lies in.
 * ORDER BY and LIMIT of the whole are those of a query around it, which also makes sets of the rows
 * for UNION, INTERSECT and EXCEPT.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_bind.h"

/* The columns have the names of the first part. */
static bool add_columns(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_query *part)
{
    for (uint32_t i = 0; i < part->results.len; i++) {
        struct orma_exec_result r = part->results.data[i];

        r.given = r.name.len;
        r.expr = orma_exec_new_expr(plan, ORMA_EXEC_SLOT, 0);
        if (!r.expr || ORMA_VEC_PUSH(&q->results, r) < 0)
            return orma_exec_give_up(plan, "memory");
        r.expr->affinity = part->results.data[i].expr->affinity;
    }
    return true;
}

bool orma_exec_add_part(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        struct orma_exec_query *part)
{
    if (!part || (!q->parts.len && !add_columns(plan, q, part)))
        return false;
    part->is_part = true;
    if (ORMA_VEC_PUSH(&q->parts, part) < 0)
        return orma_exec_give_up(plan, "memory");
    if (part->results.len != q->results.len)
        return orma_exec_give_up(plan, "the number of columns");
    for (uint32_t i = 0; i < q->results.len; i++) {
        struct orma_exec_expr *to = q->results.data[i].expr;

        to->types |= part->results.data[i].expr->types;
        if (to->affinity != part->results.data[i].expr->affinity)
            to->affinity = EXEC_AFF_OPEN;
        plan->mixes |= to->affinity == EXEC_AFF_OPEN && to->types & EXEC_TEXT &&
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

/* SQLite puts each part in order and merges them: there the order changes in which windows and
 * groups come, and so that of equal rows. Of a set no rows are equal; but what several windows say
 * depends on which of them comes first. */
static bool have_own_order(const struct orma_exec_query *sub, bool set)
{
    for (uint32_t i = 0; i < sub->parts.len; i++) {
        const struct orma_exec_query *part = sub->parts.data[i];

        if (set ? part->wins.len > 1 : part->wins.len || part->groups.len)
            return true;
        for (unsigned k = 0; k < part->sources_num; k++) {
            if (part->sources[k]->query && have_own_order(part->sources[k]->query, set))
                return true;
        }
    }
    return false;
}

bool orma_exec_check_union_order(struct orma_exec_scope *s, const struct orma_exec_item *items)
{
    if (items && !are_told_apart(s->q))
        return orma_exec_give_up(s->plan, "columns of a compound query with the same name");
    if (items && have_own_order(s->q->sources[0]->query, s->q->distinct))
        return orma_exec_give_up(s->plan, "windows or groups below the order of a compound query");
    for (; items; items = items->next) {
        bool is_result = items->expr->op == ORMA_EXEC_NUMBER ||
                         (items->expr->op == ORMA_EXEC_NAME && !items->expr->table.len);

        if (!is_result)
            return orma_exec_give_up(s->plan, "an order of a compound query by an expression");
    }
    for (uint32_t i = 0; i < s->q->order.len; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (s->q->order.data[i].expr == s->q->order.data[k].expr)
                return orma_exec_give_up(s->plan, "a term of ORDER BY that comes twice");
        }
    }
    return true;
}
