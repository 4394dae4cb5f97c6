/* Categories: the list of all, their flags, and which a config enables. */
#include <stdlib.h>

#include "sdk/cabi/te.h"

static struct orma_cabi_category any;

/* The linker may move these into the program: they are reached by their names only. */
orma_cabi_flag perfetto_atomic_false;
void *perfetto_te_any_categories = &any;
orma_cabi_flag *perfetto_te_any_categories_enabled = &any.enabled;

static struct {
    pthread_mutex_t lock;
    struct orma_cabi_category *first;
    uint64_t last_iid;
    /* What runs, for categories that come later; by slot. */
    struct orma_cabi_te_config *running[ORMA_CABI_SLOTS];
} categories = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool wants(const struct orma_cabi_te_config *config, const struct orma_cabi_category *c)
{
    return !c->desc || orma_cabi_te_config_wants(config, c->desc);
}

/* True: it changed. *ret_global: it is the first, or was the last. With the lock. */
static bool set_bit(struct orma_cabi_category *c, uint32_t slot, bool on, bool *ret_global)
{
    uint32_t bit = UINT32_C(1) << slot;
    /* release: an event that sees the bit sees the instance. */
    uint32_t before = on ? atomic_fetch_or_explicit(&c->bits, bit, memory_order_release)
                         : atomic_fetch_and_explicit(&c->bits, ~bit, memory_order_acq_rel);

    *ret_global = !(before & ~bit);
    if (!(before & bit) == !on)
        return false;
    /* Relaxed: programs read it so. */
    atomic_store_explicit(&c->enabled, on || (before & ~bit), memory_order_relaxed);
    return true;
}

static void turn(struct orma_cabi_category *c, uint32_t slot, bool on)
{
    bool global;

    if (set_bit(c, slot, on, &global) && c->fn)
        c->fn(c, slot, on, global, c->user);
}

void orma_cabi_categories_start(struct orma_cabi_instance *inst)
{
    pthread_mutex_lock(&categories.lock);
    categories.running[inst->slot] = orma_cabi_te_config_ref(inst->te);
    turn(&any, inst->slot, true);
    for (struct orma_cabi_category *c = categories.first; c; c = c->next) {
        if (wants(inst->te, c))
            turn(c, inst->slot, true);
    }
    pthread_mutex_unlock(&categories.lock);
}

void orma_cabi_categories_stop(struct orma_cabi_type *type, uint32_t slot)
{
    (void)type;
    pthread_mutex_lock(&categories.lock);
    for (struct orma_cabi_category *c = categories.first; c; c = c->next)
        turn(c, slot, false);
    turn(&any, slot, false);
    orma_cabi_te_config_unref(categories.running[slot]);
    categories.running[slot] = NULL;
    pthread_mutex_unlock(&categories.lock);
}

static void forget(bool on)
{
    memset(categories.running, 0, sizeof(categories.running));
    for (struct orma_cabi_category *c = &any; c; c = c == &any ? categories.first : c->next) {
        atomic_store_explicit(&c->bits, 0, memory_order_relaxed);
        atomic_store_explicit(&c->enabled, on, memory_order_relaxed);
    }
}

/* The first event of a child comes to us. */
void orma_cabi_categories_after_fork(void)
{
    categories.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    forget(true);
}

void orma_cabi_categories_revive(void)
{
    forget(false);
}

void orma_cabi_categories_each(void (*fn)(void *ctx, const struct orma_cabi_category_desc *desc),
                               void *ctx)
{
    pthread_mutex_lock(&categories.lock);
    for (const struct orma_cabi_category *c = categories.first; c; c = c->next)
        fn(ctx, c->desc);
    pthread_mutex_unlock(&categories.lock);
}

/* ---- the interface ---- */

void *PerfettoTeCategoryImplCreate(struct orma_cabi_category_desc *desc)
{
    ORMA_HUSHED;
    struct orma_cabi_category *c = calloc(1, sizeof(*c)), **link;
    bool global;

    if (!c)
        return &any; /* its events are dynamic ones without a name; nothing crashes */
    c->desc = desc;
    pthread_mutex_lock(&categories.lock);
    c->iid = ++categories.last_iid;
    for (link = &categories.first; *link; link = &(*link)->next)
        continue;
    *link = c;
    for (uint32_t slot = 0; slot < ORMA_CABI_SLOTS; slot++) {
        if (categories.running[slot] && wants(categories.running[slot], c))
            (void)set_bit(c, slot, true, &global);
    }
    pthread_mutex_unlock(&categories.lock);
    return c;
}

orma_cabi_flag *PerfettoTeCategoryImplGetEnabled(void *category)
{
    struct orma_cabi_category *c = category;

    return c ? &c->enabled : &perfetto_atomic_false;
}

uint64_t PerfettoTeCategoryImplGetIid(void *category)
{
    const struct orma_cabi_category *c = category;

    return c ? c->iid : 0;
}

void PerfettoTeCategoryImplSetCallback(void *category, orma_cabi_category_fn fn, void *user)
{
    struct orma_cabi_category *c = category;
    bool first = true;

    if (!c)
        return;
    pthread_mutex_lock(&categories.lock);
    c->fn = fn;
    c->user = user;
    uint32_t bits = atomic_load_explicit(&c->bits, memory_order_relaxed);
    for (; fn && bits; bits &= bits - 1) {
        fn(c, (uint32_t)__builtin_ctz(bits), true, first, user);
        first = false;
    }
    pthread_mutex_unlock(&categories.lock);
}

void PerfettoTeCategoryImplDestroy(void *category)
{
    struct orma_cabi_category *c = category, **link;

    if (!c || c == &any)
        return;
    pthread_mutex_lock(&categories.lock);
    for (link = &categories.first; *link && *link != c; link = &(*link)->next)
        continue;
    bool found = *link != NULL;
    if (found)
        *link = c->next;
    pthread_mutex_unlock(&categories.lock);
    if (found)
        free(c);
}
