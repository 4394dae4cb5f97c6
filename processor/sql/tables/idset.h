/*
 * A set of row numbers, for walks over tables: its size follows what was
 * visited and not the table. Failure is sticky: out of memory, `failed` is set
 * and everything counts as visited, so that walks end.
 */
#ifndef ORMA_PROCESSOR_SQL_IDSET_H
#define ORMA_PROCESSOR_SQL_IDSET_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct orma_idset {
    uint64_t *slots; /* id + 1; 0: free */
    uint32_t mask, len;
    bool failed;
};

static inline void orma_idset_fini(struct orma_idset *self)
{
    free(self->slots);
    *self = (struct orma_idset){0};
}

static inline uint32_t orma_idset_slot(const struct orma_idset *self, uint32_t id)
{
    uint32_t at = (uint32_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 32) & self->mask;

    while (self->slots[at] && self->slots[at] != (uint64_t)id + 1)
        at = (at + 1) & self->mask;
    return at;
}

static inline bool orma_idset_grow(struct orma_idset *self)
{
    struct orma_idset old = *self;
    uint32_t cap = old.slots ? 2 * (old.mask + 1) : 32;

    self->slots = cap ? calloc(cap, sizeof(*self->slots)) : NULL;
    if (!self->slots) {
        self->slots = old.slots;
        self->failed = true;
        return false;
    }
    self->mask = cap - 1;
    for (uint32_t i = 0; old.slots && i <= old.mask; i++) {
        if (old.slots[i])
            self->slots[orma_idset_slot(self, (uint32_t)(old.slots[i] - 1))] = old.slots[i];
    }
    free(old.slots);
    return true;
}

/* True if the id is new. */
static inline bool orma_idset_add(struct orma_idset *self, uint32_t id)
{
    if (self->failed || ((!self->slots || self->len > self->mask / 2) && !orma_idset_grow(self)))
        return false;
    uint32_t at = orma_idset_slot(self, id);
    if (self->slots[at])
        return false;
    self->slots[at] = (uint64_t)id + 1;
    self->len++;
    return true;
}

static inline bool orma_idset_has(const struct orma_idset *self, uint32_t id)
{
    return self->slots && self->slots[orma_idset_slot(self, id)];
}
#endif
