/* A sum of doubles that minds what is rounded away; zeroed is 0. */
#ifndef ORMA_PROCESSOR_SQL_BASE_KBN_H
#define ORMA_PROCESSOR_SQL_BASE_KBN_H
#include <math.h>
#include <stdint.h>

struct orma_kbn {
    double sum, lost;
};

static inline void orma_kbn_add(struct orma_kbn *self, double val)
{
    double sum = self->sum + val;

    self->lost += fabs(self->sum) > fabs(val) ? (self->sum - sum) + val : (val - sum) + self->sum;
    self->sum = sum;
}

static inline double orma_kbn_value(const struct orma_kbn *self)
{
    return isfinite(self->lost) ? self->sum + self->lost : self->sum;
}

/* An integer, in parts that doubles hold exactly; `sign` is 1, or -1 to take it away. */
static inline void orma_kbn_add_int(struct orma_kbn *self, int64_t val, double sign)
{
    int64_t low = val % 16384;

    if (val > -(INT64_C(1) << 52) && val < INT64_C(1) << 52) {
        orma_kbn_add(self, sign * (double)val);
        return;
    }
    orma_kbn_add(self, sign * (double)(val - low));
    orma_kbn_add(self, sign * (double)low);
}
#endif
