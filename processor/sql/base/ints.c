#include "processor/sql/base/ints.h"

#include <stdlib.h>

void orma_ints_fini(struct orma_ints *self)
{
    free(self->data);
    *self = (struct orma_ints){0};
}

bool orma_ints_grow(struct orma_ints *self)
{
    size_t cap = self->cap ? 2 * self->cap : 64;
    int64_t *grown = self->failed ? NULL : realloc(self->data, cap * sizeof(*grown));

    if (!grown) {
        self->failed = true;
        return false;
    }
    self->data = grown;
    self->cap = cap;
    return true;
}
