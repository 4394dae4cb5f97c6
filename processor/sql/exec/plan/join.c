/*
 * The driver is the source from which most others follow by number, and by ranges with both
 * ends; which one SQLite would begin with shows in the order of rows alone, which order.c restores.
 */
#include "processor/sql/exec/plan/join.h"

#include <stdlib.h>

uint32_t orma_exec_plan_sources_of(const struct orma_exec_expr *e)
{
    uint32_t mask =
        e->op == ORMA_EXEC_COLUMN || e->op == ORMA_EXEC_ROW ? 1u << e->column.source->index : 0;

    for (unsigned i = 0; i < e->num; i++)
        mask |= orma_exec_plan_sources_of(e->args[i]);
    return mask;
}

/* An equality of something of `src` alone with something of the sources in `known`. */
static bool splits(const struct orma_exec_expr *e, const struct orma_exec_source *src,
                   uint32_t known, struct orma_exec_expr **ret_probe,
                   struct orma_exec_expr **ret_build)
{
    for (unsigned i = 0; e->op == ORMA_EXEC_EQ && i < 2; i++) {
        uint32_t here = orma_exec_plan_sources_of(e->args[i]),
                 there = orma_exec_plan_sources_of(e->args[1 - i]);

        if (here == 1u << src->index && there && !(there & ~known)) {
            *ret_build = e->args[i];
            *ret_probe = e->args[1 - i];
            return true;
        }
    }
    return false;
}

static uint32_t known_sources(const struct orma_exec_join_plan *j)
{
    uint32_t mask = 1u << j->driver->index;

    for (unsigned i = 0; i < j->steps_num; i++)
        mask |= 1u << j->steps[i].src->index;
    return mask;
}

/* Whether this source can come next: what stands before a LEFT JOIN must be there. */
static bool may_follow(const struct orma_exec_source *src, uint32_t known)
{
    if (known >> src->index & 1)
        return false;
    if (src->join != ORMA_EXEC_LEFT)
        return true;
    return !(~known & ((1u << src->index) - 1));
}

static struct orma_exec_expr *condition_at(const struct orma_exec_join_plan *j,
                                           const struct orma_exec_source *src, unsigned i)
{
    if (src->join == ORMA_EXEC_LEFT)
        return i < src->on.len ? src->on.data[i] : NULL;
    return i < j->conds_num ? j->conds[i].expr : NULL;
}

/* A comparison of a column of `src` with something that is known by then becomes an end. */
static void add_end(struct orma_exec_range *s, const struct orma_exec_expr *e,
                    const struct orma_exec_source *src, uint32_t known)
{
    bool lower = e->op == ORMA_EXEC_GT || e->op == ORMA_EXEC_GE;

    if (!lower && e->op != ORMA_EXEC_LT && e->op != ORMA_EXEC_LE)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *of = e->args[i], *with = e->args[1 - i];
        bool strict = e->op == ORMA_EXEC_GT || e->op == ORMA_EXEC_LT, low = lower == (i == 0);

        if (of->op != ORMA_EXEC_COLUMN || of->column.source != src ||
            orma_exec_plan_sources_of(with) & ~known ||
            (of->types | with->types) & ~(EXEC_INT | EXEC_NULL) || of->affinity == EXEC_AFF_TEXT ||
            with->affinity == EXEC_AFF_TEXT || (s->of && !orma_exec_same_expr(s->of, of)) ||
            (low ? s->lo : s->hi))
            continue;
        s->of = of;
        *(low ? &s->lo : &s->hi) = with;
        *(low ? &s->lo_strict : &s->hi_strict) = strict;
    }
}

/* The column with two ends, or the first one with any. */
static struct orma_exec_range find_range(const struct orma_exec_join_plan *j,
                                             const struct orma_exec_source *src, uint32_t known)
{
    struct orma_exec_range best = {0};
    struct orma_exec_expr *e;

    for (unsigned i = 0; !(best.lo && best.hi) && condition_at(j, src, i); i++) {
        struct orma_exec_range s = {0};

        for (unsigned k = i; (e = condition_at(j, src, k)); k++)
            add_end(&s, e, src, known);
        if (!best.of || (s.lo && s.hi))
            best = s;
    }
    return best;
}

static void set_range(const struct orma_exec_join_plan *j, struct orma_exec_step *step,
                        uint32_t known)
{
    step->range = find_range(j, step->src, known);
    step->mask |= step->range.lo ? orma_exec_plan_sources_of(step->range.lo) : 0;
    step->mask |= step->range.hi ? orma_exec_plan_sources_of(step->range.hi) : 0;
}

/* The step to a source by an equality, if there is one: by number, or by a hash. */
static bool find_step(struct orma_exec_join_plan *j, struct orma_exec_source *src, bool by_number,
                      struct orma_exec_step *ret, struct orma_exec_expr **ret_used)
{
    bool left = src->join == ORMA_EXEC_LEFT;
    uint32_t known = known_sources(j);
    struct orma_exec_expr *e, *probe, *build;

    for (unsigned i = 0; (e = condition_at(j, src, i)); i++) {
        if ((!left && j->conds[i].done) || !splits(e, src, known, &probe, &build) ||
            by_number != (build->op == ORMA_EXEC_COLUMN && build->column.source == src &&
                          orma_exec_is_row_number(j->plan, build)))
            continue;
        *ret = (struct orma_exec_step){
            .src = src, .by_number = by_number, .probe = probe, .build = build};
        ret->mask = orma_exec_plan_sources_of(probe);
        if (!by_number)
            set_range(j, ret, known);
        *ret_used = e;
        return true;
    }
    return false;
}

static bool add_step(struct orma_exec_join_plan *j, struct orma_exec_step step,
                     const struct orma_exec_expr *used)
{
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i].done |= j->conds[i].expr == used && step.src->join != ORMA_EXEC_LEFT;
    for (uint32_t i = 0; step.src->join == ORMA_EXEC_LEFT && i < step.src->on.len; i++) {
        struct orma_exec_expr *e = step.src->on.data[i];
        /* Lists are made of rows that pass what looks at them alone. */
        bool alone = !step.by_number && orma_exec_plan_sources_of(e) == 1u << step.src->index;

        if (e != used && !alone && ORMA_VEC_PUSH(&step.on, e) < 0)
            return orma_exec_give_up(j->plan, "out of memory");
    }
    j->steps[j->steps_num++] = step;
    return true;
}

/* As many sources as follow by number; true if one was added. */
static bool follow(struct orma_exec_join_plan *j, bool by_number)
{
    for (unsigned i = 0; i < j->q->sources_num && !j->plan->why; i++) {
        struct orma_exec_source *src = j->q->sources[i];
        struct orma_exec_expr *used = NULL;
        struct orma_exec_step step;

        if (may_follow(src, known_sources(j)) && find_step(j, src, by_number, &step, &used))
            return add_step(j, step, used);
    }
    return false;
}

/* Without an equality: by a range with both ends, with one, or because there are few rows. */
static bool follow_any(struct orma_exec_join_plan *j)
{
    for (unsigned pass = 0; pass < 3; pass++) {
        for (unsigned i = 0; i < j->q->sources_num && !j->plan->why; i++) {
            struct orma_exec_step step = {.src = j->q->sources[i]};

            if (!may_follow(step.src, known_sources(j)))
                continue;
            set_range(j, &step, known_sources(j));
            bool both = step.range.lo && step.range.hi,
                 few = orma_exec_source_rows(step.src) <= EXEC_ALL_ROWS_MAX;
            if (pass == 0 ? both : pass == 1 ? few : step.range.of != NULL)
                return add_step(j, step, NULL);
        }
    }
    return false;
}

static void forget_steps(struct orma_exec_join_plan *j)
{
    for (unsigned i = 0; i < j->steps_num; i++)
        ORMA_VEC_FINI(&j->steps[i].on);
    j->steps_num = 0;
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i].done = false;
}

static bool plan_steps(struct orma_exec_join_plan *j)
{
    while (j->steps_num + 1 < j->q->sources_num && !j->plan->why) {
        if (!follow(j, true) && !follow(j, false) && !follow_any(j))
            return false;
    }
    return !j->plan->why;
}

/* How good a driver is: steps by number, and before that how many steps may find far too much. */
struct merit {
    unsigned bad, by_number;
    uint32_t rows;
};

static struct merit merit_of(struct orma_exec_join_plan *j, struct orma_exec_source *src)
{
    struct merit m = {.rows = orma_exec_source_rows(src)};

    j->driver = src;
    if (!plan_steps(j))
        m.bad = 100;
    for (unsigned i = 0; i < j->steps_num; i++) {
        const struct orma_exec_step *s = &j->steps[i];

        m.by_number += s->by_number;
        m.bad += s->range.of && !(s->range.lo && s->range.hi) ? s->build ? 1 : 4 : 0;
    }
    forget_steps(j);
    return m;
}

static bool is_better(struct merit a, struct merit b)
{
    if (a.bad != b.bad)
        return a.bad < b.bad;
    return a.by_number != b.by_number ? a.by_number > b.by_number : a.rows > b.rows;
}

static bool choose_driver(struct orma_exec_join_plan *j)
{
    struct orma_exec_source *best = NULL;
    struct merit best_merit = {0};

    for (unsigned i = 0; i < j->q->sources_num; i++) {
        struct orma_exec_source *src = j->q->sources[i];

        if (src->join == ORMA_EXEC_LEFT)
            continue;
        struct merit m = j->q->sources_num > 1 ? merit_of(j, src) : (struct merit){0};
        if (!best || is_better(m, best_merit)) {
            best = src;
            best_merit = m;
        }
    }
    if (!best)
        return orma_exec_give_up(j->plan, "no source to begin with");
    j->driver = best;
    return true;
}

bool orma_exec_plan_join_init(struct orma_exec_join_plan *j, struct orma_exec_plan *plan,
                              struct orma_exec_query *q)
{
    *j = (struct orma_exec_join_plan){.plan = plan, .q = q};
    j->conds_num = q->where.len;
    j->conds = calloc(j->conds_num + 1, sizeof(*j->conds));
    if (!j->conds)
        return orma_exec_give_up(plan, "out of memory");
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i] = (struct orma_exec_condition){
            .expr = q->where.data[i], .mask = orma_exec_plan_sources_of(q->where.data[i])};
    return choose_driver(j) &&
           (plan_steps(j) || orma_exec_give_up(plan, "a join without an equality or a range"));
}

void orma_exec_plan_join_fini(struct orma_exec_join_plan *j)
{
    forget_steps(j);
    free(j->conds);
}

bool orma_exec_plan_finds_one(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    const char *why = plan->why;
    bool one = false;
    struct orma_exec_join_plan j;

    for (unsigned i = 0; i < q->sources_num; i++)
        one |= orma_exec_plan_is_given(plan, q, q->sources[i]);
    if (!one)
        return false;
    one = orma_exec_plan_join_init(&j, plan, q) && orma_exec_plan_is_given(plan, q, j.driver);
    for (unsigned i = 0; one && i < j.steps_num; i++)
        one = j.steps[i].by_number;
    orma_exec_plan_join_fini(&j);
    plan->why = why;
    return one;
}
