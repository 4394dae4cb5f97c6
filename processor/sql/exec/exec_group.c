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
#include "processor/sql/exec/exec_plan.h"

#define NO_CODE UINT32_MAX
#define DIRECT_MAX (1u << 20) /* or as many as there are rows */

struct code_slot {
    int64_t bits;
    uint32_t before, code; /* code NO_CODE: free */
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
    struct orma_kbn real;
    bool is_real;
    struct orma_exec_value best;
};

struct agg {
    const struct orma_exec_agg *def;
    struct acc *accs;
    struct coder set; /* of distinct values */
    struct orma_exec_values vals;
    uint32_t same; /* which has its values; mostly itself */
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
    bool in_order; /* rows come as SQLite has them */
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

    c->slots = malloc((size_t)num * sizeof(*c->slots));
    if (!c->slots) {
        c->slots = old;
        return false;
    }
    for (uint32_t i = 0; i < num; i++)
        c->slots[i].code = NO_CODE;
    c->mask = num - 1;
    for (uint32_t i = 0; i < old_num; i++) {
        if (!(i % EXEC_LOOK) && orma_exec_should_stop(c->plan))
            break; /* what is missing is not missed */
        if (old[i].code == NO_CODE)
            continue;
        uint32_t at = place_of(c, old[i].before, old[i].tag, old[i].bits);
        while (c->slots[at].code != NO_CODE)
            at = (at + 1) & c->mask;
        c->slots[at] = old[i];
    }
    free(old);
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
    for (; c->slots[at].code != NO_CODE; at = (at + 1) & c->mask) {
        struct code_slot *s = &c->slots[at];

        if (s->bits == bits && s->before == before && s->tag == tag)
            return s->code;
    }
    uint32_t code = c->next++;
    c->slots[at] = (struct code_slot){bits, before, code, tag};
    if (c->next > c->mask / 2 && (c->mask > UINT32_MAX / 4 || !resize(c, 2 * (c->mask + 1))))
        return NO_CODE;
    return code;
}

static bool grow_direct(struct coder *c, uint32_t need)
{
    uint32_t num = ORMA_MAX(c->direct_num, 1024u);

    while (num < need)
        num *= 2;
    uint32_t *grown = realloc(c->direct, num * sizeof(*grown));
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

    if (!orma_exec_eval(g->plan, g->q->groups.data[key].expr, rows, g->vec) ||
        !check_types(g, c, v, rows->num))
        return false;
    uint32_t bad = 0;
    if (!key) {
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

static bool reserve(struct grouper *g, uint32_t num)
{
    uint32_t cap = ORMA_MAX(g->cap, 16u);

    if (num <= g->cap)
        return true;
    while (cap < num)
        cap *= 2;
    for (unsigned k = 0; k < g->keys_num; k++) {
        struct orma_exec_value *keys = realloc(g->keys[k], (size_t)cap * sizeof(*keys));

        if (!keys)
            return orma_exec_give_up(g->plan, "memory");
        g->keys[k] = keys;
    }
    for (uint32_t a = 0; a < g->q->aggs.len; a++) {
        struct acc *accs = realloc(g->aggs[a].accs, (size_t)cap * sizeof(*accs));

        if (!accs)
            return orma_exec_give_up(g->plan, "memory");
        memset(accs + g->cap, 0, (cap - g->cap) * sizeof(*accs));
        for (uint32_t i = g->cap; i < cap; i++)
            accs[i].best.tag = EXEC_NULL;
        g->aggs[a].accs = accs;
    }
    g->cap = cap;
    return true;
}

/* Keys of groups that are new in this block, whose rows are `firsts`. */
static bool keep_keys(struct grouper *g, const struct orma_exec_rows *rows, const uint32_t *firsts,
                      uint32_t num)
{
    for (unsigned k = 0; k < g->keys_num; k++) {
        if (g->keys_num > 1 && !orma_exec_eval(g->plan, g->q->groups.data[k].expr, rows, g->vec))
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

static bool add_real(struct grouper *g, struct acc *a, double d)
{
    if (!g->in_order)
        return orma_exec_give_up(g->plan, "doubles whose order is open");
    if (!a->is_real) {
        a->is_real = true;
        add_whole(&a->real, a->whole);
    }
    a->count++;
    orma_kbn_add(&a->real, d);
    return true;
}

static bool add_one(struct grouper *g, struct acc *a, uint8_t tag, int64_t bits)
{
    switch (tag) {
    case EXEC_NULL:
        return true;
    case EXEC_REAL:
        return add_real(g, a, orma_exec_double(bits));
    case EXEC_TEXT:
        return orma_exec_give_up(g->plan, "the sum of a text");
    }
    a->count++;
    if (a->is_real)
        add_whole(&a->real, bits);
    else if (__builtin_add_overflow(a->whole, bits, &a->whole))
        return orma_exec_give_up(g->plan, "a sum that overflows");
    return true;
}

static bool fold_sum(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                     const uint32_t *codes, uint32_t num)
{
    bool bad = false, plain = !v->tagged && v->tag == EXEC_INT;

    if (!plain) {
        for (uint32_t i = 0; i < num; i++) {
            if (!add_one(g, &a->accs[codes ? codes[i] : 0], orma_exec_tag_at(v, i), v->vals[i]))
                return false;
        }
        return true;
    }
    if (!codes && !a->accs[0].is_real) {
        int64_t sum = a->accs[0].whole;

        for (uint32_t i = 0; i < num; i++)
            bad |= __builtin_add_overflow(sum, v->vals[i], &sum);
        a->accs[0].whole = sum;
        a->accs[0].count += num;
        return !bad || orma_exec_give_up(g->plan, "a sum that overflows");
    }
    for (uint32_t i = 0; i < num; i++) {
        if (!add_one(g, &a->accs[codes ? codes[i] : 0], EXEC_INT, v->vals[i]))
            return false;
    }
    return true;
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
static void pick_row(struct grouper *g, const struct acc *acc, int sign, struct orma_exec_value x,
                     uint32_t i)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;

    g->picked[i] = acc->best.tag == EXEC_NULL ||
                   (x.tag != EXEC_NULL && orma_exec_compare(pool, acc->best, x) * sign > 0);
}

static void fold_bare(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                      const uint32_t *codes, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        struct acc *acc = &a->accs[codes ? codes[i] : 0];

        if (g->picks ? g->picked[i] : !acc->count)
            acc->best = (struct orma_exec_value){orma_exec_tag_at(v, i), v->vals[i]};
        acc->count = 1;
    }
}

static bool fold_best(struct grouper *g, struct agg *a, const struct orma_exec_vec *v,
                      const uint32_t *codes, uint32_t num)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;
    int sign = a->def->func == EXEC_MIN ? 1 : -1;

    for (uint32_t i = 0; i < num; i++) {
        struct acc *acc = &a->accs[codes ? codes[i] : 0];
        struct orma_exec_value x = {orma_exec_tag_at(v, i), v->vals[i]};

        if (g->picks == a)
            pick_row(g, acc, sign, x, i);
        if (x.tag == EXEC_NULL)
            continue;
        if (ORMA_LIKELY(x.tag == EXEC_INT && acc->best.tag == EXEC_INT)) {
            if (sign > 0 ? x.bits < acc->best.bits : x.bits > acc->best.bits)
                acc->best.bits = x.bits;
            continue;
        }
        int cmp = acc->best.tag == EXEC_NULL ? sign : orma_exec_compare(pool, acc->best, x);
        if (cmp * sign > 0)
            acc->best = x;
        else if (!cmp && x.tag != acc->best.tag && !g->in_order) /* the first counts */
            return orma_exec_give_up(g->plan, "values of several types whose order is open");
    }
    return true;
}

static bool fold(struct grouper *g, struct agg *a, const struct orma_exec_rows *rows,
                 const uint32_t *codes)
{
    if (a->def->arg && !orma_exec_eval(g->plan, a->def->arg, rows, g->vec))
        return false;
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
        return a != &g->aggs[a->same] ||
               orma_exec_values_add(g->plan, &a->vals, g->vec, codes, rows->num);
    case EXEC_BARE:
        fold_bare(g, a, g->vec, codes, rows->num);
        return true;
    default:
        return fold_sum(g, a, g->vec, codes, rows->num);
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
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        if (!fold(g, &g->aggs[i], rows, g->keys_num ? codes : NULL))
            return false;
    }
    return true;
}

/* ---- results ---- */

static double real_of(const struct acc *a)
{
    return a->is_real ? orma_kbn_value(&a->real) : (double)a->whole;
}

static struct orma_exec_value of_double(double d)
{
    if (d != d)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){EXEC_REAL, orma_exec_bits(d)};
}

static struct orma_exec_value result_of(const struct orma_exec_agg *def, const struct acc *a)
{
    const struct orma_exec_value null = {EXEC_NULL, 0};

    switch (def->func) {
    case EXEC_COUNT_ALL:
    case EXEC_COUNT:
        return (struct orma_exec_value){EXEC_INT, a->count};
    case EXEC_SUM:
        if (!a->count)
            return null;
        return a->is_real ? of_double(real_of(a)) : (struct orma_exec_value){EXEC_INT, a->whole};
    case EXEC_TOTAL:
        return of_double(real_of(a));
    case EXEC_AVG:
        return a->count ? of_double(real_of(a) / (double)a->count) : null;
    default:
        return a->best;
    }
}

static struct orma_exec_value value_of(struct grouper *g, unsigned at, uint32_t group)
{
    if (at < g->keys_num)
        return g->keys[at][group];
    const struct agg *a = &g->aggs[at - g->keys_num];
    if (a->def->func == EXEC_PERCENTILE)
        return orma_exec_values_at(g->plan, &g->aggs[a->same].vals, group, a->def->fraction,
                                   a->def->exact);
    return result_of(a->def, &a->accs[group]);
}

static bool fill_slot(struct grouper *g, unsigned at, struct orma_exec_slot *s)
{
    s->vals = malloc(((size_t)g->groups + 1) * sizeof(*s->vals));
    s->tags = malloc((size_t)g->groups + 1);
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
            !orma_exec_values_deal(g->plan, &a->vals, g->groups))
            return false;
    }
    orma_exec_frame_fini(f);
    f->slots = calloc(num + 1, sizeof(*f->slots));
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
    struct orma_exec_expr *exprs = calloc(g->keys_num + 1, sizeof(*exprs));
    struct orma_exec_key *keys = calloc(g->keys_num + 1, sizeof(*keys));
    uint32_t *perm = NULL;
    bool ok = (exprs && keys) || orma_exec_give_up(g->plan, "memory");

    for (unsigned i = 0; ok && i < g->keys_num; i++) {
        exprs[i] = (struct orma_exec_expr){.op = ORMA_EXEC_SLOT, .col = i};
        keys[i] = g->q->groups.data[i];
        keys[i].expr = &exprs[i];
    }
    ok = ok && orma_exec_sort(g->plan, g->q, keys, g->keys_num, UINT32_MAX, &perm);
    if (perm)
        orma_exec_permute(g->q, perm, g->groups);
    free(exprs);
    free(keys);
    return ok;
}

/* HAVING. */
static bool drop_groups(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    uint32_t picked[EXEC_BLOCK];
    bool ok = place || orma_exec_give_up(plan, "memory");

    for (uint32_t i = 0; ok && i < q->having.len; i++) {
        uint32_t *perm = malloc(((size_t)q->frame.rows + 1) * sizeof(*perm)), kept = 0;

        ok = perm || orma_exec_give_up(plan, "memory");
        for (uint32_t at = 0; ok && at < q->frame.rows; at += EXEC_BLOCK) {
            struct orma_exec_rows r;

            orma_exec_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK), place,
                                 &r);
            int num = orma_exec_select(plan, q->having.data[i], &r, picked);
            ok = num >= 0;
            for (int k = 0; k < num; k++)
                perm[kept++] = at + picked[k];
        }
        if (ok)
            orma_exec_permute(q, perm, kept);
        else
            free(perm);
    }
    free(place);
    return ok;
}

/* Rows in an order that shows: collected first, then folded. */
static bool fold_frame(struct grouper *g)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    bool ok = place ? orma_exec_collect(g->plan, g->q) : orma_exec_give_up(g->plan, "memory");
    uint32_t rows = g->q->frame.rows;

    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;

        orma_exec_frame_rows(g->q, at, ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = take_rows(g->plan, g->q, &r, g);
    }
    free(place);
    return ok;
}

static bool init(struct grouper *g, struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    *g = (struct grouper){.plan = plan, .q = q, .keys_num = q->groups.len};
    g->in_order = q->sources_num == 1 || !q->any_order;
    g->coders = calloc(g->keys_num + 1, sizeof(*g->coders));
    g->keys = calloc(g->keys_num + 1, sizeof(*g->keys));
    g->aggs = calloc(q->aggs.len + 1, sizeof(*g->aggs));
    g->vec = orma_exec_take_vec(plan);
    if (!g->coders || !g->keys || !g->aggs || !g->vec)
        return orma_exec_give_up(plan, "memory");
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        enum orma_exec_func func = q->aggs.data[i].func;

        g->aggs[i].def = &q->aggs.data[i];
        g->aggs[i].same = i;
        for (uint32_t k = 0; func == EXEC_PERCENTILE && k < i && g->aggs[i].same == i; k++) {
            if (q->aggs.data[k].func == func &&
                orma_exec_same_expr(q->aggs.data[k].arg, q->aggs.data[i].arg))
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
        free(g->coders[i].slots);
        free(g->coders[i].direct);
        free(g->keys[i]);
    }
    for (uint32_t i = 0; i < g->q->aggs.len && g->aggs; i++) {
        free(g->aggs[i].accs);
        free(g->aggs[i].set.slots);
        orma_exec_values_fini(&g->aggs[i].vals);
    }
    free(g->coders);
    free(g->keys);
    free(g->aggs);
    orma_exec_give_vec(g->plan, g->vec);
}

bool orma_exec_group(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct grouper g;
    bool ok = init(&g, plan, q);

    if (ok)
        ok = q->any_order || !q->by_loops.len ? orma_exec_scan(plan, q, take_rows, &g)
                                              : fold_frame(&g);
    ok = ok && make_frame(&g) && (!g.keys_num || sort_groups(&g));
    fini(&g);
    return ok && (!q->having.len || drop_groups(plan, q));
}
