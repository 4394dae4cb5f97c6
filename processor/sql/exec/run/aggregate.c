#include "processor/sql/exec/run/aggregate.h"

/* Half the size of a sum that may overflow. */
#define LARGE_SUM (UINT64_C(1) << 62)

/* ---- what is kept ---- */

bool orma_exec_run_extend(void *array, uint32_t from, uint32_t to, size_t size)
{
    void *old, *grown;

    memcpy(&old, array, sizeof(old));
    grown = orma_large_resize(old, to * size);
    if (!grown)
        return false;
    memset((char *)grown + from * size, 0, (to - from) * size);
    memcpy(array, &grown, sizeof(grown));
    return true;
}

static bool reserve_values(struct orma_exec_grouped *a, uint32_t from, uint32_t to)
{
    if (!orma_exec_run_extend(&a->bests, from, to, sizeof(*a->bests)))
        return false;
    for (uint32_t i = from; i < to; i++)
        a->bests[i].tag = EXEC_NULL;
    return true;
}

static bool reserve_states(struct orma_exec_grouped *a, uint32_t from, uint32_t to)
{
    if (!orma_exec_run_extend(&a->states, from, to, sizeof(*a->states)))
        return false;
    for (uint32_t i = from; i < to; i++)
        a->states[i].val.tag = EXEC_NULL;
    return true;
}

bool orma_exec_run_grouped_reserve(struct orma_exec_grouped *a, uint32_t from, uint32_t to)
{
    switch (a->def->function->keeps) {
    case EXEC_KEEPS_STATES:
        return reserve_states(a, from, to);
    case EXEC_KEEPS_SUMS:
        return orma_exec_run_extend(&a->accs, from, to, sizeof(*a->accs)) &&
               (!a->reals || orma_exec_run_extend(&a->reals, from, to, sizeof(*a->reals)));
    case EXEC_KEEPS_VALUES:
        return reserve_values(a, from, to);
    case EXEC_KEEPS_FIRSTS:
        return orma_exec_run_extend(&a->accs, from, to, sizeof(*a->accs)) &&
               reserve_values(a, from, to);
    case EXEC_KEEPS_NOTHING:
        break;
    }
    return true;
}

void orma_exec_run_grouped_fini(struct orma_exec_grouped *a)
{
    orma_large_free(a->accs);
    orma_large_free(a->reals);
    orma_large_free(a->bests);
    orma_large_free(a->states);
    orma_exec_run_coder_fini(&a->set);
    orma_exec_run_values_fini(&a->vals);
    orma_exec_run_texts_fini(&a->texts);
}

/* ---- any aggregate ---- */

bool orma_exec_run_fold_steps(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    const struct orma_exec_function *f = a->def->function;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value x = {EXEC_INT, 0};

        if (v)
            x = (struct orma_exec_value){orma_exec_tag_at(v, i), v->vals[i]};
        if (x.tag != EXEC_NULL && !f->step(g->plan, &a->states[codes ? codes[i] : 0], x))
            return false;
    }
    return true;
}

struct orma_exec_value orma_exec_run_group_state(struct orma_exec_plan *plan,
                                                 struct orma_exec_grouped *a,
                                                 const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    const struct orma_exec_state *s = &a->states[group];

    return def->function->final ? def->function->final(s) : s->val;
}

/* ---- sums ---- */

static inline bool is_real(const struct orma_exec_grouped *a, uint32_t group)
{
    return a->reals && a->reals[group].on;
}

static bool add_real(struct orma_exec_groups *g, struct orma_exec_grouped *a, uint32_t group,
                     double d)
{
    if (!g->in_order)
        return orma_exec_give_up(g->plan, "doubles whose order is open");
    if (!a->reals && !orma_exec_run_extend(&a->reals, 0, g->cap, sizeof(*a->reals)))
        return orma_exec_give_up(g->plan, "out of memory");
    struct orma_exec_real_sum *r = &a->reals[group];
    if (!r->on) {
        r->on = true;
        orma_kbn_add_int(&r->sum, a->accs[group].whole, 1);
    }
    a->accs[group].count++;
    orma_kbn_add(&r->sum, d);
    return true;
}

static bool add_one(struct orma_exec_groups *g, struct orma_exec_grouped *a, uint32_t group,
                    uint8_t tag, int64_t bits)
{
    struct orma_exec_sum *acc = &a->accs[group];

    switch (tag) {
    case EXEC_NULL:
        return true;
    case EXEC_REAL:
        return add_real(g, a, group, orma_exec_double(bits));
    case EXEC_TEXT:
        return orma_exec_give_up(g->plan, "the sum of a string: use CAST");
    }
    acc->count++;
    if (is_real(a, group))
        orma_kbn_add_int(&a->reals[group].sum, bits, 1);
    else if (__builtin_add_overflow(acc->whole, bits, &acc->whole))
        return orma_exec_give_up(g->plan, "a sum that overflows");
    return true;
}

/* Integers of no more than 32 bits and no sign, which most are: all at once, each as the largest;
 * values that are no integers may be counted, too, which only makes the bound larger.
 * False: there are others. */
static bool add_small(struct orma_exec_grouped *a, const struct orma_exec_vec *v, uint32_t num)
{
    int64_t bits = 0;

    for (uint32_t i = 0; i < num; i++)
        bits |= v->vals[i];
    const uint64_t size = a->size + (uint64_t)num * ((uint64_t)bits / 2 + 1);

    if ((uint64_t)bits > UINT32_MAX || size >= LARGE_SUM)
        return false;
    a->bits |= bits;
    a->size = size;
    return true;
}

/* Integers of no more than 51 bits: the sizes of so many as are in a block do not overflow. */
static bool add_signed(struct orma_exec_grouped *a, const struct orma_exec_vec *v, uint32_t num)
{
    int64_t bits = 0;
    uint64_t size = num, all = 0;

    if (v->tagged)
        return false;
    for (uint32_t i = 0; i < num; i++) {
        const int64_t val = v->vals[i];
        const uint64_t half = (uint64_t)(val ^ val >> 63) >> 1;

        bits |= val;
        all |= half;
        size += half;
    }
    if (all >= LARGE_SUM / EXEC_BLOCK / 2 || a->size + size >= LARGE_SUM)
        return false;
    a->bits |= bits;
    a->size += size;
    return true;
}

/* Where rows come in another order than SQLite has, integers of both signs may overflow there on
 * the way to a sum that does not: unless they are too small for that in any order. */
static bool add_in_any_order(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                             const struct orma_exec_vec *v, uint32_t num)
{
    if ((!v->tagged && v->tag != EXEC_INT) || add_small(a, v, num) || add_signed(a, v, num))
        return true;
    for (uint32_t i = 0; i < num; i++) {
        const int64_t val = orma_exec_tag_at(v, i) == EXEC_INT ? v->vals[i] : 0;

        a->bits |= val;
        a->size += ((uint64_t)(val ^ val >> 63) >> 1) + 1;
        if (ORMA_UNLIKELY(a->size >= LARGE_SUM) && a->bits < 0)
            return orma_exec_give_up(g->plan, "a sum that overflows in some order");
        a->size = ORMA_MIN(a->size, LARGE_SUM);
    }
    return true;
}

static bool add_block(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                      const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    bool bad = false, plain = !v->tagged && v->tag == EXEC_INT;

    if (!plain) {
        for (uint32_t i = 0; i < num; i++) {
            if (!add_one(g, a, codes ? codes[i] : 0, orma_exec_tag_at(v, i), v->vals[i]))
                return false;
        }
        return true;
    }
    if (!codes && !a->reals) {
        int64_t sum = a->accs[0].whole;

        for (uint32_t i = 0; i < num; i++)
            bad |= __builtin_add_overflow(sum, v->vals[i], &sum);
        a->accs[0].whole = sum;
        a->accs[0].count += num;
        return !bad || orma_exec_give_up(g->plan, "a sum that overflows");
    }
    for (uint32_t i = 0; codes && !a->reals && i < num; i++) {
        struct orma_exec_sum *acc = &a->accs[codes[i]];

        acc->count++;
        bad |= __builtin_add_overflow(acc->whole, v->vals[i], &acc->whole);
    }
    for (uint32_t i = 0; a->reals && i < num; i++) {
        if (!add_one(g, a, codes ? codes[i] : 0, EXEC_INT, v->vals[i]))
            return false;
    }
    return !bad || orma_exec_give_up(g->plan, "a sum that overflows");
}

bool orma_exec_run_fold_sum(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                            const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    return (g->in_order || add_in_any_order(g, a, v, num)) && add_block(g, a, v, codes, num);
}

static double real_of(const struct orma_exec_grouped *a, uint32_t group)
{
    return is_real(a, group) ? orma_kbn_value(&a->reals[group].sum) : (double)a->accs[group].whole;
}

struct orma_exec_value orma_exec_run_group_sum(struct orma_exec_plan *plan,
                                               struct orma_exec_grouped *a,
                                               const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    (void)def;
    if (!a->accs[group].count)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return is_real(a, group) ? orma_exec_real_or_null(real_of(a, group))
                             : (struct orma_exec_value){EXEC_INT, a->accs[group].whole};
}

struct orma_exec_value orma_exec_run_group_total(struct orma_exec_plan *plan,
                                                 struct orma_exec_grouped *a,
                                                 const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    (void)def;
    return orma_exec_real_or_null(real_of(a, group));
}

struct orma_exec_value orma_exec_run_group_avg(struct orma_exec_plan *plan,
                                               struct orma_exec_grouped *a,
                                               const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    (void)def;
    if (!a->accs[group].count)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return orma_exec_real_or_null(real_of(a, group) / (double)a->accs[group].count);
}

/* ---- counts ---- */

static void count_values(struct orma_exec_grouped *a, const struct orma_exec_vec *v,
                         const uint32_t *codes, uint32_t num)
{
    if (!codes && (!v || !v->tagged)) {
        a->accs[0].count += v && v->tag == EXEC_NULL ? 0 : num;
        return;
    }
    for (uint32_t i = 0; i < num; i++)
        a->accs[codes ? codes[i] : 0].count += !v || orma_exec_tag_at(v, i) != EXEC_NULL;
}

static bool count_distinct(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                           const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    if (!orma_exec_run_coder_check(&a->set, v, num))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t group = codes ? codes[i] : 0, known = a->set.next;
        uint8_t tag = orma_exec_tag_at(v, i);

        if (tag == EXEC_NULL)
            continue;
        uint32_t code = orma_exec_run_coder_find(&a->set, group, tag, v->vals[i]);
        if (code == EXEC_NO_CODE)
            return orma_exec_give_up(g->plan, "out of memory");
        a->accs[group].count += code == known;
    }
    return true;
}

bool orma_exec_run_fold_count(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    if (a->def->distinct)
        return count_distinct(g, a, v, codes, num);
    count_values(a, v, codes, num);
    return true;
}

struct orma_exec_value orma_exec_run_group_count(struct orma_exec_plan *plan,
                                                 struct orma_exec_grouped *a,
                                                 const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    (void)def;
    return (struct orma_exec_value){EXEC_INT, a->accs[group].count};
}

/* ---- min(), max() and columns of the same row ---- */

/* Before a value is folded into what it may replace. */
static void pick_row(struct orma_exec_groups *g, struct orma_exec_value best, int sign,
                     struct orma_exec_value x, uint32_t i)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;

    g->picked[i] = best.tag == EXEC_NULL ||
                   (x.tag != EXEC_NULL && orma_exec_compare(pool, best, x) * sign > 0);
}

bool orma_exec_run_fold_first(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_sum *acc = &a->accs[codes ? codes[i] : 0];

        if (g->picks ? g->picked[i] : !acc->count)
            a->bests[codes ? codes[i] : 0] =
                (struct orma_exec_value){orma_exec_tag_at(v, i), v->vals[i]};
        acc->count = 1;
    }
    return true;
}

/* Integers alone. False, and nothing done: there was something else before. */
static bool fold_best_whole(struct orma_exec_grouped *a, const struct orma_exec_vec *v,
                            const uint32_t *codes, uint32_t num)
{
    const bool least = a->def->function->step == orma_exec_run_step_min;
    struct orma_exec_value *best = &a->bests[0];

    if (!codes) {
        int64_t val = best->tag == EXEC_NULL ? v->vals[0] : best->bits;

        if (best->tag != EXEC_NULL && best->tag != EXEC_INT)
            return false;
        for (uint32_t i = 0; i < num; i++)
            val = least ? ORMA_MIN(val, v->vals[i]) : ORMA_MAX(val, v->vals[i]);
        *best = (struct orma_exec_value){EXEC_INT, val};
        return true;
    }
    for (uint32_t i = 0; i < num; i++) {
        if (a->bests[codes[i]].tag & ~(EXEC_NULL | EXEC_INT))
            return false;
    }
    for (uint32_t i = 0; i < num; i++) {
        best = &a->bests[codes[i]];
        bool better = least ? v->vals[i] < best->bits : v->vals[i] > best->bits;

        if (best->tag == EXEC_NULL || better)
            *best = (struct orma_exec_value){EXEC_INT, v->vals[i]};
    }
    return true;
}

bool orma_exec_run_fold_best(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                             const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;
    int sign = a->def->function->step == orma_exec_run_step_min ? 1 : -1;

    if (!v->tagged && v->tag == EXEC_INT && g->picks != a && fold_best_whole(a, v, codes, num))
        return true;
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value *best = &a->bests[codes ? codes[i] : 0];
        struct orma_exec_value x = {orma_exec_tag_at(v, i), v->vals[i]};

        if (g->picks == a)
            pick_row(g, *best, sign, x, i);
        if (x.tag == EXEC_NULL)
            continue;
        if (ORMA_LIKELY(x.tag == EXEC_INT && best->tag == EXEC_INT)) {
            if (sign > 0 ? x.bits < best->bits : x.bits > best->bits)
                best->bits = x.bits;
            continue;
        }
        int cmp = best->tag == EXEC_NULL ? sign : orma_exec_compare(pool, *best, x);
        if (cmp * sign > 0)
            *best = x;
        else if (!cmp && x.tag != best->tag && !g->in_order) /* the first counts */
            return orma_exec_give_up(g->plan, "values of several types whose order is open");
    }
    return true;
}

struct orma_exec_value orma_exec_run_group_best(struct orma_exec_plan *plan,
                                                struct orma_exec_grouped *a,
                                                const struct orma_exec_agg *def, uint32_t group)
{
    (void)plan;
    (void)def;
    return a->bests[group];
}

/* ---- percentiles ---- */

bool orma_exec_run_fold_percentile(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                                   const struct orma_exec_vec *v, const uint32_t *codes,
                                   uint32_t num)
{
    return orma_exec_run_values_add(g->plan, &a->vals, v, codes, num);
}

struct orma_exec_value orma_exec_run_group_percentile(struct orma_exec_plan *plan,
                                                      struct orma_exec_grouped *a,
                                                      const struct orma_exec_agg *def,
                                                      uint32_t group)
{
    return orma_exec_run_values_at(plan, &a->vals, group, def->fraction, def->function->exact);
}
