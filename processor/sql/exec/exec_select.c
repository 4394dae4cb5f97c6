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
 *
 * Anything else that depends on the row is given up.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_bind.h"

/* ---- what depends on the row ---- */

enum { INSIDE = 1, OUTSIDE = 2 };

/* Whose columns an expression reads: of the query, of others. */
static unsigned sides_of(const struct orma_exec_query *q, const struct orma_exec_expr *e)
{
    unsigned sides = 0;

    if (e->op == ORMA_EXEC_COLUMN) {
        unsigned i = e->source->index;

        sides = i < q->sources_num && q->sources[i] == e->source ? INSIDE : OUTSIDE;
    }
    for (unsigned i = 0; i < e->num; i++)
        sides |= sides_of(q, e->args[i]);
    return sides;
}

bool orma_exec_take_keys(struct orma_exec_plan *plan, struct orma_exec_query *q,
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
            return orma_exec_give_up(plan, "memory");
    }
    conditions->len = kept;
    return true;
}

static struct orma_exec_sub *new_sub(struct orma_exec_scope *s, struct orma_exec_expr *e,
                                     const struct orma_exec_ast *ast)
{
    struct orma_exec_query *q = NULL;

    if (s->bind_select) {
        s->plan->outer = ast->op == ORMA_EXEC_IN_SELECT ? NULL : s;
        q = s->bind_select(s->plan, ast->select, s->ctes, s->select_depth + 1);
        s->plan->outer = NULL;
    }
    struct orma_exec_sub *sub = q ? calloc(1, sizeof(*sub)) : NULL;

    if (q && q->results.len != 1 && ast->op != ORMA_EXEC_EXISTS) {
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
static bool find_type(const struct orma_exec_expr *a, const struct orma_exec_expr *b, uint8_t *ret)
{
    uint8_t types = (a->types | b->types) & (uint8_t)~EXEC_NULL;

    *ret = types;
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
    if (!find_type(e->args[0], sub->query->results.data[0].expr, &sub->type))
        return orma_exec_give_up(s->plan, "types of IN (SELECT ...)");
    sub->query->any_order = true;
    e->negated = ast->negated;
    e->types = EXEC_INT | EXEC_NULL;
    return true;
}

/* The keys become the last results, and the other side of each an argument of the expression. */
static bool add_keys(struct orma_exec_scope *s, struct orma_exec_sub *sub, struct orma_exec_expr *e)
{
    struct orma_exec_query *q = sub->query;

    sub->keys_num = e->num = q->keys.len;
    e->args = orma_arena_alloc(&s->plan->arena, (e->num + 1) * sizeof(struct orma_exec_expr *));
    if (!e->args)
        return orma_exec_give_up(s->plan, "memory");
    for (unsigned i = 0; i < e->num; i++) {
        struct orma_exec_result r = {.expr = q->keys.data[i]};

        if (!find_type(r.expr, q->outer.data[i], &sub->key_types[i]))
            return orma_exec_give_up(s->plan, "types of a query that depends on the row");
        e->args[i] = q->outer.data[i];
        if (q->grouped) {
            uint8_t types = r.expr->types;

            if (!(r.expr = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0)))
                return false;
            r.expr->col = i;
            r.expr->types = types;
        }
        if (ORMA_VEC_PUSH(&q->results, r) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    return true;
}

/* Columns beside the aggregates of one group, as the keys are: which row they are of is SQLite's.
 */
static bool has_bare(const struct orma_exec_query *q, const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_SLOT && !e->has_base && e->col < q->keys.len;

    for (unsigned i = 0; i < e->num; i++)
        found |= has_bare(q, e->args[i]);
    for (uint32_t i = 0; i < q->aggs.len; i++)
        found |= q->aggs.data[i].func == EXEC_BARE;
    return found;
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
    if (one && q->keys.len && has_bare(q, q->results.data[0].expr))
        return orma_exec_give_up(s->plan, "a column that is not grouped by");
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

/* ---- running ---- */

/* The first row, or NULL; of EXISTS whether there is one. */
static bool take_value(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       const struct orma_exec_rows *r, struct orma_exec_vec *v)
{
    sub->expr->val = (struct orma_exec_value){EXEC_NULL, 0};
    if (sub->expr->op == ORMA_EXEC_EXISTS) {
        sub->expr->val = (struct orma_exec_value){EXEC_INT, r->num > 0};
    } else if (r->num) {
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

/* ---- tables ---- */

static bool add_rows(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                     const struct orma_exec_rows *r, struct orma_exec_vec *const *v)
{
    const struct orma_exec_results *results = &sub->query->results;
    const unsigned first = results->len - sub->keys_num;

    for (unsigned k = 0; k < sub->keys_num; k++) {
        if (!orma_exec_eval(plan, results->data[first + k].expr, r, v[k]))
            return false;
    }
    return (!first || orma_exec_eval(plan, results->data[0].expr, r, v[EXEC_KEYS_MAX])) &&
           orma_exec_table_add(plan, sub, v, first ? v[EXEC_KEYS_MAX] : NULL, r->num);
}

/* What aggregates are of no rows at all: what the query gives for keys that it does not have. */
static bool find_missing(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                         struct orma_exec_vec *v)
{
    struct orma_exec_query *q = sub->query;
    const unsigned num = q->groups.len + q->aggs.len;
    struct orma_exec_slot *slots = calloc(num + 1, sizeof(*slots));
    struct orma_exec_frame frame = {.rows = 1, .slots = slots, .slots_num = num};
    int64_t zero = 0; /* of a sum as well */
    uint32_t row = 0;
    const struct orma_exec_rows r = {.num = 1, .frame = &frame, .slot = &row};

    for (unsigned i = 0; slots && i < num; i++) {
        slots[i].vals = &zero;
        slots[i].tag = i < q->groups.len
                           ? (uint8_t)EXEC_NULL
                           : orma_exec_function_of(q->aggs.data[i - q->groups.len].func)->empty;
    }
    bool ok = slots ? orma_exec_eval(plan, q->results.data[0].expr, &r, v)
                    : orma_exec_give_up(plan, "memory");
    if (ok)
        sub->missing = (struct orma_exec_value){orma_exec_tag_at(v, 0), v->vals[0]};
    free(slots);
    return ok;
}

static bool fill_table(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       struct orma_exec_place *place)
{
    struct orma_exec_vec *v[EXEC_KEYS_MAX + 1] = {NULL};
    struct orma_exec_query *q = sub->query;
    bool ok =
        (sub->table = orma_exec_table_new(sub->keys_num)) || orma_exec_give_up(plan, "memory");
    struct orma_exec_rows r;

    sub->missing.tag = sub->expr->op == ORMA_EXEC_EXISTS ? EXEC_INT : EXEC_NULL;
    for (unsigned k = 0; ok && k <= EXEC_KEYS_MAX; k++)
        ok = (v[k] = orma_exec_take_vec(plan)) != NULL;
    for (uint32_t at = 0; ok && at < q->frame.rows; at += EXEC_BLOCK) {
        orma_exec_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = !orma_exec_should_stop(plan) && add_rows(plan, sub, &r, v);
    }
    ok = ok && (!q->grouped || q->groups.len > sub->keys_num || find_missing(plan, sub, v[0]));
    for (unsigned k = 0; k <= EXEC_KEYS_MAX; k++)
        orma_exec_give_vec(plan, v[k]);
    return ok;
}

static bool run_sub(struct orma_exec_plan *plan, struct orma_exec_sub *sub)
{
    struct orma_exec_query *q = sub->query;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool is_set = sub->expr->op == ORMA_EXEC_IN_SELECT;
    bool ok = ((place && v) || orma_exec_give_up(plan, "memory")) && orma_exec_run(plan, q);
    struct orma_exec_rows r;

    if (ok && sub->keys_num) {
        ok = fill_table(plan, sub, place);
    } else if (ok && !is_set) {
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
        orma_exec_table_free(plan->subs.data[i]->table);
        free(plan->subs.data[i]);
    }
    ORMA_VEC_FINI(&plan->subs);
}
