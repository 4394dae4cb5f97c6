/*
 * Groups: each row gets the number of its group, in order of appearance; each aggregate folds the
 * values of a block into what it keeps by group. Keys are coded one after the other:
 *
 *   (code by the keys before, value) ─► code        the last code is the group
 *
 * Texts and small integers of the first key have a table, all else a hash. At the end groups are
 * put into the order of their keys, as SQLite gives them.
 *
 * Sums are kept as functions/sums.c keeps them: integers exact (what overflows is given up),
 * doubles in the order of rows with what is rounded away.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#include <stdlib.h>

#include "processor/sql/base/kbn.h"
#include "processor/sql/exec/run/run.h"

#define NO_CODE UINT32_MAX
#define DIRECT_MAX (1u << 20) /* or as many as there are rows */
/* Each slot may lie in a page that nobody has touched. */
#define RESIZE_LOOK (1u << 15)

struct code_slot {
    int64_t bits;
    uint32_t before, code; /* the code + 1; 0: free */
    uint8_t tag;
};

/* (code, value) -> code */
struct coder {
    struct code_slot *slots;
    uint32_t mask, next;
    uint32_t *direct; /* by value; for a first key */
    uint32_t direct_num, direct_max;
    uint8_t seen; /* types */
    struct orma_exec_plan *plan;
};

struct acc {
    int64_t whole, count;
};

/* A sum in which there are doubles. */
struct real {
    struct orma_kbn sum;
    bool on; /* the whole is in it */
};

/* Half the size of a sum that may overflow. */
#define LARGE_SUM (UINT64_C(1) << 62)

struct agg {
    const struct orma_exec_agg *def;
    /* By group; NULL where the function needs none, and before the first double. */
    struct acc *accs;
    struct real *reals;
    struct orma_exec_value *bests;
    struct coder set; /* of distinct values */
    struct orma_exec_values vals;
    uint32_t same; /* which has its values, or its sums; mostly itself */
    /* Of integers in a sum: the bits that any of them has, and the sum of their sizes, halved. */
    int64_t bits;
    uint64_t size;
};

struct grouper {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    unsigned keys_num;
    struct coder *coders;
    struct orma_exec_value **keys; /* by key, by group */
    struct agg *aggs;
    uint32_t groups, cap;
    struct orma_exec_vec *vec;
    const struct orma_exec_expr *loaded; /* what `vec` has of the block; NULL: something else */
    bool in_order;                       /* rows come as SQLite has them */
    /* The last min() or max(), and which rows of the block gave it a value; NULL: there is none.
     * What is no part of the groups is of these rows, or else of the first. */
    const struct agg *picks, *best;
    bool has_bare;
    bool picked[EXEC_BLOCK];
};

/* ---- codes ---- */

static uint32_t place_of(const struct coder *c, uint32_t before, uint8_t tag, int64_t bits)
{
    uint64_t h = ((uint64_t)bits + (uint64_t)before * UINT64_C(0x9e3779b97f4a7c15) + tag) *
                 UINT64_C(0xff51afd7ed558ccd);

    return (uint32_t)((h ^ h >> 32) & c->mask);
}

static bool resize(struct coder *c, uint32_t num)
{
    struct code_slot *old = c->slots;
    uint32_t old_num = old ? c->mask + 1 : 0;

    c->slots = orma_large_zeroed(num, sizeof(*c->slots));
    if (!c->slots) {
        c->slots = old;
        return false;
    }
    c->mask = num - 1;
    for (uint32_t i = 0; i < old_num; i++) {
        if (!(i % RESIZE_LOOK) && orma_exec_should_stop(c->plan))
            break; /* what is missing is not missed */
        if (!old[i].code)
            continue;
        uint32_t at = place_of(c, old[i].before, old[i].tag, old[i].bits);
        while (c->slots[at].code)
            at = (at + 1) & c->mask;
        c->slots[at] = old[i];
    }
    orma_large_free(old);
    return !c->plan->why;
}

/* NO_CODE: memory is out. */
static uint32_t find_code(struct coder *c, uint32_t before, uint8_t tag, int64_t bits)
{
    if (!c->slots && !resize(c, 256))
        return NO_CODE;
    if (tag == EXEC_NULL)
        bits = 0;
    uint32_t at = place_of(c, before, tag, bits);
    for (; c->slots[at].code; at = (at + 1) & c->mask) {
        struct code_slot *s = &c->slots[at];

        if (s->bits == bits && s->before == before && s->tag == tag)
            return s->code - 1;
    }
    uint32_t code = c->next++;
    c->slots[at] = (struct code_slot){bits, before, code + 1, tag};
    if (c->next > c->mask / 2 && (c->mask > UINT32_MAX / 4 || !resize(c, 2 * (c->mask + 1))))
        return NO_CODE;
    return code;
}

static bool grow_direct(struct coder *c, uint32_t need)
{
    uint32_t num = ORMA_MAX(c->direct_num, 1024u);

    while (num < need)
        num *= 2;
    uint32_t *grown = orma_large_resize(c->direct, num * sizeof(*grown));
    if (!grown)
        return false;
    memset(grown + c->direct_num, 0xff, (num - c->direct_num) * sizeof(*grown));
    c->direct = grown;
    c->direct_num = num;
    return true;
}

/* The first key: a table for texts, or for integers, while they are small. */
static uint32_t find_first(struct coder *c, uint8_t tag, int64_t bits)
{
    if (ORMA_UNLIKELY(tag == EXEC_NULL || (uint64_t)bits >= c->direct_max || tag == EXEC_REAL))
        return find_code(c, 0, tag, bits);
    if (ORMA_UNLIKELY((uint64_t)bits >= c->direct_num) && !grow_direct(c, (uint32_t)bits + 1))
        return NO_CODE;
    uint32_t *slot = &c->direct[bits];
    if (ORMA_UNLIKELY(*slot == NO_CODE))
        *slot = c->next++;
    return *slot;
}

/* Equal numbers of two types would be one group; so would zeros with and without a sign. */
static bool check_types(struct grouper *g, struct coder *c, const struct orma_exec_vec *v,
                        uint32_t num)
{
    uint8_t seen = c->seen;

    for (uint32_t i = 0; i < num && (v->tagged || !i); i++)
        seen |= orma_exec_tag_at(v, i);
    c->seen = seen;
    if (seen & (EXEC_INT | EXEC_TEXT) && (seen & ~EXEC_NULL) & ((seen & ~EXEC_NULL) - 1))
        return orma_exec_give_up(g->plan, "values of several types in a group");
    for (uint32_t i = 0; seen & EXEC_REAL && i < num; i++) {
        if (v->vals[i] == INT64_MIN)
            return orma_exec_give_up(g->plan, "minus zero");
    }
    return true;
}

static bool code_block(struct grouper *g, unsigned key, const struct orma_exec_rows *rows,
                       uint32_t *codes)
{
    struct coder *c = &g->coders[key];
    const struct orma_exec_vec *v = g->vec;

    if (!orma_exec_run_eval(g->plan, g->q->groups.data[key].expr, rows, g->vec) ||
        !check_types(g, c, v, rows->num))
        return false;
    uint32_t bad = 0;
    if (!key && !v->tagged && v->tag & (EXEC_INT | EXEC_TEXT)) {
        for (uint32_t i = 0; i < rows->num; i++) {
            const uint64_t val = (uint64_t)v->vals[i];

            codes[i] = ORMA_LIKELY(val < c->direct_num) ? c->direct[val] : NO_CODE;
            if (ORMA_UNLIKELY(codes[i] == NO_CODE))
                codes[i] = find_first(c, v->tag, v->vals[i]);
            bad |= codes[i] == NO_CODE;
        }
    } else if (!key) {
        for (uint32_t i = 0; i < rows->num; i++) {
            codes[i] = find_first(c, orma_exec_tag_at(v, i), v->vals[i]);
            bad |= codes[i] == NO_CODE;
        }
    } else {
        for (uint32_t i = 0; i < rows->num; i++) {
            codes[i] = find_code(c, codes[i], orma_exec_tag_at(v, i), v->vals[i]);
            bad |= codes[i] == NO_CODE;
        }
    }
    return !bad || orma_exec_give_up(g->plan, "memory");
}

/* ---- groups ---- */

/* Zeros behind what was there. */
static bool extend(void *array, uint32_t from, uint32_t to, size_t size)
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

static bool reserve_agg(struct agg *a, uint32_t from, uint32_t to)
{
    const enum orma_exec_func func = a->def->func;
    const bool best = func == EXEC_MIN || func == EXEC_MAX;
    bool ok = best || func == EXEC_PERCENTILE || extend(&a->accs, from, to, sizeof(*a->accs));

    if (ok && (best || func == EXEC_BARE)) {
        ok = extend(&a->bests, from, to, sizeof(*a->bests));
        for (uint32_t i = from; ok && i < to; i++)
            a->bests[i].tag = EXEC_NULL;
    }
    return ok && (!a->reals || extend(&a->reals, from, to, sizeof(*a->reals)));
}

static bool reserve(struct grouper *g, uint32_t num)
{
    uint32_t cap = ORMA_MAX(g->cap, 16u);

    if (num <= g->cap)
        return true;
    while (cap < num)
        cap *= 2;
    for (unsigned k = 0; k < g->keys_num; k++) {
        struct orma_exec_value *keys = orma_large_resize(g->keys[k], (size_t)cap * sizeof(*keys));

        if (!keys)
            return orma_exec_give_up(g->plan, "memory");
        g->keys[k] = keys;
    }
    for (uint32_t a = 0; a < g->q->aggs.len; a++) {
        if (g->aggs[a].same == a && !reserve_agg(&g->aggs[a], g->cap, cap))
            return orma_exec_give_up(g->plan, "memory");
        if (orma_exec_should_stop(g->plan))
            return false;
    }
    g->cap = cap;
    return true;
}

/* Keys of groups that are new in this block, whose rows are `firsts`. */
static bool keep_keys(struct grouper *g, const struct orma_exec_rows *rows, const uint32_t *firsts,
                      uint32_t num)
{
    for (unsigned k = 0; k < g->keys_num; k++) {
        if (g->keys_num > 1 &&
            !orma_exec_run_eval(g->plan, g->q->groups.data[k].expr, rows, g->vec))
            return false;
        for (uint32_t i = 0; i < num; i++)
            g->keys[k][g->groups + i] = (struct orma_exec_value){
                orma_exec_tag_at(g->vec, firsts[i]), g->vec->vals[firsts[i]]};
    }
    g->groups += num;
    return true;
}

static bool group_block(struct grouper *g, const struct orma_exec_rows *rows, uint32_t *codes)
{
    uint32_t firsts[EXEC_BLOCK], num = 0;

    for (unsigned k = 0; k < g->keys_num; k++) {
        if (!code_block(g, k, rows, codes))
            return false;
    }
    uint32_t next = g->coders[g->keys_num - 1].next;
    if (next == g->groups)
        return true;
    for (uint32_t i = 0; i < rows->num; i++) {
        if (codes[i] == g->groups + num)
            firsts[num++] = i;
    }
    return reserve(g, next) && keep_keys(g, rows, firsts, num);
}

/* ---- folding ---- */

static void add_whole(struct orma_kbn *to, int64_t val)
{
    int64_t low = val % 16384;

    if (val > -(INT64_C(1) << 52) && val < INT64_C(1) << 52) {
        orma_kbn_add(to, (double)val);
        return;
    }
    orma_kbn_add(to, (double)(val - low));
    orma_kbn_add(to, (double)low);
}

static bool add_real(struct grouper *g, struct agg *a, uint32_t group, double d)
{
    if (!g->in_order)
        return orma_exec_give_up(g->plan, "doubles whose order is open");
    if (!a->reals && !extend(&a->reals, 0, g->cap, sizeof(*a->reals)))
        return orma_exec_give_up(g->plan, "memory");
    struct real *r = &a->reals[group];
    if (!r->on) {
        r->on = true;
        add_whole(&r->sum, a->accs[group].whole);
    }
    a->accs[group].count++;
    orma_kbn_add(&r->sum, d);
    return true;
}

static inline bool is_real(const struct agg *a, uint32_t group)
{
    return a->reals && a->reals[group].on;
}

static bool add_one(struct grouper *g, struct agg *a, uint32_t group, uint8_t tag, int64_t bits)
{
    struct acc *acc = &a->accs[group];

    switch (tag) {
    case EXEC_NULL:
        return true;
    case EXEC_REAL:
        return add_real(g, a, group, orma_exec_double(bits));
    case EXEC_TEXT:
        return orma_exec_give_up(g->plan, "the sum of a text");
    }
    acc->count++;
    if (is_real(a, group))
        add_whole(&a->reals[group].sum, bits);
    else if (__builtin_add_overflow(acc->whole, bits, &acc->whole))
        return orma_exec_give_up(g->plan, "a sum that overflows");
    return true;
}

/* Integers of no more than 32 bits and no sign, which most are: all at once, each as the largest;
 * values that are no integers may be counted, too, which only makes the bound larger.
 * False: there are others. */
static bool add_small(struct agg *a, const struct orma_exec_vec *v, uint32_t num)
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
static bool add_signed(struct agg *a, const struct orma_exec_vec *v, uint32_t num)
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
static bool add_in_any_order(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                             uint32_t num)
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

static bool fold_sum(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                     const uint32_t *codes, uint32_t num)
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
        struct acc *acc = &a->accs[codes[i]];

        acc->count++;
        bad |= __builtin_add_overflow(acc->whole, v->vals[i], &acc->whole);
    }
    for (uint32_t i = 0; a->reals && i < num; i++) {
        if (!add_one(g, a, codes ? codes[i] : 0, EXEC_INT, v->vals[i]))
            return false;
    }
    return !bad || orma_exec_give_up(g->plan, "a sum that overflows");
}

static void fold_count(struct agg *a, const struct orma_exec_vec *v, const uint32_t *codes,
                       uint32_t num)
{
    if (!codes && (!v || !v->tagged)) {
        a->accs[0].count += v && v->tag == EXEC_NULL ? 0 : num;
        return;
    }
    for (uint32_t i = 0; i < num; i++)
        a->accs[codes ? codes[i] : 0].count += !v || orma_exec_tag_at(v, i) != EXEC_NULL;
}

static bool fold_distinct(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                          const uint32_t *codes, uint32_t num)
{
    if (!check_types(g, &a->set, v, num))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t group = codes ? codes[i] : 0, known = a->set.next;
        uint8_t tag = orma_exec_tag_at(v, i);

        if (tag == EXEC_NULL)
            continue;
        uint32_t code = find_code(&a->set, group, tag, v->vals[i]);
        if (code == NO_CODE)
            return orma_exec_give_up(g->plan, "memory");
        a->accs[group].count += code == known;
    }
    return true;
}

/* Before a value is folded into what it may replace. */
static void pick_row(struct grouper *g, struct orma_exec_value best, int sign,
                     struct orma_exec_value x, uint32_t i)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;

    g->picked[i] = best.tag == EXEC_NULL ||
                   (x.tag != EXEC_NULL && orma_exec_compare(pool, best, x) * sign > 0);
}

static void fold_bare(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                      const uint32_t *codes, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        struct acc *acc = &a->accs[codes ? codes[i] : 0];

        if (g->picks ? g->picked[i] : !acc->count)
            a->bests[codes ? codes[i] : 0] =
                (struct orma_exec_value){orma_exec_tag_at(v, i), v->vals[i]};
        acc->count = 1;
    }
}

/* Integers alone. False, and nothing done: there was something else before. */
static bool fold_best_whole(struct agg *a, const struct orma_exec_vec *v, const uint32_t *codes,
                            uint32_t num)
{
    const bool least = a->def->func == EXEC_MIN;
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

static bool fold_best(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                      const uint32_t *codes, uint32_t num)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;
    int sign = a->def->func == EXEC_MIN ? 1 : -1;

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

static bool fold(struct grouper *g, struct agg *a, const struct orma_exec_rows *rows,
                 const uint32_t *codes)
{
    const struct orma_exec_expr *arg = a->def->arg;

    if (a != &g->aggs[a->same])
        return true;
    if (arg && (!g->loaded || !orma_exec_same_expr(arg, g->loaded)) &&
        !orma_exec_run_eval(g->plan, a->def->arg, rows, g->vec))
        return false;
    g->loaded = arg ? arg : g->loaded;
    switch (a->def->func) {
    case EXEC_COUNT_ALL:
        fold_count(a, NULL, codes, rows->num);
        return true;
    case EXEC_COUNT:
        if (a->def->distinct)
            return fold_distinct(g, a, g->vec, codes, rows->num);
        fold_count(a, g->vec, codes, rows->num);
        return true;
    case EXEC_MIN:
    case EXEC_MAX:
        return fold_best(g, a, g->vec, codes, rows->num);
    case EXEC_PERCENTILE:
        return orma_exec_run_values_add(g->plan, &a->vals, g->vec, codes, rows->num);
    case EXEC_BARE:
        fold_bare(g, a, g->vec, codes, rows->num);
        return true;
    default:
        return (g->in_order || add_in_any_order(g, a, g->vec, rows->num)) &&
               fold_sum(g, a, g->vec, codes, rows->num);
    }
}

static bool take_rows(struct orma_exec_plan *plan, struct orma_exec_query *q,
                      const struct orma_exec_rows *rows, void *data)
{
    struct grouper *g = data;
    uint32_t codes[EXEC_BLOCK];

    if (orma_exec_should_stop(plan))
        return false;
    if (g->keys_num && !group_block(g, rows, codes))
        return false;
    g->loaded = NULL;
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        if (!fold(g, &g->aggs[i], rows, g->keys_num ? codes : NULL))
            return false;
    }
    return true;
}

/* ---- results ---- */

static double real_of(const struct agg *a, uint32_t group)
{
    return is_real(a, group) ? orma_kbn_value(&a->reals[group].sum) : (double)a->accs[group].whole;
}

static struct orma_exec_value of_double(double d)
{
    if (d != d)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){EXEC_REAL, orma_exec_bits(d)};
}

static struct orma_exec_value result_of(enum orma_exec_func func, const struct agg *a,
                                        uint32_t group)
{
    const struct orma_exec_value null = {EXEC_NULL, 0};
    const struct acc acc = a->accs ? a->accs[group] : (struct acc){0, 0};

    switch (func) {
    case EXEC_COUNT_ALL:
    case EXEC_COUNT:
        return (struct orma_exec_value){EXEC_INT, acc.count};
    case EXEC_SUM:
        if (!acc.count)
            return null;
        return is_real(a, group) ? of_double(real_of(a, group))
                                 : (struct orma_exec_value){EXEC_INT, acc.whole};
    case EXEC_TOTAL:
        return of_double(real_of(a, group));
    case EXEC_AVG:
        return acc.count ? of_double(real_of(a, group) / (double)acc.count) : null;
    default:
        return a->bests[group];
    }
}

static struct orma_exec_value value_of(struct grouper *g, unsigned at, uint32_t group)
{
    if (at < g->keys_num)
        return g->keys[at][group];
    const struct agg *a = &g->aggs[at - g->keys_num];
    if (a->def->func == EXEC_PERCENTILE)
        return orma_exec_run_values_at(g->plan, &g->aggs[a->same].vals, group, a->def->fraction,
                                       a->def->exact);
    return result_of(a->def->func, &g->aggs[a->same], group);
}

static bool fill_slot(struct grouper *g, unsigned at, struct orma_exec_slot *s)
{
    s->vals = orma_large_alloc(((size_t)g->groups + 1) * sizeof(*s->vals));
    s->tags = orma_large_alloc((size_t)g->groups + 1);
    if (!s->vals || !s->tags)
        return orma_exec_give_up(g->plan, "memory");
    for (uint32_t i = 0; i < g->groups && !g->plan->why; i++) {
        struct orma_exec_value v = value_of(g, at, i);

        if (!(i % EXEC_LOOK) && orma_exec_should_stop(g->plan))
            return false;
        s->vals[i] = v.bits;
        s->tags[i] = v.tag;
    }
    return !g->plan->why;
}

static bool make_frame(struct grouper *g)
{
    struct orma_exec_frame *f = &g->q->frame;
    unsigned num = g->keys_num + g->q->aggs.len;

    for (uint32_t i = 0; i < g->q->aggs.len; i++) {
        struct agg *a = &g->aggs[i];

        if (a->def->func == EXEC_PERCENTILE && a->same == i &&
            !orma_exec_run_values_deal(g->plan, &a->vals, g->groups))
            return false;
    }
    orma_exec_frame_fini(f);
    f->slots = orma_large_zeroed(num + 1, sizeof(*f->slots));
    if (!f->slots)
        return orma_exec_give_up(g->plan, "memory");
    f->slots_num = num;
    f->rows = g->groups;
    for (unsigned i = 0; i < num; i++) {
        if (!fill_slot(g, i, &f->slots[i]))
            return false;
    }
    return true;
}

static bool sort_groups(struct grouper *g)
{
    struct orma_exec_expr *exprs = orma_large_zeroed(g->keys_num + 1, sizeof(*exprs));
    struct orma_exec_key *keys = orma_large_zeroed(g->keys_num + 1, sizeof(*keys));
    uint32_t *perm = NULL;
    bool ok = (exprs && keys) || orma_exec_give_up(g->plan, "memory");

    for (unsigned i = 0; ok && i < g->keys_num; i++) {
        exprs[i] = (struct orma_exec_expr){.op = ORMA_EXEC_SLOT, .slot.at = i};
        keys[i] = g->q->groups.data[i];
        keys[i].expr = &exprs[i];
    }
    ok = ok && orma_exec_run_sort(g->plan, g->q, keys, g->keys_num, UINT32_MAX, &perm);
    if (perm)
        orma_exec_run_permute(g->q, perm, g->groups);
    orma_large_free(exprs);
    orma_large_free(keys);
    return ok;
}

/* HAVING. */
static bool drop_groups(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    uint32_t picked[EXEC_BLOCK];
    bool ok = place || orma_exec_give_up(plan, "memory");

    for (uint32_t i = 0; ok && i < q->having.len; i++) {
        uint32_t *perm = orma_large_alloc(((size_t)q->frame.rows + 1) * sizeof(*perm)), kept = 0;

        ok = perm || orma_exec_give_up(plan, "memory");
        for (uint32_t at = 0; ok && at < q->frame.rows; at += EXEC_BLOCK) {
            struct orma_exec_rows r;

            orma_exec_run_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK),
                                     place, &r);
            int num = orma_exec_run_filter(plan, q->having.data[i], &r, picked);
            ok = num >= 0;
            for (int k = 0; k < num; k++)
                perm[kept++] = at + picked[k];
        }
        if (ok)
            orma_exec_run_permute(q, perm, kept);
        else
            orma_large_free(perm);
    }
    free(place);
    return ok;
}

/* Rows in an order that shows: collected first, then folded. */
static bool fold_frame(struct grouper *g)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    bool ok = place ? orma_exec_run_collect(g->plan, g->q) : orma_exec_give_up(g->plan, "memory");
    uint32_t rows = g->q->frame.rows;

    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;

        orma_exec_run_frame_rows(g->q, at, ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = take_rows(g->plan, g->q, &r, g);
    }
    free(place);
    return ok;
}

/* Those that keep the same of the same values. */
static bool is_same(const struct orma_exec_agg *a, const struct orma_exec_agg *b)
{
    const bool sums = (a->func == EXEC_SUM || a->func == EXEC_TOTAL || a->func == EXEC_AVG) &&
                      (b->func == EXEC_SUM || b->func == EXEC_TOTAL || b->func == EXEC_AVG);

    return (sums || (a->func == EXEC_PERCENTILE && b->func == EXEC_PERCENTILE)) && !a->distinct &&
           !b->distinct && orma_exec_same_expr(a->arg, b->arg);
}

static bool init(struct grouper *g, struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    *g = (struct grouper){.plan = plan, .q = q, .keys_num = q->groups.len};
    g->in_order = q->sources_num == 1 || !q->any_order;
    g->coders = orma_large_zeroed(g->keys_num + 1, sizeof(*g->coders));
    g->keys = orma_large_zeroed(g->keys_num + 1, sizeof(*g->keys));
    g->aggs = orma_large_zeroed(q->aggs.len + 1, sizeof(*g->aggs));
    g->vec = orma_exec_take_vec(plan);
    if (!g->coders || !g->keys || !g->aggs || !g->vec)
        return orma_exec_give_up(plan, "memory");
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        enum orma_exec_func func = q->aggs.data[i].func;

        g->aggs[i].def = &q->aggs.data[i];
        g->aggs[i].same = i;
        for (uint32_t k = 0; k < i && g->aggs[i].same == i; k++) {
            if (is_same(&q->aggs.data[k], &q->aggs.data[i]))
                g->aggs[i].same = k;
        }
        if (func == EXEC_BARE)
            g->has_bare = true;
        else if (func == EXEC_MIN || func == EXEC_MAX)
            g->best = &g->aggs[i];
    }
    g->picks = g->has_bare ? g->best : NULL;
    for (unsigned i = 0; i < g->keys_num; i++)
        g->coders[i].plan = plan;
    for (uint32_t i = 0; i < q->aggs.len; i++)
        g->aggs[i].set.plan = plan;
    g->coders[0].direct_max = DIRECT_MAX;
    for (unsigned i = 0; i < q->sources_num; i++) {
        const struct orma_exec_source *src = q->sources[i];
        uint32_t rows = src->table ? src->table->rows : src->query->frame.rows;

        g->coders[0].direct_max = ORMA_MAX(g->coders[0].direct_max, ORMA_MIN(rows, UINT32_MAX / 4));
    }
    if (!reserve(g, 16))
        return false;
    g->groups = !g->keys_num;
    return true;
}

static void fini(struct grouper *g)
{
    for (unsigned i = 0; i < g->keys_num && g->coders && g->keys; i++) {
        orma_large_free(g->coders[i].slots);
        orma_large_free(g->coders[i].direct);
        orma_large_free(g->keys[i]);
    }
    for (uint32_t i = 0; i < g->q->aggs.len && g->aggs; i++) {
        orma_large_free(g->aggs[i].accs);
        orma_large_free(g->aggs[i].reals);
        orma_large_free(g->aggs[i].bests);
        orma_large_free(g->aggs[i].set.slots);
        orma_exec_run_values_fini(&g->aggs[i].vals);
    }
    orma_large_free(g->coders);
    orma_large_free(g->keys);
    orma_large_free(g->aggs);
    orma_exec_give_vec(g->plan, g->vec);
}

bool orma_exec_run_group(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct grouper g;
    bool ok = init(&g, plan, q);

    if (ok)
        ok = q->any_order || !q->by_loops.len ? orma_exec_run_scan(plan, q, take_rows, &g)
                                              : fold_frame(&g);
    ok = ok && make_frame(&g) && (!g.keys_num || q->appearing || sort_groups(&g));
    fini(&g);
    return ok && (!q->having.len || drop_groups(plan, q));
}
