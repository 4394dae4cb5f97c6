/* What lies at a fraction of sorted values: one of them, or between two. */
#ifndef ORMA_PROCESSOR_SQL_BASE_PERCENTILE_H
#define ORMA_PROCESSOR_SQL_BASE_PERCENTILE_H
#include <stddef.h>

/* The place of the lower one among `num` values. */
static inline size_t orma_percentile_place(size_t num, double fraction)
{
    return (size_t)(fraction * (double)(num - 1));
}

static inline double orma_percentile_between(size_t num, double fraction, double low, double high)
{
    double at = fraction * (double)(num - 1);

    return low + (high - low) * (at - (double)(size_t)at);
}
#endif
