/* Queries in expressions: their rows become a set, a constant, or a table that is looked into. */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

/* The first row, or NULL; of EXISTS whether there is one. */
static bool take_value(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       const struct orma_exec_rows *r, struct orma_exec_vec *v)
{
    struct orma_exec_value val = {EXEC_NULL, 0};

    if (sub->expr->op == ORMA_EXEC_EXISTS) {
        val = (struct orma_exec_value){EXEC_INT, r->num > 0};
    } else if (r->num) {
        if (!orma_exec_run_eval(plan, sub->query->results.data[0].expr, r, v))
            return false;
        val = (struct orma_exec_value){orma_exec_tag_at(v, 0), v->vals[0]};
    }
    sub->expr->op = ORMA_EXEC_CONST;
    sub->expr->types = val.tag;
    sub->expr->constant.val = val;
    sub->expr->constant.text = (struct orma_str){0};
    return true;
}

static bool add_values(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                       const struct orma_exec_rows *r, struct orma_exec_vec *v)
{
    if (!orma_exec_run_eval(plan, sub->query->results.data[0].expr, r, v))
        return false;
    for (uint32_t i = 0; i < r->num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        sub->null |= tag == EXEC_NULL;
        if (tag == EXEC_NULL)
            continue;
        if (tag != sub->type)
            return orma_exec_give_up(plan, "types of IN (SELECT ...)");
        if (orma_map_put(&sub->set, (uint64_t)v->vals[i], 1) < 0)
            return orma_exec_give_up(plan, "out of memory");
    }
    return true;
}

static bool add_rows(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                     const struct orma_exec_rows *r, struct orma_exec_vec *const *v)
{
    const struct orma_exec_results *results = &sub->query->results;
    const unsigned first = results->len - sub->keys_num;

    for (unsigned k = 0; k < sub->keys_num; k++) {
        if (!orma_exec_run_eval(plan, results->data[first + k].expr, r, v[k]))
            return false;
    }
    return (!first || orma_exec_run_eval(plan, results->data[0].expr, r, v[EXEC_KEYS_MAX])) &&
           orma_exec_run_lookup_add(plan, sub->table, v, first ? v[EXEC_KEYS_MAX] : NULL, r->num);
}

/* Of IN: the value is the first of the keys. */
static bool add_members(struct orma_exec_plan *plan, struct orma_exec_sub *sub,
                        const struct orma_exec_rows *r, struct orma_exec_vec *const *v)
{
    for (unsigned k = 0; k <= sub->keys_num; k++) {
        if (!orma_exec_run_eval(plan, sub->query->results.data[k].expr, r, v[k]))
            return false;
    }
    return orma_exec_run_lookup_add(plan, sub->table, v, NULL, r->num) &&
           (!sub->all || orma_exec_run_lookup_add(plan, sub->all, v + 1, NULL, r->num)) &&
           orma_exec_run_lookup_add_nulls(plan, sub->nulls, v + 1, v[0], r->num);
}

static bool new_tables(struct orma_exec_plan *plan, struct orma_exec_sub *sub)
{
    uint8_t types[EXEC_LOOKUP_KEYS_MAX] = {sub->type};

    memcpy(types + 1, sub->key_types, sub->keys_num);
    if (sub->expr->op != ORMA_EXEC_IN_SELECT) {
        sub->table = orma_exec_run_lookup_new(types + 1, sub->keys_num);
        return sub->table || orma_exec_give_up(plan, "out of memory");
    }
    sub->table = orma_exec_run_lookup_new(types, sub->keys_num + 1);
    sub->nulls = orma_exec_run_lookup_new(types + 1, sub->keys_num);
    const bool asked = sub->expr->args[0]->types & EXEC_NULL;
    if (asked)
        sub->all = orma_exec_run_lookup_new(types + 1, sub->keys_num);
    return (sub->table && sub->nulls && (sub->all || !asked)) ||
           orma_exec_give_up(plan, "out of memory");
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
        slots[i].tag = i < q->groups.len ? (uint8_t)EXEC_NULL
                                         : q->aggs.data[i - q->groups.len].function->empty;
    }
    bool ok = slots ? orma_exec_run_eval(plan, q->results.data[0].expr, &r, v)
                    : orma_exec_give_up(plan, "out of memory");
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
    const bool is_set = sub->expr->op == ORMA_EXEC_IN_SELECT;
    bool ok = new_tables(plan, sub);
    struct orma_exec_rows r;

    sub->missing.tag = sub->expr->op == ORMA_EXEC_EXISTS ? EXEC_INT : EXEC_NULL;
    for (unsigned k = 0; ok && k <= EXEC_KEYS_MAX; k++)
        ok = (v[k] = orma_exec_take_vec(plan)) != NULL;
    for (uint32_t at = 0; ok && at < q->frame.rows; at += EXEC_BLOCK) {
        orma_exec_run_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK), place,
                                 &r);
        ok = !orma_exec_should_stop(plan) && (is_set ? add_members : add_rows)(plan, sub, &r, v);
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
    bool ok =
        ((place && v) || orma_exec_give_up(plan, "out of memory")) && orma_exec_run_query(plan, q);
    struct orma_exec_rows r;

    if (ok && sub->keys_num) {
        ok = fill_table(plan, sub, place);
    } else if (ok && !is_set) {
        orma_exec_run_frame_rows(q, 0, ORMA_MIN(q->frame.rows, 1u), place, &r);
        ok = take_value(plan, sub, &r, v);
    }
    for (uint32_t at = 0; ok && is_set && !sub->keys_num && at < q->frame.rows; at += EXEC_BLOCK) {
        orma_exec_run_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK), place,
                                 &r);
        ok = !orma_exec_should_stop(plan) && add_values(plan, sub, &r, v);
    }
    orma_exec_give_vec(plan, v);
    free(place);
    return ok;
}

/* Those that stand in others were bound before them, and are run before them. */
bool orma_exec_run_subqueries(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        if (!run_sub(plan, plan->subs.data[i]))
            return false;
    }
    return true;
}

void orma_exec_run_free_subqueries(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        orma_map_fini(&plan->subs.data[i]->set);
        orma_exec_run_lookup_free(plan->subs.data[i]->table);
        orma_exec_run_lookup_free(plan->subs.data[i]->all);
        orma_exec_run_lookup_free(plan->subs.data[i]->nulls);
        free(plan->subs.data[i]);
    }
    ORMA_VEC_FINI(&plan->subs);
}
