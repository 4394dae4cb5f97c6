/*
 * Expressions over blocks of rows. A vector has one type for all values, or a type for each; loops
 * over integers without NULLs come first, everything else goes value by value.
 *
 * Semantics are SQLite's: integers that overflow become doubles, NaN is NULL, integers and doubles
 * compare exactly, numbers come before texts. What would need a text as a number, or an affinity
 * that changes a value, is given up.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#include <math.h>
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

static void set_all(struct orma_exec_vec *v, uint8_t tag)
{
    v->tagged = false;
    v->tag = tag;
}

/* ---- comparing ---- */

static bool holds(enum orma_exec_op op, int cmp)
{
    switch (op) {
    case ORMA_EXEC_EQ:
    case ORMA_EXEC_IS:
        return cmp == 0;
    case ORMA_EXEC_NE:
    case ORMA_EXEC_IS_NOT:
        return cmp != 0;
    case ORMA_EXEC_LT:
        return cmp < 0;
    case ORMA_EXEC_LE:
        return cmp <= 0;
    case ORMA_EXEC_GT:
        return cmp > 0;
    default:
        return cmp >= 0;
    }
}

#define COMPARE_ALL(op)                                                                            \
    for (uint32_t i = 0; i < num; i++)                                                             \
        ret->vals[i] = a->vals[i] op b->vals[i];                                                   \
    break

static void compare_ints(enum orma_exec_op op, const struct orma_exec_vec *a,
                         const struct orma_exec_vec *b, uint32_t num, struct orma_exec_vec *ret)
{
    set_all(ret, EXEC_INT);
    switch (op) {
    case ORMA_EXEC_EQ:
    case ORMA_EXEC_IS:
        COMPARE_ALL(==);
    case ORMA_EXEC_NE:
    case ORMA_EXEC_IS_NOT:
        COMPARE_ALL(!=);
    case ORMA_EXEC_LT:
        COMPARE_ALL(<);
    case ORMA_EXEC_LE:
        COMPARE_ALL(<=);
    case ORMA_EXEC_GT:
        COMPARE_ALL(>);
    default:
        COMPARE_ALL(>=);
    }
}

static bool is_ints(const struct orma_exec_vec *v)
{
    return !v->tagged && v->tag == EXEC_INT;
}

/* Values of two types where an affinity would change one of them. */
static bool is_changed(uint8_t affinity, uint8_t ta, uint8_t tb)
{
    return affinity && (ta == EXEC_TEXT) != (tb == EXEC_TEXT);
}

static bool compare(struct orma_exec_plan *plan, enum orma_exec_op op, uint8_t affinity,
                    const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t num,
                    struct orma_exec_vec *ret)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    bool is = op == ORMA_EXEC_IS || op == ORMA_EXEC_IS_NOT;

    if (is_ints(a) && is_ints(b)) {
        compare_ints(op, a, b, num, ret);
        return true;
    }
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value x = {orma_exec_tag_at(a, i), a->vals[i]};
        struct orma_exec_value y = {orma_exec_tag_at(b, i), b->vals[i]};

        if (x.tag == EXEC_NULL || y.tag == EXEC_NULL) {
            orma_exec_set(ret, i, is ? EXEC_INT : EXEC_NULL, holds(op, x.tag == y.tag ? 0 : 1));
            continue;
        }
        if (is_changed(affinity, x.tag, y.tag))
            return orma_exec_give_up(plan, "a text compared with a number");
        orma_exec_set(ret, i, EXEC_INT, holds(op, orma_exec_compare(pool, x, y)));
    }
    return true;
}

/* ---- arithmetic ---- */

static double real_result(enum orma_exec_op op, double a, double b)
{
    switch (op) {
    case ORMA_EXEC_ADD:
        return a + b;
    case ORMA_EXEC_SUB:
        return a - b;
    case ORMA_EXEC_MUL:
        return a * b;
    default:
        return b == 0 ? NAN : a / b;
    }
}

static double as_double(uint8_t tag, int64_t bits)
{
    return tag == EXEC_INT ? (double)bits : orma_exec_double(bits);
}

static bool one_result(struct orma_exec_plan *plan, enum orma_exec_op op,
                       const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t i,
                       struct orma_exec_vec *ret)
{
    uint8_t ta = orma_exec_tag_at(a, i), tb = orma_exec_tag_at(b, i);
    int64_t whole;

    if (ta == EXEC_NULL || tb == EXEC_NULL) {
        orma_exec_set(ret, i, EXEC_NULL, 0);
        return true;
    }
    if ((ta | tb) & EXEC_TEXT || (op == ORMA_EXEC_REM && (ta | tb) & EXEC_REAL))
        return orma_exec_give_up(plan, "a text as a number");
    if (ta == EXEC_INT && tb == EXEC_INT) {
        if (orma_exec_int_result(op, a->vals[i], b->vals[i], &whole))
            orma_exec_set(ret, i, EXEC_INT, whole);
        else if (op >= ORMA_EXEC_DIV && !b->vals[i])
            orma_exec_set(ret, i, EXEC_NULL, 0);
        else
            orma_exec_set_real(ret, i, real_result(op, (double)a->vals[i], (double)b->vals[i]));
        return true;
    }
    orma_exec_set_real(ret, i,
                       real_result(op, as_double(ta, a->vals[i]), as_double(tb, b->vals[i])));
    return true;
}

/* False: one of them needs the long way. */
static bool compute_ints(enum orma_exec_op op, const struct orma_exec_vec *a,
                         const struct orma_exec_vec *b, uint32_t num, struct orma_exec_vec *ret)
{
    bool bad = false;

    if (!is_ints(a) || !is_ints(b))
        return false;
    set_all(ret, EXEC_INT);
    switch (op) {
    case ORMA_EXEC_ADD:
        for (uint32_t i = 0; i < num; i++)
            bad |= __builtin_add_overflow(a->vals[i], b->vals[i], &ret->vals[i]);
        break;
    case ORMA_EXEC_SUB:
        for (uint32_t i = 0; i < num; i++)
            bad |= __builtin_sub_overflow(a->vals[i], b->vals[i], &ret->vals[i]);
        break;
    default:
        for (uint32_t i = 0; i < num; i++)
            bad |= !orma_exec_int_result(op, a->vals[i], b->vals[i], &ret->vals[i]);
        break;
    }
    return !bad;
}

static bool compute(struct orma_exec_plan *plan, enum orma_exec_op op,
                    const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t num,
                    struct orma_exec_vec *ret)
{
    if (compute_ints(op, a, b, num, ret))
        return true;
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        if (!one_result(plan, op, a, b, i, ret))
            return false;
    }
    return true;
}

/* Of equal ones min() takes the second, max() the first. */
static void take_best(struct orma_exec_plan *plan, bool least, const struct orma_exec_vec *a,
                      const struct orma_exec_vec *b, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;

    if (is_ints(a) && is_ints(b)) {
        set_all(ret, EXEC_INT);
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

static bool compute_bits(struct orma_exec_plan *plan, enum orma_exec_op op,
                         const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t num,
                         struct orma_exec_vec *ret)
{
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t both = orma_exec_tag_at(a, i) | orma_exec_tag_at(b, i);

        if (both & EXEC_NULL) {
            orma_exec_set(ret, i, EXEC_NULL, 0);
            continue;
        }
        if (both != EXEC_INT)
            return orma_exec_give_up(plan, "bits of what is no integer");
        int64_t bits = 0;
        orma_exec_int_result(op, a->vals[i], b->vals[i], &bits);
        orma_exec_set(ret, i, EXEC_INT, bits);
    }
    return true;
}

/* ---- truth ---- */

enum truth { FALSE, TRUE, UNKNOWN };

static bool truth_of(struct orma_exec_plan *plan, const struct orma_exec_vec *v, uint32_t i,
                     enum truth *ret)
{
    switch (orma_exec_tag_at(v, i)) {
    case EXEC_NULL:
        *ret = UNKNOWN;
        return true;
    case EXEC_INT:
        *ret = v->vals[i] ? TRUE : FALSE;
        return true;
    case EXEC_REAL:
        *ret = orma_exec_double(v->vals[i]) != 0 ? TRUE : FALSE;
        return true;
    }
    return orma_exec_give_up(plan, "a text as a condition");
}

static bool combine(struct orma_exec_plan *plan, enum orma_exec_op op,
                    const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t num,
                    struct orma_exec_vec *ret)
{
    enum truth decides = op == ORMA_EXEC_AND ? FALSE : TRUE;

    if (is_ints(a) && is_ints(b)) {
        set_all(ret, EXEC_INT);
        for (uint32_t i = 0; i < num; i++)
            ret->vals[i] = decides ? (a->vals[i] != 0) | (b->vals[i] != 0)
                                   : (a->vals[i] != 0) & (b->vals[i] != 0);
        return true;
    }
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        enum truth x = UNKNOWN, y = UNKNOWN;

        if (!truth_of(plan, a, i, &x) || !truth_of(plan, b, i, &y))
            return false;
        if (x == decides || y == decides)
            orma_exec_set(ret, i, EXEC_INT, decides);
        else if (x == UNKNOWN || y == UNKNOWN)
            orma_exec_set(ret, i, EXEC_NULL, 0);
        else
            orma_exec_set(ret, i, EXEC_INT, !decides);
    }
    return true;
}

static bool negate(struct orma_exec_plan *plan, const struct orma_exec_vec *a, uint32_t num,
                   struct orma_exec_vec *ret)
{
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        enum truth x = UNKNOWN;

        if (!truth_of(plan, a, i, &x))
            return false;
        orma_exec_set(ret, i, x == UNKNOWN ? EXEC_NULL : EXEC_INT, x == FALSE);
    }
    return true;
}

static void test_null(bool want, const struct orma_exec_vec *a, uint32_t num,
                      struct orma_exec_vec *ret)
{
    set_all(ret, EXEC_INT);
    for (uint32_t i = 0; i < num; i++)
        ret->vals[i] = (orma_exec_tag_at(a, i) == EXEC_NULL) == want;
}

/* ---- the rest ---- */

static void fill_const(const struct orma_exec_expr *e, uint32_t num, struct orma_exec_vec *ret)
{
    set_all(ret, e->constant.val.tag);
    for (uint32_t i = 0; i < num; i++)
        ret->vals[i] = e->constant.val.bits;
}

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

            if (y.tag != EXEC_NULL && is_changed(e->args[0]->affinity, x.tag, y.tag))
                return orma_exec_give_up(plan, "a text compared with a number");
            null |= y.tag == EXEC_NULL;
            found = y.tag != EXEC_NULL && !orma_exec_compare(pool, x, y);
        }
        orma_exec_set(ret, i, found || !null ? EXEC_INT : EXEC_NULL, found != e->negated);
    }
    return true;
}

static bool in_select(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                      const struct orma_exec_vec *a, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_exec_sub *sub = e->query.sub;
    bool empty = !sub->set.len && !sub->null;

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

static int64_t int_of_double(double d)
{
    if (d <= -9223372036854775808.0)
        return INT64_MIN;
    if (d >= 9223372036854775807.0)
        return INT64_MAX;
    return (int64_t)d;
}

static bool cast(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                 const struct orma_exec_vec *a, uint32_t num, struct orma_exec_vec *ret)
{
    uint8_t to = e->types & (EXEC_INT | EXEC_REAL | EXEC_TEXT);

    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(a, i);

        if (tag == EXEC_NULL || tag == to)
            orma_exec_set(ret, i, tag, a->vals[i]);
        else if (tag == EXEC_INT && to == EXEC_REAL)
            orma_exec_set_real(ret, i, (double)a->vals[i]);
        else if (tag == EXEC_REAL && to == EXEC_INT)
            orma_exec_set(ret, i, EXEC_INT, int_of_double(orma_exec_double(a->vals[i])));
        else
            return orma_exec_give_up(plan, "a CAST from or to a text");
    }
    return true;
}

static bool remember(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     const struct orma_exec_vec *a, uint32_t num, struct orma_exec_vec *ret)
{
    uint8_t seen = 0;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value v;
        uint32_t id = orma_exec_tag_at(a, i) == EXEC_NULL ? 0 : (uint32_t)a->vals[i];

        if (!orma_exec_run_memo_value(plan, e->remembered.memo, id, &v))
            return false;
        orma_exec_set(ret, i, v.tag, v.bits);
        seen |= v.tag;
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
    return true;
}

/* Rows whose `when` is true and that had no value yet get that of `then`. */
static bool choose(struct orma_exec_plan *plan, const struct orma_exec_vec *when,
                   const struct orma_exec_vec *then, uint32_t num, uint8_t *done,
                   struct orma_exec_vec *ret)
{
    for (uint32_t i = 0; i < num; i++) {
        enum truth t = TRUE;

        if (done[i])
            continue;
        if (when && !truth_of(plan, when, i, &t))
            return false;
        if (t != TRUE)
            continue;
        done[i] = 1;
        orma_exec_set(ret, i, orma_exec_tag_at(then, i), then->vals[i]);
    }
    return true;
}

static bool eval_case(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
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
            ok = compare(plan, ORMA_EXEC_EQ, e->args[0]->affinity | e->args[i]->affinity, base,
                         when, r->num, test);
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
static bool eval_coalesce(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
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
static bool null_if(struct orma_exec_plan *plan, const struct orma_exec_vec *a,
                    const struct orma_exec_vec *b, uint32_t num, struct orma_exec_vec *ret)
{
    if (!compare(plan, ORMA_EXEC_EQ, EXEC_AFF_NONE, a, b, num, ret))
        return false;
    orma_exec_make_tagged(ret, num);
    for (uint32_t i = 0; i < num; i++) {
        const bool equal = ret->tags[i] == EXEC_INT && ret->vals[i];

        orma_exec_set(ret, i, equal ? EXEC_NULL : orma_exec_tag_at(a, i), a->vals[i]);
    }
    return true;
}

static bool eval_two(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     const struct orma_exec_vec *a, const struct orma_exec_vec *b, uint32_t num,
                     struct orma_exec_vec *ret)
{
    switch (e->op) {
    case ORMA_EXEC_AND:
    case ORMA_EXEC_OR:
        return combine(plan, e->op, a, b, num, ret);
    case ORMA_EXEC_EQ:
    case ORMA_EXEC_NE:
    case ORMA_EXEC_LT:
    case ORMA_EXEC_LE:
    case ORMA_EXEC_GT:
    case ORMA_EXEC_GE:
    case ORMA_EXEC_IS:
    case ORMA_EXEC_IS_NOT:
        return compare(plan, e->op, e->args[0]->affinity | e->args[1]->affinity, a, b, num, ret);
    case ORMA_EXEC_ADD:
    case ORMA_EXEC_SUB:
    case ORMA_EXEC_MUL:
    case ORMA_EXEC_DIV:
    case ORMA_EXEC_REM:
        return compute(plan, e->op, a, b, num, ret);
    case ORMA_EXEC_BIT_AND:
    case ORMA_EXEC_BIT_OR:
    case ORMA_EXEC_SHIFT_LEFT:
    case ORMA_EXEC_SHIFT_RIGHT:
        return compute_bits(plan, e->op, a, b, num, ret);
    case ORMA_EXEC_LEAST:
    case ORMA_EXEC_GREATEST:
        take_best(plan, e->op == ORMA_EXEC_LEAST, a, b, num, ret);
        return true;
    case ORMA_EXEC_NULLIF:
        return null_if(plan, a, b, num, ret);
    default:
        return orma_exec_give_up(plan, "an operator");
    }
}

static bool eval_one(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     const struct orma_exec_vec *a, struct orma_exec_vec *spare, uint32_t num,
                     struct orma_exec_vec *ret)
{
    static const struct orma_exec_expr zero = {.op = ORMA_EXEC_CONST,
                                               .constant.val = {EXEC_INT, 0}};

    switch (e->op) {
    case ORMA_EXEC_NOT:
        return negate(plan, a, num, ret);
    case ORMA_EXEC_NEG:
        fill_const(&zero, num, spare);
        return compute(plan, ORMA_EXEC_SUB, spare, a, num, ret);
    case ORMA_EXEC_PLUS:
        memcpy(ret, a, sizeof(*ret));
        return true;
    case ORMA_EXEC_IS_NULL:
    case ORMA_EXEC_NOT_NULL:
        test_null(e->op == ORMA_EXEC_IS_NULL, a, num, ret);
        return true;
    case ORMA_EXEC_CAST:
        return cast(plan, e, a, num, ret);
    case ORMA_EXEC_IN:
        return in_list(plan, e, a, num, ret);
    case ORMA_EXEC_IN_SELECT:
        return in_select(plan, e, a, num, ret);
    case ORMA_EXEC_MEMO:
        return remember(plan, e, a, num, ret);
    default:
        return orma_exec_give_up(plan, "an operator");
    }
}

static bool eval_operator(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                          const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *a = orma_exec_take_vec(plan), *b = orma_exec_take_vec(plan);
    bool two = e->num == 2 && e->op != ORMA_EXEC_IN && e->op != ORMA_EXEC_ARG;
    bool ok = a && b && orma_exec_run_eval(plan, e->args[0], r, a);

    if (ok && e->op == ORMA_EXEC_ARG)
        ok = orma_exec_run_load_args(plan, a, r, (uint32_t)e->args[1]->constant.val.bits, ret);
    else if (ok && two)
        ok = orma_exec_run_eval(plan, e->args[1], r, b) && eval_two(plan, e, a, b, r->num, ret);
    else if (ok)
        ok = eval_one(plan, e, a, b, r->num, ret);
    orma_exec_give_vec(plan, a);
    orma_exec_give_vec(plan, b);
    return ok;
}

/* What needs the values of all its arguments. */
static bool eval_many(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                      const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *v[EXEC_PARAMS_MAX] = {NULL};
    bool ok = true;

    for (unsigned k = 0; ok && k < e->num; k++)
        ok = (v[k] = orma_exec_take_vec(plan)) && orma_exec_run_eval(plan, e->args[k], r, v[k]);
    ok =
        ok && (e->op == ORMA_EXEC_APPLY ? orma_exec_run_apply(plan, e, v, r->num, ret)
                                        : orma_exec_run_lookup(plan, e->query.sub, v, r->num, ret));
    for (unsigned k = 0; k < e->num; k++)
        orma_exec_give_vec(plan, v[k]);
    return ok;
}

bool orma_exec_run_eval(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    if (plan->why)
        return false;
    switch (e->op) {
    case ORMA_EXEC_CONST:
        fill_const(e, r->num, ret);
        return true;
    case ORMA_EXEC_COLUMN:
        return orma_exec_run_load_column(plan, e, r, ret);
    case ORMA_EXEC_ROW:
        orma_exec_run_load_row(e, r, ret);
        return true;
    case ORMA_EXEC_SLOT:
        orma_exec_run_load_slot(e, r, ret);
        return true;
    case ORMA_EXEC_VALUE:
    case ORMA_EXEC_EXISTS:
    case ORMA_EXEC_APPLY:
        return eval_many(plan, e, r, ret);
    case ORMA_EXEC_CASE:
        return eval_case(plan, e, r, ret);
    case ORMA_EXEC_COALESCE:
        return eval_coalesce(plan, e, r, ret);
    default:
        return eval_operator(plan, e, r, ret);
    }
}

int orma_exec_run_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         const struct orma_exec_rows *r, uint32_t *ret)
{
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    uint32_t num = 0;
    bool ok = v && orma_exec_run_eval(plan, e, r, v);

    for (uint32_t i = 0; ok && i < r->num; i++) {
        enum truth t = UNKNOWN;

        ok = truth_of(plan, v, i, &t);
        ret[num] = i;
        num += ok && t == TRUE;
    }
    orma_exec_give_vec(plan, v);
    return ok ? (int)num : -1;
}
