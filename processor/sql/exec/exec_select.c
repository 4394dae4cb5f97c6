/*
 * Queries inside expressions that do not depend on the row: x IN (SELECT ...), and one aggregate
 * as a value. They run once, before the query they stand in; then the one is a set, the other a
 * constant. A name that only the query around them knows is not found while they are bound, so
 * what depends on the row is given up.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_bind.h"

static struct orma_exec_sub *new_sub(struct orma_exec_scope *s, struct orma_exec_expr *e,
                                     const struct orma_exec_ast *ast)
{
    struct orma_exec_query *q =
        s->bind_select ? s->bind_select(s->plan, ast->select, s->ctes, s->select_depth + 1) : NULL;
    struct orma_exec_sub *sub = q ? calloc(1, sizeof(*sub)) : NULL;

    if (q && q->results.len != 1) {
        orma_exec_give_up(s->plan, "the number of columns");
    } else if (sub && ORMA_VEC_PUSH(&s->plan->subs, sub) == 0) {
        e->sub = sub;
        sub->expr = e;
        sub->query = q;
        return sub;
    }
    free(sub);
    orma_exec_give_up(s->plan, "memory");
    return NULL;
}

/* Values that are compared as they are: numbers with numbers, texts with texts. */
static bool set_type(struct orma_exec_sub *sub, const struct orma_exec_expr *a,
                     const struct orma_exec_expr *b)
{
    uint8_t types = (a->types | b->types) & (uint8_t)~EXEC_NULL;

    sub->type = types;
    if (types == EXEC_INT)
        return a->affinity != EXEC_AFF_TEXT && b->affinity != EXEC_AFF_TEXT;
    return types == EXEC_TEXT && a->affinity != EXEC_AFF_NUMBER && b->affinity != EXEC_AFF_NUMBER;
}

bool orma_exec_bind_in_select(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                              struct orma_exec_expr *e)
{
    struct orma_exec_sub *sub = new_sub(s, e, ast);

    if (!sub)
        return false;
    if (!set_type(sub, e->args[0], sub->query->results.data[0].expr))
        return orma_exec_give_up(s->plan, "types of IN (SELECT ...)");
    sub->query->any_order = true;
    e->negated = ast->negated;
    e->types = EXEC_INT | EXEC_NULL;
    return true;
}

bool orma_exec_bind_value(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                          struct orma_exec_expr *e)
{
    struct orma_exec_sub *sub = new_sub(s, e, ast);

    if (!sub)
        return false;
    if (!sub->query->grouped || sub->query->groups.len || sub->query->has_limit)
        return orma_exec_give_up(s->plan, "a query of rows as a value");
    e->types = sub->query->results.data[0].expr->types | EXEC_NULL;
    e->affinity = sub->query->results.data[0].expr->affinity;
    return true;
}

/* ---- running ---- */

/* The first row, or NULL. */
static bool take_value(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       const struct orma_exec_rows *r, struct orma_exec_vec *v)
{
    sub->expr->val = (struct orma_exec_value){EXEC_NULL, 0};
    if (r->num) {
        if (!orma_exec_eval(plan, sub->query->results.data[0].expr, r, v))
            return false;
        sub->expr->val = (struct orma_exec_value){orma_exec_tag_at(v, 0), v->vals[0]};
    }
    sub->expr->op = ORMA_EXEC_CONST;
    sub->expr->types = sub->expr->val.tag;
    return true;
}

static bool add_values(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       const struct orma_exec_rows *r, struct orma_exec_vec *v)
{
    if (!orma_exec_eval(plan, sub->query->results.data[0].expr, r, v))
        return false;
    for (uint32_t i = 0; i < r->num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        sub->null |= tag == EXEC_NULL;
        if (tag == EXEC_NULL)
            continue;
        if (tag != sub->type)
            return orma_exec_give_up(plan, "types of IN (SELECT ...)");
        if (orma_map_put(&sub->set, (uint64_t)v->vals[i], 1) < 0)
            return orma_exec_give_up(plan, "memory");
    }
    return true;
}

static bool run_sub(struct orma_exec_plan *plan, struct orma_exec_sub *sub)
{
    struct orma_exec_query *q = sub->query;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool is_set = sub->expr->op == ORMA_EXEC_IN_SELECT;
    bool ok = ((place && v) || orma_exec_give_up(plan, "memory")) && orma_exec_run(plan, q);
    struct orma_exec_rows r;

    if (ok && !is_set) {
        orma_exec_frame_rows(q, 0, ORMA_MIN(q->frame.rows, 1u), place, &r);
        ok = take_value(plan, sub, &r, v);
    }
    for (uint32_t at = 0; ok && is_set && at < q->frame.rows; at += EXEC_BLOCK) {
        orma_exec_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = !orma_exec_should_stop(plan) && add_values(plan, sub, &r, v);
    }
    orma_exec_give_vec(plan, v);
    free(place);
    return ok;
}

/* Those that stand in others were bound before them, and are run before them. */
bool orma_exec_run_subs(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        if (!run_sub(plan, plan->subs.data[i]))
            return false;
    }
    return true;
}

void orma_exec_subs_free(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        orma_map_fini(&plan->subs.data[i]->set);
        free(plan->subs.data[i]);
    }
    ORMA_VEC_FINI(&plan->subs);
}
