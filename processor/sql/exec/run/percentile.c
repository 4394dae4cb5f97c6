/*
 * percentile(), median() and the like: all values, dealt out to their groups at the end, where the
 * one that is asked for is looked for without sorting the others.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "processor/sql/base/percentile.h"
#include "processor/sql/exec/run/run.h"
#include "sdk/base/vec.h"

void orma_exec_run_values_fini(struct orma_exec_values *self)
{
    orma_large_free(self->vals);
    orma_large_free(self->groups);
    orma_large_free(self->starts);
    *self = (struct orma_exec_values){0};
}

bool orma_exec_run_values_add(struct orma_exec_plan *plan, struct orma_exec_values *self,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    if (ORMA_GROW(&self->vals, &self->vals_cap, self->num + num) ||
        ORMA_GROW(&self->groups, &self->groups_cap, self->num + num))
        return orma_exec_give_up(plan, "out of memory");
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);
        double d = tag == EXEC_REAL ? orma_exec_double(v->vals[i]) : (double)v->vals[i];

        if (tag == EXEC_NULL)
            continue;
        if (tag == EXEC_TEXT || isinf(d))
            return orma_exec_give_up(plan, "a percentile of a value that is not a number");
        if (tag == EXEC_REAL && v->vals[i] == INT64_MIN)
            return orma_exec_give_up(plan, "a value of -0.0");
        self->vals[self->num] = d;
        self->groups[self->num++] = codes ? codes[i] : 0;
    }
    return true;
}

bool orma_exec_run_values_deal(struct orma_exec_plan *plan, struct orma_exec_values *self,
                               uint32_t groups)
{
    double *vals = orma_large_alloc((self->num + 1) * sizeof(*vals));
    size_t sum = 0;

    self->starts = orma_large_zeroed((size_t)groups + 1, sizeof(*self->starts));
    if (!vals || !self->starts) {
        orma_large_free(vals);
        return orma_exec_give_up(plan, "out of memory");
    }
    for (size_t i = 0; i < self->num; i++)
        self->starts[self->groups[i]]++;
    for (uint32_t g = 0; g <= groups; g++) {
        size_t n = self->starts[g];

        self->starts[g] = sum;
        sum += n;
    }
    for (size_t i = 0; i < self->num; i++) {
        vals[self->starts[self->groups[i]]++] = self->vals[i];
        if (!(i % EXEC_LOOK) && orma_exec_should_stop(plan))
            break;
    }
    for (uint32_t g = groups; g > 0; g--) /* each went on to where the next begins */
        self->starts[g] = self->starts[g - 1];
    self->starts[0] = 0;
    orma_large_free(self->vals);
    orma_large_free(self->groups);
    self->vals = vals;
    self->groups = NULL;
    return !plan->why;
}

/* The k-th smallest; those before it are no larger, those behind it no smaller. Where to cut is
 * drawn, so that no order of values makes it slow. */
static double pick(struct orma_exec_plan *plan, double *v, size_t num, size_t k)
{
    ptrdiff_t lo = 0, hi = (ptrdiff_t)num - 1, at = (ptrdiff_t)k;
    uint64_t seed = num;

    while (lo < hi && !(hi - lo > EXEC_LOOK && orma_exec_should_stop(plan))) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double pivot = v[lo + (ptrdiff_t)((seed >> 32) % (uint64_t)(hi - lo + 1))];
        ptrdiff_t i = lo, j = hi;

        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i > j)
                break;
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (at <= j)
            hi = j;
        else if (at >= i)
            lo = i;
        else
            break; /* between them all are equal */
    }
    return v[k];
}

struct orma_exec_value orma_exec_run_values_at(struct orma_exec_plan *plan,
                                               struct orma_exec_values *self, uint32_t group,
                                               double fraction, bool exact)
{
    double *v = self->vals + self->starts[group];
    size_t num = self->starts[group + 1] - self->starts[group];

    if (!num)
        return (struct orma_exec_value){EXEC_NULL, 0};
    size_t at = orma_percentile_place(num, fraction);
    double low = pick(plan, v, num, at), high = low;
    for (size_t i = at + 1; i < num; i++)
        high = i == at + 1 || v[i] < high ? v[i] : high;
    double d = exact ? low : orma_percentile_between(num, fraction, low, high);
    if (d != d)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){EXEC_REAL, orma_exec_bits(d)};
}
