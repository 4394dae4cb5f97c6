#include "processor/sql/base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int compare_fn(const void *, const void *, void *);

static bool is_sorted(const char *base, size_t num, size_t size, compare_fn *compare, void *data)
{
    for (size_t i = 1; i < num; i++) {
        if (compare(base + (i - 1) * size, base + i * size, data) > 0)
            return false;
    }
    return true;
}

/* from[lo .. mid) and from[mid .. hi) become to[lo .. hi). */
static void merge(const char *from, char *to, const size_t *bounds, size_t size,
                  compare_fn *compare, void *data)
{
    size_t a = bounds[0], b = bounds[1];

    for (size_t at = bounds[0]; at < bounds[2]; at++) {
        bool left = b == bounds[2] ||
                    (a < bounds[1] && compare(from + a * size, from + b * size, data) <= 0);

        memcpy(to + at * size, from + (left ? a++ : b++) * size, size);
    }
}

int orma_sql_sort_r(struct orma_sql *sql, void *base, size_t num, size_t size, compare_fn *compare,
                    void *data)
{
    char *from = base, *to, *scratch;
    uint64_t turn = 0;
    int r = 0;

    if (num < 2 || is_sorted(base, num, size, compare, data))
        return 0;
    scratch = to = malloc(num * size);
    if (!scratch)
        return -ENOMEM;
    for (size_t run = 1; run < num && r == 0; run *= 2) {
        for (size_t lo = 0; lo < num && r == 0; lo += 2 * run) {
            const size_t bounds[3] = {lo, ORMA_MIN(lo + run, num), ORMA_MIN(lo + 2 * run, num)};

            merge(from, to, bounds, size, compare, data);
            turn += bounds[2] - lo;
            if (turn >= ORMA_INTERRUPT_STEPS) {
                turn = 0;
                r = orma_sql_is_interrupted(sql) ? -ECANCELED : 0;
            }
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (r == 0 && from != base)
        memcpy(base, from, num * size);
    free(scratch);
    return r;
}

struct plain_compare {
    int (*compare)(const void *, const void *);
};

static int compare_plainly(const void *a, const void *b, void *data)
{
    return ((const struct plain_compare *)data)->compare(a, b);
}

int orma_sql_sort(struct orma_sql *sql, void *base, size_t num, size_t size,
                  int (*compare)(const void *, const void *))
{
    struct plain_compare plain = {compare};

    return orma_sql_sort_r(sql, base, num, size, compare_plainly, &plain);
}
