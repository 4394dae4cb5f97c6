/* What chooses among values: IN, CASE, coalesce() and the like; and what was worked out before. */
#include <stdlib.h>

#include "processor/sql/exec/plan/memo.h"
#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/run.h"

/* ---- IN ---- */

static bool in_list(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                    const struct orma_exec_vec *a, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;

    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value x = {orma_exec_tag_at(a, i), a->vals[i]};
        bool found = false, null = x.tag == EXEC_NULL;

        for (unsigned k = 1; k < e->num && !found && x.tag != EXEC_NULL; k++) {
            struct orma_exec_value y = e->args[k]->constant.val;

            if (y.tag != EXEC_NULL && orma_exec_run_is_changed(e->args[0]->affinity, x.tag, y.tag))
                return orma_exec_give_up(plan, "a string compared with a number: use CAST");
            null |= y.tag == EXEC_NULL;
            found = y.tag != EXEC_NULL && !orma_exec_compare(pool, x, y);
        }
        orma_exec_set(ret, i, found || !null ? EXEC_INT : EXEC_NULL, found != e->negated);
    }
    return true;
}

bool orma_exec_run_in_list(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                           const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *a = orma_exec_take_vec(plan);
    const bool ok =
        a && orma_exec_run_eval(plan, e->args[0], r, a) && in_list(plan, e, a, r->num, ret);

    orma_exec_give_vec(plan, a);
    return ok;
}

bool orma_exec_run_in_set(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                          struct orma_exec_vec *const *args, uint32_t num,
                          struct orma_exec_vec *ret)
{
    const struct orma_exec_vec *a = args[0];
    const struct orma_exec_sub *sub = e->query.sub;
    bool empty = !sub->set.len && !sub->null;

    if (sub->keys_num)
        return orma_exec_run_lookup_in(plan, sub, args, num, ret);
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(a, i);
        bool found = false, null = tag == EXEC_NULL || sub->null;

        if (tag != EXEC_NULL && tag != sub->type)
            return orma_exec_give_up(plan, "types of IN (SELECT ...)");
        if (tag != EXEC_NULL)
            found = orma_map_get(&sub->set, (uint64_t)a->vals[i]) != ORMA_MAP_NONE;
        orma_exec_set(ret, i, found || !null || empty ? EXEC_INT : EXEC_NULL, found != e->negated);
    }
    return true;
}

/* ---- CASE and the like ---- */

/* Rows whose `when` is true and that had no value yet get that of `then`. */
static bool choose(struct orma_exec_plan *plan, const struct orma_exec_vec *when,
                   const struct orma_exec_vec *then, uint32_t num, uint8_t *done,
                   struct orma_exec_vec *ret)
{
    for (uint32_t i = 0; i < num; i++) {
        enum orma_exec_truth t = EXEC_TRUE;

        if (done[i])
            continue;
        if (when && !orma_exec_run_truth(plan, when, i, &t))
            return false;
        if (t != EXEC_TRUE)
            continue;
        done[i] = 1;
        orma_exec_set(ret, i, orma_exec_tag_at(then, i), then->vals[i]);
    }
    return true;
}

bool orma_exec_run_case(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *base = orma_exec_take_vec(plan), *when = orma_exec_take_vec(plan);
    struct orma_exec_vec *then = orma_exec_take_vec(plan), *test = orma_exec_take_vec(plan);
    uint8_t done[EXEC_BLOCK] = {0};
    unsigned i = 0;
    bool ok = base && when && then && test;

    ret->tagged = true;
    memset(ret->tags, EXEC_NULL, r->num);
    memset(ret->vals, 0, r->num * sizeof(*ret->vals));
    if (ok && e->choice.has_base)
        ok = orma_exec_run_eval(plan, e->args[i++], r, base);
    for (; ok && i + 1 < e->num; i += 2) {
        ok = orma_exec_run_eval(plan, e->args[i], r, when) &&
             orma_exec_run_eval(plan, e->args[i + 1], r, then);
        if (ok && e->choice.has_base)
            ok = orma_exec_run_compare_as(plan, ORMA_EXEC_EQ,
                                          e->args[0]->affinity | e->args[i]->affinity, base, when,
                                          r->num, test);
        ok = ok && choose(plan, e->choice.has_base ? test : when, then, r->num, done, ret);
    }
    if (ok && e->choice.has_else)
        ok = orma_exec_run_eval(plan, e->args[e->num - 1], r, then) &&
             choose(plan, NULL, then, r->num, done, ret);
    orma_exec_give_vec(plan, base);
    orma_exec_give_vec(plan, when);
    orma_exec_give_vec(plan, then);
    orma_exec_give_vec(plan, test);
    return ok;
}

/* The first value that is not NULL; arguments that no row needs are not evaluated. */
bool orma_exec_run_coalesce(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                            const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    uint32_t left = r->num;
    bool ok = v;

    ret->tagged = true;
    memset(ret->tags, EXEC_NULL, r->num);
    memset(ret->vals, 0, r->num * sizeof(*ret->vals));
    for (unsigned k = 0; ok && left && k < e->num; k++) {
        ok = orma_exec_run_eval(plan, e->args[k], r, v);
        for (uint32_t i = 0; ok && i < r->num; i++) {
            if (ret->tags[i] != EXEC_NULL || orma_exec_tag_at(v, i) == EXEC_NULL)
                continue;
            orma_exec_set(ret, i, orma_exec_tag_at(v, i), v->vals[i]);
            left--;
        }
    }
    orma_exec_give_vec(plan, v);
    return ok;
}

/* Compared without affinity, as arguments of functions are. */
bool orma_exec_run_nullif(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                          struct orma_exec_vec *const *args, uint32_t num,
                          struct orma_exec_vec *ret)
{
    (void)e;
    if (!orma_exec_run_compare_as(plan, ORMA_EXEC_EQ, EXEC_AFF_NONE, args[0], args[1], num, ret))
        return false;
    orma_exec_make_tagged(ret, num);
    for (uint32_t i = 0; i < num; i++) {
        const bool equal = ret->tags[i] == EXEC_INT && ret->vals[i];

        orma_exec_set(ret, i, equal ? EXEC_NULL : orma_exec_tag_at(args[0], i), args[0]->vals[i]);
    }
    return true;
}

/* Of equal ones min() takes the second, max() the first. */
static void take_best(struct orma_exec_plan *plan, bool least, const struct orma_exec_vec *a,
                      const struct orma_exec_vec *b, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;

    if (orma_exec_is_ints(a) && orma_exec_is_ints(b)) {
        ret->tagged = false;
        ret->tag = EXEC_INT;
        for (uint32_t i = 0; i < num; i++)
            ret->vals[i] = (a->vals[i] < b->vals[i]) == least ? a->vals[i] : b->vals[i];
        return;
    }
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value x = {orma_exec_tag_at(a, i), a->vals[i]};
        struct orma_exec_value y = {orma_exec_tag_at(b, i), b->vals[i]};

        if (x.tag == EXEC_NULL || y.tag == EXEC_NULL)
            x = (struct orma_exec_value){EXEC_NULL, 0};
        else if ((orma_exec_compare(pool, x, y) < 0) != least)
            x = y;
        orma_exec_set(ret, i, x.tag, x.bits);
    }
}

/* min() or max() of several: two at a time, from the left. */
static bool best_of(struct orma_exec_plan *plan, const struct orma_exec_expr *e, bool least,
                    const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *a = orma_exec_take_vec(plan), *b = orma_exec_take_vec(plan);
    bool ok = a && b && orma_exec_run_eval(plan, e->args[0], r, ret);

    for (unsigned k = 1; ok && k < e->num; k++) {
        ok = orma_exec_run_eval(plan, e->args[k], r, b);
        if (ok) {
            memcpy(a, ret, sizeof(*a));
            take_best(plan, least, a, b, r->num, ret);
        }
    }
    orma_exec_give_vec(plan, a);
    orma_exec_give_vec(plan, b);
    return ok;
}

bool orma_exec_run_least(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    return best_of(plan, e, true, r, ret);
}

bool orma_exec_run_greatest(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                            const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    return best_of(plan, e, false, r, ret);
}

/* ---- worked out before ---- */

bool orma_exec_run_remembered(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                              struct orma_exec_vec *const *args, uint32_t num,
                              struct orma_exec_vec *ret)
{
    const struct orma_exec_memo *memo = e->remembered.memo;
    uint8_t seen = 0;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value v;
        uint32_t id = orma_exec_tag_at(args[0], i) == EXEC_NULL ? 0 : (uint32_t)args[0]->vals[i];

        if (ORMA_LIKELY(id < memo->num && memo->tags[id] != EXEC_UNKNOWN))
            v = (struct orma_exec_value){memo->tags[id], memo->vals[id]};
        else if (!orma_exec_run_memo_value(plan, e->remembered.memo, id, &v))
            return false;
        orma_exec_set(ret, i, v.tag, v.bits);
        seen |= v.tag;
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
    return true;
}

bool orma_exec_run_subquery(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                            struct orma_exec_vec *const *args, uint32_t num,
                            struct orma_exec_vec *ret)
{
    return orma_exec_run_lookup(plan, e->query.sub, args, num, ret);
}

bool orma_exec_run_const(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    (void)plan;
    ret->tagged = false;
    ret->tag = e->constant.val.tag;
    for (uint32_t i = 0; i < r->num; i++)
        ret->vals[i] = e->constant.val.bits;
    return true;
}
