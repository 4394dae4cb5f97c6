#include "sdk/base/idset.h"

#include "sdk/base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BITS_SIZE (ORMA_SOURCE_IDSET_MAX / 8)

int orma_source_idset_init(struct orma_source_idset *self)
{
    void *bits = mmap(NULL, BITS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *self = (struct orma_source_idset){0};
    if (bits == MAP_FAILED)
        return -ENOMEM;
    self->bits = bits;
    return 0;
}

void orma_source_idset_fini(struct orma_source_idset *self)
{
    if (self->bits)
        (void)munmap(self->bits, BITS_SIZE); /* cannot fail on our own mapping */
    free(self->fresh);
    *self = (struct orma_source_idset){0};
}

ORMA_COLD void orma_source_idset_add_slow(struct orma_source_idset *self, uint32_t id)
{
    ORMA_ASSERT_HOT(self->bits && id < ORMA_SOURCE_IDSET_MAX);
    if (ORMA_GROW(&self->fresh, &self->fresh_cap, self->fresh_num + (size_t)1))
        return; /* not marked as seen: the next event tries again */
    self->bits[id >> 6] |= (uint64_t)1 << (id & 63);
    self->fresh[self->fresh_num++] = id;
}

void orma_source_idset_remove(struct orma_source_idset *self, uint32_t id)
{
    if (self->bits && id < ORMA_SOURCE_IDSET_MAX)
        self->bits[id >> 6] &= ~((uint64_t)1 << (id & 63));
}
