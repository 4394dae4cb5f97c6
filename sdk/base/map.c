#include "sdk/base/map.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"
#include "sdk/base/hash.h"
#include "sdk/base/mem.h"

#define FIRST_CAP 16
#define FAR 1024

static struct orma_map_slot *slots_new(const struct orma_map *self, size_t cap)
{
    size_t size = cap * sizeof(*self->slots);
    struct orma_map_slot *slots = self->own_mem ? orma_mem_new(size) : malloc(size);

    return slots ? memset(slots, 0xff, size) : NULL;
}

static void slots_free(struct orma_map *self)
{
    if (self->own_mem)
        orma_mem_free(self->slots, self->cap * sizeof(*self->slots));
    else
        free(self->slots);
}

void orma_map_fini(struct orma_map *self)
{
    slots_free(self);
    *self = (struct orma_map){.own_mem = self->own_mem};
}

void orma_map_clear(struct orma_map *self)
{
    if (self->cap)
        memset(self->slots, 0xff, self->cap * sizeof(*self->slots));
    self->len = 0;
}

/* The slot with this key, or the free slot where it would go. */
static struct orma_map_slot *probe(struct orma_map_slot *slots, size_t cap, uint64_t seed,
                                   uint64_t key)
{
    size_t at = orma_mix64(key ^ seed) & (cap - 1);

    while (slots[at].val != ORMA_MAP_NONE && slots[at].key != key)
        at = (at + 1) & (cap - 1);
    return &slots[at];
}

uint64_t orma_map_get(const struct orma_map *self, uint64_t key)
{
    return self->len ? probe(self->slots, self->cap, self->seed, key)->val : ORMA_MAP_NONE;
}

static int resize(struct orma_map *self, size_t cap, uint64_t seed)
{
    struct orma_map_slot *slots = slots_new(self, cap);

    if (!slots)
        return -ENOMEM;
    ORMA_MAP_EACH (old, self)
        *probe(slots, cap, seed, old->key) = *old;
    slots_free(self);
    self->slots = slots;
    self->cap = cap;
    self->seed = seed;
    return 0;
}

uint64_t orma_hash_seed(void)
{
    static _Atomic uint64_t seed; /* whoever comes first decides; relaxed: it is one word */
    uint64_t ret = atomic_load_explicit(&seed, memory_order_relaxed), none = 0;

    if (ret)
        return ret;
    if (getrandom(&ret, sizeof(ret), GRND_NONBLOCK) != sizeof(ret)) /* early at boot */
        ret = orma_mix64((uint64_t)(uintptr_t)&ret ^ (uint64_t)getpid() << 48);
    ret |= 1;
    return atomic_compare_exchange_strong_explicit(&seed, &none, ret, memory_order_relaxed,
                                                   memory_order_relaxed)
               ? ret
               : none;
}

/* Whether a key would lie so far from its home as chance never brings it: at two thirds, runs of
 * full slots are about 14 times the logarithm of their number. */
static bool is_far(const struct orma_map *self, const struct orma_map_slot *slot, uint64_t key)
{
    size_t home = (size_t)orma_mix64(key ^ self->seed);

    return (((size_t)(slot - self->slots) - home) & (self->cap - 1)) > FAR;
}

int orma_map_put(struct orma_map *self, uint64_t key, uint64_t val)
{
    ORMA_ASSERT_HOT(val != ORMA_MAP_NONE);
    if (self->len * 3 >= self->cap * 2) {
        int r = resize(self, self->cap ? self->cap * 2 : FIRST_CAP, self->seed);
        if (r < 0)
            return r;
    }
    struct orma_map_slot *slot = probe(self->slots, self->cap, self->seed, key);
    if (slot->val == ORMA_MAP_NONE) {
        if (ORMA_UNLIKELY(is_far(self, slot, key))) {
            (void)resize(self, self->cap,
                         orma_mix64(self->seed ^ orma_hash_seed())); /* or it stays slow */
            slot = probe(self->slots, self->cap, self->seed, key);
        }
        self->len++;
    }
    *slot = (struct orma_map_slot){key, val};
    return 0;
}

uint64_t orma_map_take(struct orma_map *self, uint64_t key)
{
    if (!self->len)
        return ORMA_MAP_NONE;

    struct orma_map_slot *gap = probe(self->slots, self->cap, self->seed, key);
    uint64_t val = gap->val;
    if (val == ORMA_MAP_NONE)
        return val;

    /* Move back every follower that the gap would cut off from its home slot. */
    size_t mask = self->cap - 1, hole = (size_t)(gap - self->slots);
    for (size_t at = (hole + 1) & mask; self->slots[at].val != ORMA_MAP_NONE;
         at = (at + 1) & mask) {
        size_t home = orma_mix64(self->slots[at].key ^ self->seed) & mask;

        if (((at - home) & mask) >= ((at - hole) & mask)) {
            self->slots[hole] = self->slots[at];
            hole = at;
        }
    }
    self->slots[hole].val = ORMA_MAP_NONE;
    self->len--;
    return val;
}
