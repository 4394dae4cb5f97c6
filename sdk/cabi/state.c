/* The table of types, and their slots. */
#include "sdk/cabi/cabi.h"

struct orma_cabi_globals orma_cabi = {.lock = PTHREAD_MUTEX_INITIALIZER, .types_num = 1};

struct orma_cabi_type *orma_cabi_type_at(uint32_t idx)
{
    orma_guard_lock(&orma_cabi.lock);
    struct orma_cabi_type *type = idx < orma_cabi.types_num ? orma_cabi.types[idx] : NULL;
    orma_guard_unlock(&orma_cabi.lock);
    return type;
}

struct orma_cabi_type *orma_cabi_type_named(struct orma_str name, uint32_t from)
{
    for (uint32_t i = from; i < ORMA_CABI_TYPES; i++) {
        struct orma_cabi_type *type = orma_cabi_type_at(i);

        if (type && type->name && orma_str_eq_c(name, type->name))
            return type;
    }
    return NULL;
}

void orma_cabi_type_init(struct orma_cabi_type *type)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr); /* none of these can fail on Linux */
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    for (uint32_t i = 0; i < ORMA_CABI_SLOTS; i++)
        pthread_mutex_init(&type->slots[i].lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* All flags are set: the child's first trace point comes to us. */
void orma_cabi_state_after_fork(void)
{
    orma_cabi.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (uint32_t i = 0; i < orma_cabi.types_num; i++) {
        struct orma_cabi_type *type = orma_cabi.types[i];

        if (!type)
            continue;
        orma_cabi_type_init(type);
        for (uint32_t slot = 0; slot < ORMA_CABI_SLOTS; slot++) {
            atomic_store_explicit(&type->slots[slot].serial, 0, memory_order_relaxed);
            type->slots[slot].instance = NULL;
        }
        atomic_store_explicit(&type->active, 0, memory_order_relaxed);
        atomic_store_explicit(&type->enabled, true, memory_order_relaxed);
    }
}
