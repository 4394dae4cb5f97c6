/* Categories come and go with the programs and libraries that define them. */
#include "sdk/events/te.h"

#include "orma/tracing.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"

void orma_category_register(struct orma_category *category)
{
    ORMA_HUSHED;
    uint8_t was = orma_te_lock();
    category->next = orma_te.categories;
    orma_te.categories = category;
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++) {
        if (orma_te.sessions[slot])
            orma_te_set_bit(category, slot, orma_te_wants(orma_te.sessions[slot], category));
    }
    if (orma_te.listener)
        orma_te.listener();
    orma_te_unlock(was);
}

/* With the lock. */
static void forget_keys(void)
{
    atomic_fetch_add_explicit(&orma_te.keys_generation, 1, memory_order_seq_cst);
    for (struct orma_te_thread *t = orma_te.threads; t; t = t->next)
        orma_te_close_short_way(t);
}

void orma_category_unregister(struct orma_category *category)
{
    ORMA_HUSHED;
    uint8_t was = orma_te_lock();
    for (struct orma_category **link = &orma_te.categories; *link; link = &(*link)->next) {
        if (*link == category) {
            *link = category->next;
            break;
        }
    }
    __atomic_store_n(&category->enabled, 0, __ATOMIC_RELAXED);
    forget_keys();
    if (orma_te.listener)
        orma_te.listener();
    orma_te_unlock(was);
}

uint64_t orma_lost_unattributed(void)
{
    return atomic_load_explicit(&orma_te.unattributed, memory_order_relaxed);
}

void orma_te_each_category(void (*fn)(void *ctx, const struct orma_category *category), void *ctx)
{
    uint8_t was = orma_te_lock();
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        fn(ctx, c);
    orma_te_unlock(was);
}

void orma_te_set_listener(void (*fn)(void))
{
    uint8_t was = orma_te_lock();
    orma_te.listener = fn;
    orma_te_unlock(was);
}

uint32_t orma_te_site_id(struct orma_site *site)
{
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED), none = ORMA_TE_SITE_NONE;

    if (id)
        return id;
    uint32_t mine = atomic_fetch_add_explicit(&orma_te.next_site, 1, memory_order_relaxed);
    if (mine >= ORMA_TE_SITES_MAX) {
        atomic_store_explicit(&orma_te.next_site, ORMA_TE_SITES_MAX, memory_order_relaxed);
        mine = UINT32_MAX;
    }
    /* Relaxed: the id means nothing but itself. Another thread may have been first. */
    if (__atomic_compare_exchange_n(&site->id, &none, mine, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return mine;
    return none;
}
