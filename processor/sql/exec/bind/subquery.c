/*
 * Queries inside expressions: x IN (SELECT ...), a value, EXISTS. They run once, before the query
 * they stand in.
 *
 * What does not depend on the row becomes a set or a constant. What depends on it by equality
 * becomes a table that is looked into:
 *
 *   (SELECT sum(b.v) FROM b WHERE b.k = a.k AND b.v > 3)
 *      ─►  SELECT sum(b.v), b.k FROM b WHERE b.v > 3 GROUP BY b.k          by k = a.k
 *   (SELECT b.v FROM b WHERE b.k = a.k ORDER BY b.ts LIMIT 1)
 *      ─►  SELECT b.v, b.k FROM b ORDER BY b.ts                            the first of k = a.k
 *   a.x IN (SELECT b.v FROM b WHERE b.k = a.k)
 *      ─►  SELECT b.v, b.k FROM b                             whether v = a.x, k = a.k are there
 *
 * Anything else that depends on the row is given up.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

enum { INSIDE = 1, OUTSIDE = 2 };

/* Whose columns an expression reads: of the query, of others. */
static unsigned sides_of(const struct orma_exec_query *q, const struct orma_exec_expr *e)
{
    unsigned sides = 0;

    if (e->op == ORMA_EXEC_COLUMN) {
        unsigned i = e->column.source->index;

        sides = i < q->sources_num && q->sources[i] == e->column.source ? INSIDE : OUTSIDE;
    }
    for (unsigned i = 0; i < e->num; i++)
        sides |= sides_of(q, e->args[i]);
    return sides;
}

bool orma_exec_bind_keys(struct orma_exec_plan *plan, struct orma_exec_query *q,
                         struct orma_exec_exprs *conditions)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < conditions->len; i++) {
        struct orma_exec_expr *e = conditions->data[i];

        if (!(sides_of(q, e) & OUTSIDE)) {
            conditions->data[kept++] = e;
            continue;
        }
        unsigned left = e->op == ORMA_EXEC_EQ ? sides_of(q, e->args[0]) : 0;
        unsigned right = e->op == ORMA_EXEC_EQ ? sides_of(q, e->args[1]) : 0;
        if (!left || !right || left + right != INSIDE + OUTSIDE || q->keys.len == EXEC_KEYS_MAX)
            return orma_exec_give_up(plan, "a query that depends on the row");
        if (ORMA_VEC_PUSH(&q->keys, e->args[left != INSIDE]) < 0 ||
            ORMA_VEC_PUSH(&q->outer, e->args[left == INSIDE]) < 0)
            return orma_exec_give_up(plan, "out of memory");
    }
    conditions->len = kept;
    return true;
}

static struct orma_exec_sub *new_sub(struct orma_exec_scope *s, struct orma_exec_expr *e,
                                     const struct orma_exec_ast *ast)
{
    struct orma_exec_query *q = NULL;

    if (s->bind_select) {
        s->plan->outer = s;
        q = s->bind_select(s->plan, ast->query.select, s->ctes, s->select_depth + 1);
        s->plan->outer = NULL;
    }
    struct orma_exec_sub *sub = q ? calloc(1, sizeof(*sub)) : NULL;

    if (q && q->results.len != 1 && ast->op != ORMA_EXEC_EXISTS) {
        orma_exec_give_up(s->plan, "the number of columns");
    } else if (sub && ORMA_VEC_PUSH(&s->plan->subs, sub) == 0) {
        e->query.sub = sub;
        sub->expr = e;
        sub->query = q;
        return sub;
    }
    free(sub);
    orma_exec_give_up(s->plan, "out of memory");
    return NULL;
}

/* Values that are compared as they are: numbers with numbers, texts with texts. */
static bool find_type(const struct orma_exec_expr *a, const struct orma_exec_expr *b, uint8_t *ret)
{
    uint8_t types = (a->types | b->types) & (uint8_t)~EXEC_NULL;

    *ret = types;
    if (types == EXEC_INT)
        return a->affinity != EXEC_AFF_TEXT && b->affinity != EXEC_AFF_TEXT;
    return types == EXEC_TEXT && a->affinity != EXEC_AFF_NUMBER && b->affinity != EXEC_AFF_NUMBER;
}

/* The keys become the last results, and the other side of each an argument of the expression,
 * behind those that it has. */
static bool add_keys(struct orma_exec_scope *s, struct orma_exec_sub *sub, struct orma_exec_expr *e)
{
    struct orma_exec_query *q = sub->query;
    const unsigned before = e->num, num = before + q->keys.len;
    struct orma_exec_expr **args =
        orma_arena_alloc(&s->plan->arena, (num + 1) * sizeof(struct orma_exec_expr *));

    if (!args)
        return orma_exec_give_up(s->plan, "out of memory");
    for (unsigned i = 0; i < before; i++)
        args[i] = e->args[i];
    e->args = args;
    e->num = num;
    sub->keys_num = q->keys.len;
    for (unsigned i = 0; i < sub->keys_num; i++) {
        struct orma_exec_result r = {.expr = q->keys.data[i]};

        if (!find_type(r.expr, q->outer.data[i], &sub->key_types[i]))
            return orma_exec_give_up(s->plan, "types of a query that depends on the row");
        args[before + i] = q->outer.data[i];
        if (q->grouped) {
            uint8_t types = r.expr->types;

            if (!(r.expr = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0)))
                return false;
            r.expr->slot.at = i;
            r.expr->types = types;
        }
        if (ORMA_VEC_PUSH(&q->results, r) < 0)
            return orma_exec_give_up(s->plan, "out of memory");
    }
    return true;
}

bool orma_exec_bind_in_select(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                              struct orma_exec_expr *e)
{
    struct orma_exec_sub *sub = new_sub(s, e, ast);

    if (!sub)
        return false;
    struct orma_exec_query *q = sub->query;
    if (q->keys.len && (q->grouped || q->wins.len || q->has_limit || q->offset))
        return orma_exec_give_up(s->plan, "a query of groups, windows or a LIMIT behind IN");
    if (!find_type(e->args[0], q->results.data[0].expr, &sub->type))
        return orma_exec_give_up(s->plan, "types of IN (SELECT ...)");
    q->any_order = true;
    e->negated = ast->negated;
    e->types = EXEC_INT | EXEC_NULL;
    return !q->keys.len || add_keys(s, sub, e);
}

bool orma_exec_bind_value(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                          struct orma_exec_expr *e)
{
    struct orma_exec_sub *sub = new_sub(s, e, ast);
    const bool exists = ast->op == ORMA_EXEC_EXISTS;

    if (!sub)
        return false;
    struct orma_exec_query *q = sub->query;
    const bool one = q->grouped && q->groups.len == q->keys.len; /* without GROUP BY */
    if (q->limit == 0 || q->offset || (q->keys.len && (q->wins.len || q->having.len)) ||
        (exists && (q->grouped || q->parts.len || q->set > ORMA_EXEC_UNION)))
        return orma_exec_give_up(s->plan, "a query of rows as a value");
    e->types = exists ? EXEC_INT : q->results.data[0].expr->types | EXEC_NULL;
    if (!exists)
        e->affinity = q->results.data[0].expr->affinity;
    if (exists) {
        q->results.len = 0;
        q->order.len = 0;
        q->any_order = q->probed = true;
    }
    if (q->keys.len) { /* the first of each */
        q->has_limit = false;
        q->limit = -1;
        return add_keys(s, sub, e);
    }
    if (!one) {
        q->has_limit = true;
        q->limit = 1;
    }
    return true;
}
