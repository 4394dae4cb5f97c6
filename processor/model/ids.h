/*
 * A map from the ids that a kernel gives (pids, tids) to rows. What a kernel can give,
 * below 2^22, is found in pages of 1024 entries, made when the first id of one comes;
 * larger ones, which only a broken trace has, in a hash map.
 *
 * Zero-initialised is an empty map. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_IDS_H
#define ORMA_PROCESSOR_MODEL_IDS_H
#include "sdk/base/defs.h"
#include "sdk/base/map.h"

#define ORMA_IDS_NONE UINT32_MAX
#define ORMA_IDS_PAGE_SHIFT 10
#define ORMA_IDS_PAGE (1u << ORMA_IDS_PAGE_SHIFT)
#define ORMA_IDS_DIRECT (1u << 22)

struct orma_ids {
    uint32_t **pages;
    uint32_t pages_num;
    struct orma_map rest;
};

void orma_ids_fini(struct orma_ids *self);

/* Adds or replaces; `val` is not ORMA_IDS_NONE. 0, or -ENOMEM and nothing changed. */
int orma_ids_put(struct orma_ids *self, uint32_t id, uint32_t val);

/* Removes it, if it is there. */
void orma_ids_drop(struct orma_ids *self, uint32_t id);

/* The value, or ORMA_IDS_NONE. */
static inline uint32_t orma_ids_get(const struct orma_ids *self, uint32_t id)
{
    uint32_t page = id >> ORMA_IDS_PAGE_SHIFT;

    if (ORMA_LIKELY(page < self->pages_num && self->pages[page]))
        return self->pages[page][id & (ORMA_IDS_PAGE - 1)];
    /* ORMA_MAP_NONE is all ones, and so is ORMA_IDS_NONE. */
    return id < ORMA_IDS_DIRECT ? ORMA_IDS_NONE : (uint32_t)orma_map_get(&self->rest, id);
}
#endif
