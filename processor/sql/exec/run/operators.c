/*
 * Comparing, arithmetic and logic over blocks of values. Loops over integers without NULLs come
 * first, everything else goes value by value.
 *
 * Semantics are SQLite's: integers that overflow become doubles, NaN is NULL, integers and doubles
 * compare exactly, numbers come before texts. What would need a text as a number, or an affinity
 * that changes a value, is given up.
 */
#include "processor/sql/exec/run/operators.h"

#include <math.h>

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

/* Values of two types where an affinity would change one of them. */
bool orma_exec_run_is_changed(uint8_t affinity, uint8_t ta, uint8_t tb)
{
    return affinity && (ta == EXEC_TEXT) != (tb == EXEC_TEXT);
}

bool orma_exec_run_compare_as(struct orma_exec_plan *plan, enum orma_exec_op op, uint8_t affinity,
                              const struct orma_exec_vec *a, const struct orma_exec_vec *b,
                              uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    bool is = op == ORMA_EXEC_IS || op == ORMA_EXEC_IS_NOT;

    if (orma_exec_is_ints(a) && orma_exec_is_ints(b)) {
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
        if (orma_exec_run_is_changed(affinity, x.tag, y.tag))
            return orma_exec_give_up(plan, "a string compared with a number: use CAST");
        orma_exec_set(ret, i, EXEC_INT, holds(op, orma_exec_compare(pool, x, y)));
    }
    return true;
}

bool orma_exec_run_compare(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                           struct orma_exec_vec *const *args, uint32_t num,
                           struct orma_exec_vec *ret)
{
    return orma_exec_run_compare_as(plan, e->op, e->args[0]->affinity | e->args[1]->affinity,
                                    args[0], args[1], num, ret);
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
    if ((ta | tb) & EXEC_TEXT)
        return orma_exec_give_up(plan, "arithmetic on a string: use CAST");
    if (op == ORMA_EXEC_REM && (ta | tb) & EXEC_REAL)
        return orma_exec_give_up(plan, "% of a value that is not an integer: use CAST");
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

    if (!orma_exec_is_ints(a) || !orma_exec_is_ints(b))
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

bool orma_exec_run_arithmetic(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                              struct orma_exec_vec *const *args, uint32_t num,
                              struct orma_exec_vec *ret)
{
    return compute(plan, e->op, args[0], args[1], num, ret);
}

/* -x is 0 - x, which an integer may not have. */
bool orma_exec_run_negative(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                            struct orma_exec_vec *const *args, uint32_t num,
                            struct orma_exec_vec *ret)
{
    struct orma_exec_vec *zero = orma_exec_take_vec(plan);
    bool ok = zero;

    (void)e;
    if (ok) {
        set_all(zero, EXEC_INT);
        memset(zero->vals, 0, num * sizeof(*zero->vals));
        ok = compute(plan, ORMA_EXEC_SUB, zero, args[0], num, ret);
    }
    orma_exec_give_vec(plan, zero);
    return ok;
}

bool orma_exec_run_same(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret)
{
    (void)plan;
    (void)e;
    (void)num;
    memcpy(ret, args[0], sizeof(*ret));
    return true;
}

bool orma_exec_run_bits(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_exec_vec *a = args[0], *b = args[1];

    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t both = orma_exec_tag_at(a, i) | orma_exec_tag_at(b, i);

        if (both & EXEC_NULL) {
            orma_exec_set(ret, i, EXEC_NULL, 0);
            continue;
        }
        if (both != EXEC_INT)
            return orma_exec_give_up(plan, "a bitwise operator on a value that is not an integer");
        int64_t bits = 0;
        orma_exec_int_result(e->op, a->vals[i], b->vals[i], &bits);
        orma_exec_set(ret, i, EXEC_INT, bits);
    }
    return true;
}

/* ---- truth ---- */

bool orma_exec_run_truth(struct orma_exec_plan *plan, const struct orma_exec_vec *v, uint32_t i,
                         enum orma_exec_truth *ret)
{
    switch (orma_exec_tag_at(v, i)) {
    case EXEC_NULL:
        *ret = EXEC_MAYBE;
        return true;
    case EXEC_INT:
        *ret = v->vals[i] ? EXEC_TRUE : EXEC_FALSE;
        return true;
    case EXEC_REAL:
        *ret = orma_exec_double(v->vals[i]) != 0 ? EXEC_TRUE : EXEC_FALSE;
        return true;
    }
    return orma_exec_give_up(plan, "a string as a condition");
}

bool orma_exec_run_logic(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_exec_vec *a = args[0], *b = args[1];
    enum orma_exec_truth decides = e->op == ORMA_EXEC_AND ? EXEC_FALSE : EXEC_TRUE;

    if (orma_exec_is_ints(a) && orma_exec_is_ints(b)) {
        set_all(ret, EXEC_INT);
        for (uint32_t i = 0; i < num; i++)
            ret->vals[i] = decides ? (a->vals[i] != 0) | (b->vals[i] != 0)
                                   : (a->vals[i] != 0) & (b->vals[i] != 0);
        return true;
    }
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        enum orma_exec_truth x = EXEC_MAYBE, y = EXEC_MAYBE;

        if (!orma_exec_run_truth(plan, a, i, &x) || !orma_exec_run_truth(plan, b, i, &y))
            return false;
        if (x == decides || y == decides)
            orma_exec_set(ret, i, EXEC_INT, decides);
        else if (x == EXEC_MAYBE || y == EXEC_MAYBE)
            orma_exec_set(ret, i, EXEC_NULL, 0);
        else
            orma_exec_set(ret, i, EXEC_INT, !decides);
    }
    return true;
}

bool orma_exec_run_not(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                       struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret)
{
    (void)e;
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        enum orma_exec_truth x = EXEC_MAYBE;

        if (!orma_exec_run_truth(plan, args[0], i, &x))
            return false;
        orma_exec_set(ret, i, x == EXEC_MAYBE ? EXEC_NULL : EXEC_INT, x == EXEC_FALSE);
    }
    return true;
}

bool orma_exec_run_null_test(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                             struct orma_exec_vec *const *args, uint32_t num,
                             struct orma_exec_vec *ret)
{
    const bool want = e->op == ORMA_EXEC_IS_NULL;

    (void)plan;
    set_all(ret, EXEC_INT);
    for (uint32_t i = 0; i < num; i++)
        ret->vals[i] = (orma_exec_tag_at(args[0], i) == EXEC_NULL) == want;
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

bool orma_exec_run_cast(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret)
{
    const struct orma_exec_vec *a = args[0];
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
