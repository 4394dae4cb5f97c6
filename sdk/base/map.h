/*
 * Hash map from u64 to u64 (pointers and ids fit). Open addressing with linear
 * probing; removal shifts back, so there are no tombstones. Grows at 2/3 fill.
 *
 * Keys may come from a hostile file: when many of them meet in one place, which does not happen by
 * chance, the map mixes them with a random number from then on. Honest keys lie where they always
 * do.
 *
 * Values must differ from ORMA_MAP_NONE. Zero-initialised is an empty map.
 * Threads: none.
 */
#ifndef ORMA_SDK_BASE_MAP_H
#define ORMA_SDK_BASE_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_MAP_NONE UINT64_MAX

struct orma_map_slot {
    uint64_t key;
    uint64_t val; /* ORMA_MAP_NONE: the slot is free */
};

struct orma_map {
    struct orma_map_slot *slots;
    size_t cap; /* power of two, or 0 */
    size_t len;
    uint64_t seed; /* 0 until keys were found to be chosen */
    bool own_mem;  /* from mem.h, not malloc(): for maps of events. Set before the first entry. */
};

void orma_map_fini(struct orma_map *self);
void orma_map_clear(struct orma_map *self);

/* The value, or ORMA_MAP_NONE. */
uint64_t orma_map_get(const struct orma_map *self, uint64_t key);

/* Adds or replaces. 0, or -ENOMEM and nothing changed. */
int orma_map_put(struct orma_map *self, uint64_t key, uint64_t val);

/* Removes and returns the value, ORMA_MAP_NONE if there was none. */
uint64_t orma_map_take(struct orma_map *self, uint64_t key);

static inline void *orma_map_get_ptr(const struct orma_map *self, uint64_t key)
{
    uint64_t val = orma_map_get(self, key);

    return val == ORMA_MAP_NONE ? NULL : (void *)(uintptr_t)val;
}

static inline int orma_map_put_ptr(struct orma_map *self, uint64_t key, const void *ptr)
{
    return orma_map_put(self, key, (uintptr_t)ptr);
}

/* Every entry once, in no order; the map must not change meanwhile. */
#define ORMA_MAP_EACH(var, map)                                                                    \
    for (struct orma_map_slot *var = (map)->slots,                                                 \
                              *var##_end = (map)->cap ? (map)->slots + (map)->cap : NULL;          \
         var != var##_end; var++)                                                                  \
        if (var->val != ORMA_MAP_NONE)
#endif
