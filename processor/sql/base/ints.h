/* A growing array of 64-bit numbers. Failure is sticky. */
#ifndef ORMA_PROCESSOR_SQL_BASE_INTS_H
#define ORMA_PROCESSOR_SQL_BASE_INTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_ints {
    int64_t *data;
    size_t len, cap;
    bool failed;
};

void orma_ints_fini(struct orma_ints *self);
bool orma_ints_grow(struct orma_ints *self);

static inline void orma_ints_add(struct orma_ints *self, int64_t val)
{
    if (self->len == self->cap && !orma_ints_grow(self))
        return;
    self->data[self->len++] = val;
}
#endif
