/* Aggregates value by value: in frames of windows, and in groups where there is no `fold`. */
#include "processor/sql/exec/run/aggregate.h"

bool orma_exec_run_step_count(struct orma_exec_plan *plan, struct orma_exec_state *s,
                              struct orma_exec_value v)
{
    (void)plan;
    (void)v;
    s->count++;
    return true;
}

bool orma_exec_run_drop_count(struct orma_exec_plan *plan, struct orma_exec_state *s,
                              struct orma_exec_value v)
{
    (void)plan;
    (void)v;
    s->count--;
    return true;
}

struct orma_exec_value orma_exec_run_final_count(const struct orma_exec_state *s)
{
    return (struct orma_exec_value){EXEC_INT, s->count};
}

/* ---- sums ---- */

bool orma_exec_run_step_sum(struct orma_exec_plan *plan, struct orma_exec_state *s,
                            struct orma_exec_value v)
{
    if (v.tag == EXEC_TEXT)
        return orma_exec_give_up(plan, "the sum of a string: use CAST");
    s->count++;
    if (v.tag == EXEC_REAL) {
        if (!s->is_real)
            orma_kbn_add_int(&s->real, s->whole, 1);
        s->is_real = true;
        orma_kbn_add(&s->real, orma_exec_double(v.bits));
    } else if (s->is_real) {
        orma_kbn_add_int(&s->real, v.bits, 1);
    } else if (__builtin_add_overflow(s->whole, v.bits, &s->whole)) {
        return orma_exec_give_up(plan, "a sum that overflows");
    }
    return true;
}

/* What a row leaves behind: of integers nothing. Doubles keep what was rounded, so it shows when
 * it is taken away. */
bool orma_exec_run_drop_sum(struct orma_exec_plan *plan, struct orma_exec_state *s,
                            struct orma_exec_value v)
{
    s->count--;
    if (v.tag == EXEC_REAL)
        orma_kbn_add(&s->real, -orma_exec_double(v.bits));
    else if (s->is_real)
        orma_kbn_add_int(&s->real, v.bits, -1);
    else if (__builtin_sub_overflow(s->whole, v.bits, &s->whole))
        return orma_exec_give_up(plan, "a moving sum that overflows");
    return true;
}

static double real_of(const struct orma_exec_state *s)
{
    return s->is_real ? orma_kbn_value(&s->real) : (double)s->whole;
}

struct orma_exec_value orma_exec_run_final_sum(const struct orma_exec_state *s)
{
    if (!s->count)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return s->is_real ? orma_exec_real_or_null(real_of(s))
                      : (struct orma_exec_value){EXEC_INT, s->whole};
}

struct orma_exec_value orma_exec_run_final_total(const struct orma_exec_state *s)
{
    return orma_exec_real_or_null(real_of(s));
}

struct orma_exec_value orma_exec_run_final_avg(const struct orma_exec_state *s)
{
    if (!s->count)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return orma_exec_real_or_null(real_of(s) / (double)s->count);
}

/* ---- min() and max() ---- */

bool orma_exec_run_step_min(struct orma_exec_plan *plan, struct orma_exec_state *s,
                            struct orma_exec_value v)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;

    if (s->val.tag == EXEC_NULL || orma_exec_compare(pool, s->val, v) > 0)
        s->val = v;
    return true;
}

bool orma_exec_run_step_max(struct orma_exec_plan *plan, struct orma_exec_state *s,
                            struct orma_exec_value v)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;

    if (s->val.tag == EXEC_NULL || orma_exec_compare(pool, s->val, v) < 0)
        s->val = v;
    return true;
}
