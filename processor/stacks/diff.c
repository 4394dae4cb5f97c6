/*
 * Of n samples that stand for a time T each: amounts are compared by z = (aT - bU) / sqrt(aT^2 +
 * bU^2), shares by z = (a/A - b/B) / sqrt(p (1-p) (1/A + 1/B)), p = (a+b)/(A+B). Among hundreds of
 * functions some differ by chance: p-values are sorted, and those up to the last one that is at
 * most (rank / number) * 2.5 % are called changed (Benjamini and Hochberg), for either kind of
 * test.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

#define SAMPLES_MIN 5    /* of both: fewer say nothing */
#define FALSE_RATE 0.025 /* of each kind of test */
#define NORMAL_95 1.96

static uint64_t hash_of(const char *a, const char *b)
{
    uint64_t ret = orma_fnv1a(ORMA_FNV1A_BASIS, a, strlen(a) + 1);

    return orma_mix64(orma_fnv1a(ret, b, strlen(b)));
}

static struct orma_stacks_change *rows_of(struct orma_buf *buf)
{
    return (struct orma_stacks_change *)(void *)buf->data;
}

/* The row of a function that both may have; a new one if there is none. */
static struct orma_stacks_change *row_of(struct orma_map *by_name, struct orma_buf *ret,
                                         const char *name, const char *module)
{
    const struct orma_stacks_change new = {.name = name, .module = module};
    uint64_t key = hash_of(name, module), at = orma_map_get(by_name, key);

    if (at != ORMA_MAP_NONE)
        return &rows_of(ret)[at];
    at = ret->len / sizeof(new);
    orma_buf_put(ret, &new, sizeof(new));
    if (ret->failed || orma_map_put(by_name, key, at) < 0)
        return NULL;
    return &rows_of(ret)[at];
}

static void add_all(const struct orma_stacks *from, bool after, struct orma_map *by_name,
                    struct orma_buf *ret)
{
    const struct orma_stacks_function *f = orma_stacks_functions(from);

    for (size_t i = 0; i < orma_stacks_functions_num(from); i++) {
        if (!f[i].self)
            continue;
        struct orma_stacks_change *row = row_of(by_name, ret, orma_stacks_text(from, f[i].name),
                                                orma_stacks_text(from, f[i].module));
        if (!row) {
            ret->failed = true;
            return;
        }
        *(after ? &row->after : &row->before) += f[i].self;
    }
}

/* What is in one only, and under the same name in another module of the other one only, has moved.
 */
static void join_moved(struct orma_buf *ret)
{
    struct orma_stacks_change *rows = rows_of(ret);
    size_t num = ret->len / sizeof(*rows);
    struct orma_map gone = {0};

    for (size_t i = 0; i < num; i++) {
        if (rows[i].before && !rows[i].after)
            (void)orma_map_put(&gone, hash_of(rows[i].name, ""), i); /* else they stay apart */
    }
    for (size_t i = 0; i < num; i++) {
        uint64_t at =
            rows[i].before ? ORMA_MAP_NONE : orma_map_take(&gone, hash_of(rows[i].name, ""));

        if (at == ORMA_MAP_NONE)
            continue;
        rows[i].before = rows[at].before;
        rows[at].before = 0;
    }
    orma_map_fini(&gone);
}

/* How a weight is counted. */
struct scale {
    double all;    /* the weight of all functions */
    double unit;   /* of an amount, that a weight of 1 stands for */
    double by_one; /* weight of a sample; 0: weights are no counts of samples */
};

static struct scale scale_of(const struct orma_stacks *s, bool periods)
{
    struct scale ret = {.all = (double)s->weight, .unit = periods ? (double)s->period_ns : 1};

    if (s->kind == ORMA_STACKS_SAMPLES && s->samples && !s->sums && !s->timed)
        ret.by_one = ret.all / (double)s->samples;
    return ret;
}

static void judge(struct orma_stacks_change *row, const struct scale *a, const struct scale *b,
                  bool amounts)
{
    double before = (double)row->before, after = (double)row->after;

    row->amount_before = before * a->unit;
    row->amount_after = after * b->unit;
    row->share_before = before / a->all;
    row->share_after = after / b->all;
    row->error = NAN;
    if (!(a->by_one > 0) || !(b->by_one > 0))
        return;
    double p = (before / a->by_one + after / b->by_one) / (a->all / a->by_one + b->all / b->by_one);
    double spread = sqrt(p * (1 - p) * (a->by_one / a->all + b->by_one / b->all));
    row->z_share = spread > 0 ? (row->share_after - row->share_before) / spread : 0;
    row->verdict = ORMA_STACKS_CHANCE;
    if (!amounts)
        return;
    spread = sqrt(before * a->by_one * a->unit * a->unit + after * b->by_one * b->unit * b->unit);
    row->z_amount = spread > 0 ? (row->amount_after - row->amount_before) / spread : 0;
    row->error = NORMAL_95 * spread;
}

static int compare(double x, double y)
{
    return x > y ? -1 : x < y;
}

static int by_z_amount(const void *a, const void *b)
{
    const struct orma_stacks_change *x = a, *y = b;

    return compare(fabs(x->z_amount), fabs(y->z_amount));
}

static int by_z_share(const void *a, const void *b)
{
    const struct orma_stacks_change *x = a, *y = b;

    return compare(fabs(x->z_share), fabs(y->z_share));
}

static int by_change(const void *a, const void *b)
{
    const struct orma_stacks_change *x = a, *y = b;
    int r = (int)y->verdict - (int)x->verdict;

    if (r == 0 && x->verdict == ORMA_STACKS_SHARE)
        r = compare(fabs(x->share_after - x->share_before), fabs(y->share_after - y->share_before));
    if (r == 0)
        r = compare(fabs(x->amount_after - x->amount_before),
                    fabs(y->amount_after - y->amount_before));
    return r ? r : strcmp(x->name, y->name);
}

/* `rows` are sorted by the z of this test. */
static void mark(struct orma_stacks_change *rows, size_t num, enum orma_stacks_verdict verdict)
{
    size_t tested = 0, last = 0, rank = 0;

    for (size_t i = 0; i < num; i++)
        tested += rows[i].before + rows[i].after >= SAMPLES_MIN;
    for (size_t i = 0; i < num; i++) {
        double z = verdict == ORMA_STACKS_AMOUNT ? rows[i].z_amount : rows[i].z_share;

        if (rows[i].before + rows[i].after < SAMPLES_MIN)
            continue;
        rank++;
        if (erfc(fabs(z) / sqrt(2)) <= FALSE_RATE * (double)rank / (double)tested)
            last = i + 1;
    }
    for (size_t i = 0; i < last; i++) {
        if (rows[i].before + rows[i].after >= SAMPLES_MIN && rows[i].verdict < verdict)
            rows[i].verdict = verdict;
    }
}

void orma_stacks_diff(const struct orma_stacks *before, const struct orma_stacks *after,
                      struct orma_buf *ret)
{
    struct orma_map by_name = {0};

    add_all(before, false, &by_name, ret);
    add_all(after, true, &by_name, ret);
    orma_map_fini(&by_name);
    if (ret->failed || !ret->len)
        return;
    join_moved(ret);
    struct orma_stacks_change *rows = rows_of(ret);
    size_t num = 0;
    for (size_t i = 0; i < ret->len / sizeof(*rows); i++) { /* what moved away is no row */
        if (rows[i].before || rows[i].after)
            rows[num++] = rows[i];
    }
    ret->len = num * sizeof(*rows);
    bool periods = before->period_ns && after->period_ns;
    const struct scale a = scale_of(before, periods), b = scale_of(after, periods);
    for (size_t i = 0; i < num; i++)
        judge(&rows[i], &a, &b, periods || (before->event && after->event));
    if (a.by_one > 0 && b.by_one > 0) {
        qsort(rows, num, sizeof(*rows), by_z_share);
        mark(rows, num, ORMA_STACKS_SHARE);
        qsort(rows, num, sizeof(*rows), by_z_amount);
        mark(rows, num, ORMA_STACKS_AMOUNT);
    }
    qsort(rows, num, sizeof(*rows), by_change);
}
