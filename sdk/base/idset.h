/*
 * Set of small numbers (process ids) with the list of those that are new: the
 * hot loop tests it once per event, and mostly finds the id there.
 *
 * A bit per number below ORMA_SOURCE_IDSET_MAX, allocated as touched. Numbers outside
 * are ignored: Linux gives none. Threads: none.
 */
#ifndef ORMA_SDK_BASE_IDSET_H
#define ORMA_SDK_BASE_IDSET_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/defs.h"

#define ORMA_SOURCE_IDSET_MAX (1u << 22) /* PID_MAX_LIMIT of 64-bit kernels */

struct orma_source_idset {
    uint64_t *bits; /* NULL: everything counts as seen, nothing is listed */
    uint32_t *fresh;
    uint32_t fresh_num, fresh_cap;
};

/* -ENOMEM. Zero-initialised is a set that ignores everything. */
int orma_source_idset_init(struct orma_source_idset *self);
void orma_source_idset_fini(struct orma_source_idset *self);
void orma_source_idset_add_slow(struct orma_source_idset *self, uint32_t id);
void orma_source_idset_remove(struct orma_source_idset *self, uint32_t id);

static inline void orma_source_idset_add(struct orma_source_idset *self, uint32_t id)
{
    if (!self->bits || id >= ORMA_SOURCE_IDSET_MAX ||
        ORMA_LIKELY(self->bits[id >> 6] >> (id & 63) & 1))
        return;
    orma_source_idset_add_slow(self, id);
}
#endif
