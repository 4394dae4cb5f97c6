/*
 * Two shares are compared by z = (a/A - b/B) / sqrt(p (1-p) (1/A + 1/B)), p = (a+b)/(A+B). Among
 * hundreds of functions some differ by chance: p-values are sorted, and those up to the last one
 * that is at most (rank / number) * 5 % are called changed (Benjamini and Hochberg).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

#define SAMPLES_MIN 5 /* of both: fewer say nothing */
#define FALSE_RATE 0.05

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

static void judge(struct orma_stacks_change *row, double a, double b)
{
    double p = (double)(row->before + row->after) / (a + b);
    double spread = sqrt(p * (1 - p) * (1 / a + 1 / b));

    row->share_before = (double)row->before / a;
    row->share_after = (double)row->after / b;
    row->z = spread > 0 ? (row->share_after - row->share_before) / spread : 0;
}

static int by_z(const void *a, const void *b)
{
    double x = fabs(((const struct orma_stacks_change *)a)->z),
           y = fabs(((const struct orma_stacks_change *)b)->z);

    return x > y ? -1 : x < y;
}

static int by_change(const void *a, const void *b)
{
    const struct orma_stacks_change *x = a, *y = b;
    double dx = fabs(x->share_after - x->share_before), dy = fabs(y->share_after - y->share_before);

    if (x->significant != y->significant)
        return x->significant ? -1 : 1;
    return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

static void mark(struct orma_stacks_change *rows, size_t num)
{
    size_t tested = 0, last = 0, rank = 0;

    for (size_t i = 0; i < num; i++)
        tested += rows[i].before + rows[i].after >= SAMPLES_MIN;
    for (size_t i = 0; i < num; i++) {
        if (rows[i].before + rows[i].after < SAMPLES_MIN)
            continue;
        rank++;
        if (erfc(fabs(rows[i].z) / sqrt(2)) <= FALSE_RATE * (double)rank / (double)tested)
            last = i + 1;
    }
    for (size_t i = 0; i < last; i++)
        rows[i].significant = rows[i].before + rows[i].after >= SAMPLES_MIN;
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
    for (size_t i = 0; i < num; i++)
        judge(&rows[i], (double)before->weight, (double)after->weight);
    qsort(rows, num, sizeof(*rows), by_z);
    mark(rows, num);
    qsort(rows, num, sizeof(*rows), by_change);
}
