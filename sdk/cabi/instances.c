/*
 * The life of an instance, on the loop:
 *
 *   new    slot, serial, setup callback          type.enabled
 *   start  type.active, start callback           trace points reach it
 *   flush  (flush callback)*
 *   stop   stop callback; then, or when the program says so:
 *          over()   serial, active, enabled go    any thread
 *          finish() destroy callback, home.stopped()
 *
 * StopDone() does the first half of the end at once, in the program's thread, so
 * that no trace point reaches the instance once it has returned. Handles of
 * postponed stops and flushes name instances by slot and serial, so one that comes
 * late, or twice, hits nothing.
 */
#include <errno.h>
#include <stdlib.h>

#include "protos/fields/config.h"
#include "sdk/base/fork.h"
#include "sdk/cabi/cabi.h"
#include "sdk/wire/pb_reader.h"

/* An instance in a handle, or in the args of a callback. */
struct handle {
    struct orma_cabi_type *type;
    uint32_t slot;
    uint32_t life; /* orma_fork_generation() */
    uint64_t serial;
    uint64_t flush_id;
    bool postponed;
};

static enum orma_policy policy_of(const struct orma_cabi_type *type, struct orma_str config)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_pb_field f;
    uint64_t wanted = 0;

    while (type->policy_by_config && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_POLICY)
            wanted = f.num;
    }
    return wanted ? orma_policy_of_config(wanted, ORMA_POLICY_BY_CONFIG) : type->policy;
}

static bool is_same(const struct orma_cabi_instance *a, const struct orma_cabi_home *home,
                    struct orma_str config)
{
    return a->home.ctx == home->ctx && orma_str_eq(orma_buf_str(&a->config), config);
}

/* With g.lock. NULL: none is free, or the same config has an instance already. */
static struct orma_cabi_slot *free_slot(struct orma_cabi_type *type,
                                        const struct orma_cabi_home *home, struct orma_str config)
{
    struct orma_cabi_slot *found = NULL;

    for (uint32_t i = ORMA_CABI_SLOTS; i-- > 0;) {
        struct orma_cabi_slot *slot = &type->slots[i];

        if (!slot->instance)
            found = slot;
        else if (!slot->instance->stopping && is_same(slot->instance, home, config))
            return NULL;
    }
    return found;
}

static void free_instance(struct orma_cabi_instance *self)
{
    orma_cabi_te_config_unref(self->te);
    orma_pool_unref(self->pool);
    orma_buf_fini(&self->config);
    free(self);
}

struct orma_cabi_instance *orma_cabi_instance_new(struct orma_cabi_type *type,
                                                  const struct orma_cabi_home *home, uint64_t id,
                                                  struct orma_str config, struct orma_pool *pool,
                                                  uint32_t target_buffer)
{
    struct orma_cabi_instance *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->type = type;
    self->home = *home;
    self->id = id;
    self->pool = orma_pool_ref(pool);
    self->target_buffer = target_buffer;
    self->policy = policy_of(type, config);
    orma_buf_put(&self->config, config.data, config.len);
    if (type->idx == ORMA_CABI_TE)
        self->te = orma_cabi_te_config_new(config);
    if (self->config.failed || (type->idx == ORMA_CABI_TE && !self->te)) {
        free_instance(self);
        return NULL;
    }
    orma_guard_lock(&orma_cabi.lock);
    struct orma_cabi_slot *slot = free_slot(type, home, config);
    if (slot) {
        self->slot = (uint32_t)(slot - type->slots);
        self->serial = ++orma_cabi.last_serial;
        slot->instance = self;
    }
    orma_guard_unlock(&orma_cabi.lock);
    if (!slot) {
        free_instance(self);
        return NULL;
    }
    if (type->on_setup)
        self->ctx =
            type->on_setup(type, self->slot, self->config.data, self->config.len, type->user, NULL);
    orma_guard_lock(&orma_cabi.lock);
    /* release: who finds the serial finds the context. */
    atomic_store_explicit(&slot->serial, self->serial, memory_order_release);
    atomic_store_explicit(&type->enabled, true, memory_order_release);
    orma_guard_unlock(&orma_cabi.lock);
    return self;
}

void orma_cabi_instance_start(struct orma_cabi_instance *self)
{
    struct orma_cabi_type *type = self->type;

    orma_tsc_check(true);
    atomic_fetch_or_explicit(&type->active, UINT32_C(1) << self->slot, memory_order_release);
    if (type->on_start)
        type->on_start(type, self->slot, type->user, self->ctx, NULL);
    if (type->idx == ORMA_CABI_TE)
        orma_cabi_categories_start(self);
}

/* The first half of the end. False: it was over already. */
static bool over(struct orma_cabi_type *type, uint32_t slot, uint64_t serial)
{
    uint64_t expected = serial;
    bool any = false;

    orma_guard_lock(&orma_cabi.lock);
    bool mine = atomic_compare_exchange_strong_explicit(&type->slots[slot].serial, &expected, 0,
                                                        memory_order_acq_rel, memory_order_relaxed);
    if (mine) {
        atomic_fetch_and_explicit(&type->active, ~(UINT32_C(1) << slot), memory_order_acq_rel);
        for (uint32_t i = 0; i < ORMA_CABI_SLOTS; i++)
            any |= atomic_load_explicit(&type->slots[i].serial, memory_order_relaxed) != 0;
        atomic_store_explicit(&type->enabled, any, memory_order_release);
        /* Relaxed: threads sweep when they see it. */
        atomic_fetch_add_explicit(&orma_cabi.ended, 1, memory_order_relaxed);
    }
    orma_guard_unlock(&orma_cabi.lock);
    return mine;
}

/* The second half, on the loop. Waits for those who hold the slot's lock. */
static void finish(struct orma_cabi_type *type, uint32_t slot_idx, uint64_t serial)
{
    struct orma_cabi_slot *slot = &type->slots[slot_idx];

    pthread_mutex_lock(&slot->lock);
    orma_guard_lock(&orma_cabi.lock);
    struct orma_cabi_instance *self = slot->instance;
    if (self && self->serial == serial)
        slot->instance = NULL;
    else
        self = NULL;
    orma_guard_unlock(&orma_cabi.lock);
    pthread_mutex_unlock(&slot->lock);
    if (!self)
        return;
    if (type->on_destroy)
        type->on_destroy(type, type->user, self->ctx);
    struct orma_cabi_home home = self->home;
    uint64_t id = self->id;
    free_instance(self);
    if (*home.life == home.my_life)
        home.ops->stopped(home.ctx, id);
}

void orma_cabi_instance_stop(struct orma_cabi_instance *self)
{
    struct orma_cabi_type *type = self->type;
    struct handle h = {type, self->slot, orma_fork_generation(), self->serial, 0, false};

    if (self->stopping)
        return;
    self->stopping = true;
    if (type->on_stop)
        type->on_stop(type, self->slot, type->user, self->ctx, &h);
    if (h.postponed)
        return;
    if (type->idx == ORMA_CABI_TE)
        orma_cabi_categories_stop(type, h.slot);
    (void)over(type, h.slot, h.serial);
    finish(type, h.slot, h.serial);
}

void orma_cabi_instance_flush(struct orma_cabi_instance *self, uint64_t flush_id)
{
    struct orma_cabi_type *type = self->type;
    struct handle h = {type, self->slot, orma_fork_generation(), self->serial, flush_id, false};

    if (type->on_flush)
        type->on_flush(type, self->slot, type->user, self->ctx, &h);
    if (!h.postponed && *self->home.life == self->home.my_life)
        self->home.ops->flushed(self->home.ctx, self->id, flush_id);
}

void orma_cabi_instance_clear(struct orma_cabi_instance *self)
{
    /* Relaxed: threads see it at one of their next trace points. */
    atomic_fetch_add_explicit(&self->type->slots[self->slot].clears, 1, memory_order_relaxed);
}

/* ---- postponed ---- */

static void *postpone(void *args)
{
    struct handle *h = args, *ret = h ? malloc(sizeof(*ret)) : NULL;

    if (!ret)
        return NULL; /* without memory it is not postponed */
    h->postponed = true;
    *ret = *h;
    return ret;
}

void *PerfettoDsOnStopArgsPostpone(void *args)
{
    return postpone(args);
}

void *PerfettoDsOnFlushArgsPostpone(void *args)
{
    return postpone(args);
}

static void finish_postponed(void *arg)
{
    struct handle *h = arg;

    finish(h->type, h->slot, h->serial);
    free(h);
}

void PerfettoDsStopDone(void *stopper)
{
    ORMA_HUSHED;
    struct handle *h = stopper;

    if (!h)
        return;
    if (h->life != orma_fork_generation() || !over(h->type, h->slot, h->serial) ||
        !orma_cabi_post(finish_postponed, h))
        free(h);
}

static void flush_postponed(void *arg)
{
    struct handle *h = arg;
    struct orma_cabi_instance *inst = h->type->slots[h->slot].instance;

    if (inst && inst->serial == h->serial && *inst->home.life == inst->home.my_life)
        inst->home.ops->flushed(inst->home.ctx, inst->id, h->flush_id);
    free(h);
}

void PerfettoDsFlushDone(void *flusher)
{
    ORMA_HUSHED;
    struct handle *h = flusher;

    if (h && (h->life != orma_fork_generation() || !orma_cabi_post(flush_postponed, h)))
        free(h);
}

/* ---- locked ---- */

void *PerfettoDsImplGetInstanceLocked(void *ds, uint32_t inst)
{
    struct orma_cabi_type *type = ds;

    if (!type || !type->registered || inst >= ORMA_CABI_SLOTS)
        return NULL;
    struct orma_cabi_slot *slot = &type->slots[inst];
    pthread_mutex_lock(&slot->lock);
    /* acquire: pairs with the end of the setup. With the lock, what it names stays. */
    void *ctx =
        atomic_load_explicit(&slot->serial, memory_order_acquire) ? slot->instance->ctx : NULL;
    if (!ctx)
        pthread_mutex_unlock(&slot->lock);
    return ctx;
}

void PerfettoDsImplReleaseInstanceLocked(void *ds, uint32_t inst)
{
    struct orma_cabi_type *type = ds;

    if (type && type->registered && inst < ORMA_CABI_SLOTS)
        (void)pthread_mutex_unlock(&type->slots[inst].lock); /* EPERM: it was not held */
}
