/*
 * What the reader was told of. Of frees only those of sampled addresses matter: one look at a
 * counter tells nearly all others apart.
 */
#include "sdk/heap/parts.h"

#define MANY 255 /* so crowded that a place tells nothing any more: all its frees are reported */
#define LIBRARIES 256u /* by hash */
#define LIBRARIES_WINDOW 8u

_Atomic uint8_t orma_hook_sampled[ORMA_HEAP_SLOTS];

/* And which, within the window of their place. */
static _Atomic uintptr_t addresses[ORMA_HEAP_SLOTS + ORMA_HEAP_WINDOW];
static _Atomic uint64_t libraries[LIBRARIES + LIBRARIES_WINDOW];

/* Counts are changed by several threads; one that is full stays full. */
static void change_count(uint32_t place, int by)
{
    _Atomic uint8_t *count = &orma_hook_sampled[place];
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);

    while (old != MANY && (old || by > 0) &&
           !atomic_compare_exchange_weak_explicit(count, &old, (uint8_t)(old + by),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* The address is ours until it is freed, so nobody else looks for it meanwhile. */
void orma_hook_remember(const void *p)
{
    uint32_t place = orma_hook_place(p);

    change_count(place, 1);
    for (uint32_t i = place; i < place + ORMA_HEAP_WINDOW; i++) {
        uintptr_t none = 0;

        if (atomic_compare_exchange_strong_explicit(&addresses[i], &none, (uintptr_t)p,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
    atomic_store_explicit(&orma_hook_sampled[place], MANY, memory_order_relaxed);
}

bool orma_hook_forget(const void *p)
{
    uint32_t place = orma_hook_place(p);

    for (uint32_t i = place; i < place + ORMA_HEAP_WINDOW; i++) {
        uintptr_t is = (uintptr_t)p;

        if (atomic_compare_exchange_strong_explicit(&addresses[i], &is, 0, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            change_count(place, -1);
            return true;
        }
    }
    return atomic_load_explicit(&orma_hook_sampled[place], memory_order_relaxed) == MANY;
}

void orma_hook_forget_all(void)
{
    for (uint32_t i = 0; i < ORMA_HEAP_SLOTS + ORMA_HEAP_WINDOW; i++)
        atomic_store_explicit(&addresses[i], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < ORMA_HEAP_SLOTS; i++)
        atomic_store_explicit(&orma_hook_sampled[i], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < LIBRARIES + LIBRARIES_WINDOW; i++)
        atomic_store_explicit(&libraries[i], 0, memory_order_relaxed);
}

void orma_hook_forget_library(uint64_t hash)
{
    for (uint64_t i = hash % LIBRARIES; i < hash % LIBRARIES + LIBRARIES_WINDOW; i++) {
        uint64_t is = hash;

        (void)atomic_compare_exchange_strong_explicit(&libraries[i], &is, 0, memory_order_relaxed,
                                                      memory_order_relaxed);
    }
}

bool orma_hook_is_new_library(uint64_t hash)
{
    for (uint64_t i = hash % LIBRARIES; i < hash % LIBRARIES + LIBRARIES_WINDOW; i++) {
        uint64_t is = 0;

        if (atomic_compare_exchange_strong_explicit(&libraries[i], &is, hash, memory_order_relaxed,
                                                    memory_order_relaxed))
            return true;
        if (is == hash)
            return false;
    }
    return false; /* so many libraries: the reader looks for itself */
}
