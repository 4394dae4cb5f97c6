#include "processor/sql/base/ints.h"
#include "sdk/base/vec.h"

#include <stdlib.h>

void orma_ints_fini(struct orma_ints *self)
{
    free(self->data);
    *self = (struct orma_ints){0};
}

bool orma_ints_grow(struct orma_ints *self)
{
    self->failed |= ORMA_GROW(&self->data, &self->cap, self->len + 1) < 0;
    return !self->failed;
}
