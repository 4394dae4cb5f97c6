/*
 * A packet is counted in the chunk in which it ends. While a chunk is being
 * filled, its header counts one record more than are finished, so "count less
 * one" is exact at any moment. Moving that number into slot.written and taking
 * `current` away happen under the lock, so a reader that holds the lock counts
 * no packet twice and misses none.
 */
#include "sdk/transport/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/guard.h"
#include "sdk/base/mem.h"
#include "sdk/wire/pb_writer.h"

/* Wakes the drainer when this part of the memory is listed: enough chunks per wake-up, yet time to
 * spare. */
#define URGENT_NUM 3
#define URGENT_DEN 8

/* The address of this names the thread: no call, and no reuse while the thread lives. */
static __thread char thread_token __attribute__((tls_model("initial-exec")));

static void slot_free(struct orma_pool *self, struct orma_pool_slot *slot)
{
    ORMA_ASSERT_HOT(self->ids[slot->id / 8] & 1u << slot->id % 8);
    orma_list_remove(&slot->link);
    self->ids[slot->id / 8] &= (uint8_t) ~(1u << slot->id % 8);
    orma_mem_free(slot, sizeof(*slot));
}

static void pool_free(struct orma_pool *self)
{
    ORMA_LIST_EACH (struct orma_pool_slot, slot, &self->slots, link)
        slot_free(self, slot);
    if (self->unmap)
        self->unmap(self->shm.base, self->shm.size);
    pthread_mutex_destroy(&self->lock);
    free(self->listed);
    orma_mem_free(self->patches, self->patches_cap * sizeof(*self->patches));
    free(self);
}

int orma_pool_new(void *base, size_t size, uint32_t page_size,
                  void (*unmap)(void *base, size_t size), const struct orma_pool_ops *ops,
                  void *ctx, struct orma_pool **ret)
{
    ORMA_ASSERT_HOT(ops && ops->wake);
    struct orma_shm shm;
    int r = orma_shm_init(&shm, base, size, page_size);

    if (r < 0)
        return r;
    struct orma_pool *self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    /* All chunks there can be: completing one never needs memory. */
    self->listed_cap = shm.pages_num * ORMA_SHM_CHUNKS_MAX;
    self->listed = calloc(self->listed_cap, sizeof(*self->listed));
    if (!self->listed) {
        free(self);
        return -ENOMEM;
    }
    self->shm = shm;
    self->unmap = unmap;
    self->ops = ops;
    self->ctx = ctx;
    self->ids[0] = 1; /* 0 is no id */
    pthread_mutex_init(&self->lock, NULL);
    orma_list_init(&self->slots);
    atomic_store_explicit(&self->refs, 1, memory_order_relaxed);
    *ret = self;
    return 0;
}

struct orma_pool *orma_pool_ref(struct orma_pool *self)
{
    ORMA_ASSERT_HOT(atomic_load(&self->refs) > 0);
    atomic_fetch_add_explicit(&self->refs, 1, memory_order_relaxed); /* the caller has one */
    return self;
}

void orma_pool_unref(struct orma_pool *self)
{
    ORMA_ASSERT_HOT(!self || atomic_load(&self->refs) > 0);
    /* acq_rel: whoever frees has seen all that the others did before they let go. */
    if (self && atomic_fetch_sub_explicit(&self->refs, 1, memory_order_acq_rel) == 1)
        pool_free(self);
}

/* ---- writers ---- */

/* Recent ids are not reused at once: the reader of the file tells sequences by them. */
static uint16_t take_id(struct orma_pool *self)
{
    for (uint32_t i = 0; i < ORMA_SHM_WRITER_ID_MAX; i++) {
        uint16_t id = self->last_id = (uint16_t)(self->last_id % ORMA_SHM_WRITER_ID_MAX + 1);

        if (!(self->ids[id / 8] & 1u << id % 8)) {
            self->ids[id / 8] |= (uint8_t)(1u << id % 8);
            return id;
        }
    }
    return 0;
}

int orma_pool_add(struct orma_pool *self, uint32_t target_buffer, struct orma_pool_slot **ret)
{
    struct orma_pool_slot *slot = orma_mem_new(sizeof(*slot)); /* whole cache lines */
    int r = 0;

    if (!slot)
        return -ENOMEM;
    slot->target_buffer = target_buffer;
    orma_guard_lock(&self->lock);
    if (atomic_load_explicit(&self->closed, memory_order_relaxed))
        r = -ESHUTDOWN;
    else if (!(slot->id = take_id(self)))
        r = -ENOSPC;
    else {
        orma_list_insert(&self->slots, &slot->link);
        self->slots_changed = true;
        self->ops->wake(self->ctx);
    }
    orma_guard_unlock(&self->lock);
    if (r < 0) {
        orma_mem_free(slot, sizeof(*slot));
        return r;
    }
    atomic_fetch_add_explicit(&self->writers_num, 1, memory_order_relaxed);
    *ret = slot;
    return 0;
}

void orma_pool_retire(struct orma_pool *self, struct orma_pool_slot *slot)
{
    atomic_fetch_sub_explicit(&self->writers_num, 1, memory_order_relaxed);
    orma_guard_lock(&self->lock);
    ORMA_ASSERT_HOT(!slot->retired && !atomic_load(&slot->current)); /* it holds no chunk */
    slot->retired = true;
    self->slots_changed = true;
    if (atomic_load_explicit(&self->closed, memory_order_relaxed))
        slot_free(self, slot);
    else
        self->ops->wake(self->ctx);
    orma_guard_unlock(&self->lock);
}

/* Whole pages as long as each writer can have two; then smaller chunks, so that none goes without.
 */
static enum orma_shm_layout layout_now(const struct orma_pool *self)
{
    uint32_t writers = atomic_load_explicit(&self->writers_num, memory_order_relaxed);

    if (writers * 2 <= self->shm.pages_num)
        return ORMA_SHM_LAYOUT_1;
    return writers * 2 <= self->shm.pages_num * 4 ? ORMA_SHM_LAYOUT_4 : ORMA_SHM_LAYOUT_14;
}

bool orma_pool_acquire(struct orma_pool *self, struct orma_pool_slot *slot, uint32_t chunk_id,
                       uint16_t first_packets, uint32_t pages, struct orma_shm_chunk *ret)
{
    uint32_t num = self->shm.pages_num;
    uint32_t start = atomic_load_explicit(&self->cursor, memory_order_relaxed);
    enum orma_shm_layout layout = layout_now(self);

    if (atomic_load_explicit(&self->closed, memory_order_relaxed))
        return false;
    for (uint32_t i = 0; i < pages && i < num; i++) {
        uint32_t page = (start + i) % num;

        if (!orma_shm_acquire(&self->shm, page, layout, slot->id, chunk_id, first_packets, ret))
            continue;
        /* A page cut finely has more: stay there. Racing stores only cost a longer search. */
        atomic_store_explicit(&self->cursor, layout == ORMA_SHM_LAYOUT_1 ? page + 1 : page,
                              memory_order_relaxed);
        return true;
    }
    /* The next search begins where this one gave up, so that a bounded one gets everywhere. */
    atomic_store_explicit(&self->cursor, (start + ORMA_MIN(pages, num)) % num,
                          memory_order_relaxed);
    return false;
}

bool orma_pool_make_room(struct orma_pool *self)
{
    if (atomic_load_explicit(&self->closed, memory_order_relaxed))
        return false;
    if (!self->ops->room_from_any &&
        atomic_load_explicit(&self->drainer, memory_order_relaxed) != (uintptr_t)&thread_token)
        return false;
    return self->ops->make_room && self->ops->make_room(self->ctx);
}

void orma_pool_starve(struct orma_pool *self)
{
    /* Relaxed: the wake-up below orders it for the drainer. */
    if (atomic_load_explicit(&self->starving, memory_order_relaxed) ||
        atomic_exchange_explicit(&self->starving, true, memory_order_relaxed))
        return;
    orma_guard_lock(&self->lock);
    if (!atomic_load_explicit(&self->closed, memory_order_relaxed))
        self->ops->wake(self->ctx);
    orma_guard_unlock(&self->lock);
}

static size_t urgent_bytes(const struct orma_pool *self)
{
    return self->shm.size / URGENT_DEN * URGENT_NUM;
}

/* With the lock. */
static void list_chunk(struct orma_pool *self, const struct orma_pool_slot *slot,
                       const struct orma_shm_chunk *chunk, uint32_t chunk_id)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&self->lock));
    size_t before = self->listed_bytes;
    uint32_t at = (self->listed_begin + self->listed_num) % self->listed_cap;

    self->listed[at] = (struct orma_pool_chunk){
        .chunk = *chunk,
        .chunk_id = chunk_id,
        .target_buffer = slot->target_buffer,
        .writer_id = slot->id,
    };
    self->listed_num++;
    self->listed_bytes += chunk->payload_size;
    /* The first starts the drainer's clock, and too much of them ends it. */
    if (self->listed_num == 1 ||
        (before < urgent_bytes(self) && self->listed_bytes >= urgent_bytes(self)))
        self->ops->wake(self->ctx);
}

void orma_pool_complete(struct orma_pool *self, struct orma_pool_slot *slot,
                        const struct orma_shm_chunk *chunk, uint16_t packets, uint32_t finished)
{
    uint32_t chunk_id = atomic_load_explicit(&chunk->header->chunk_id, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&slot->written, memory_order_relaxed);

    orma_guard_lock(&self->lock);
    ORMA_ASSERT_HOT(atomic_load(&slot->current) == chunk->header && !slot->retired);
    /* Both relaxed: the lock orders them for orma_pool_counts(). */
    atomic_store_explicit(&slot->current, NULL, memory_order_relaxed);
    atomic_store_explicit(&slot->written, written + finished, memory_order_relaxed);
    /* Relaxed: published by the completion. */
    atomic_store_explicit(&chunk->header->packets, packets, memory_order_relaxed);
    orma_shm_complete(&self->shm, chunk);
    if (!atomic_load_explicit(&self->closed, memory_order_relaxed))
        list_chunk(self, slot, chunk, chunk_id);
    orma_guard_unlock(&self->lock);
}

int orma_pool_patch(struct orma_pool *self, const struct orma_pool_patch *patch)
{
    int r = 0;

    orma_guard_lock(&self->lock);
    if (self->patches_num == self->patches_cap) {
        size_t cap = ORMA_MAX(self->patches_cap * 2, (size_t)16);
        struct orma_pool_patch *more =
            orma_mem_resize(self->patches, self->patches_cap * sizeof(*more), cap * sizeof(*more));

        if (more) {
            self->patches = more;
            self->patches_cap = cap;
        } else {
            r = -ENOMEM;
        }
    }
    if (r == 0 && !atomic_load_explicit(&self->closed, memory_order_relaxed)) {
        self->patches[self->patches_num++] = *patch;
        self->ops->wake(self->ctx);
    }
    orma_guard_unlock(&self->lock);
    return r;
}

/* ---- drainer ---- */

void orma_pool_set_drainer(struct orma_pool *self)
{
    atomic_store_explicit(&self->drainer, (uintptr_t)&thread_token, memory_order_relaxed);
}

enum orma_pool_need orma_pool_need(struct orma_pool *self)
{
    enum orma_pool_need need = ORMA_POOL_IDLE;

    orma_guard_lock(&self->lock);
    if (self->listed_bytes >= urgent_bytes(self) || self->patches_num ||
        atomic_load_explicit(&self->starving, memory_order_relaxed))
        need = ORMA_POOL_URGENT;
    else if (self->listed_num)
        need = ORMA_POOL_LISTED;
    else if (self->slots_changed)
        need = ORMA_POOL_SLOTS;
    orma_guard_unlock(&self->lock);
    return need;
}

bool orma_pool_has_listed(struct orma_pool *self)
{
    orma_guard_lock(&self->lock);
    bool has = self->listed_num != 0;
    orma_guard_unlock(&self->lock);
    return has;
}

size_t orma_pool_take(struct orma_pool *self, struct orma_pool_chunk *ret, size_t max)
{
    orma_guard_lock(&self->lock);
    /* Whoever finds nothing free from here on asks again. */
    atomic_store_explicit(&self->starving, false, memory_order_relaxed);
    uint32_t num = (uint32_t)ORMA_MIN((size_t)self->listed_num, max);
    for (uint32_t i = 0; i < num; i++) {
        ret[i] = self->listed[(self->listed_begin + i) % self->listed_cap];
        self->listed_bytes -= ret[i].chunk.payload_size;
    }
    self->listed_begin = (self->listed_begin + num) % self->listed_cap;
    self->listed_num -= num;
    orma_guard_unlock(&self->lock);
    return num;
}

size_t orma_pool_take_patches(struct orma_pool *self, struct orma_pool_patch *ret, size_t max)
{
    orma_guard_lock(&self->lock);
    size_t num = ORMA_MIN(self->patches_num, max);
    if (num) {
        memcpy(ret, self->patches, num * sizeof(*ret));
        self->patches_num -= num;
        memmove(self->patches, self->patches + num, self->patches_num * sizeof(*ret));
    }
    orma_guard_unlock(&self->lock);
    return num;
}

void orma_pool_patch_listed(struct orma_pool *self, const struct orma_pool_patch *patch)
{
    orma_guard_lock(&self->lock);
    for (uint32_t i = 0; i < self->listed_num; i++) {
        struct orma_pool_chunk *c = &self->listed[(self->listed_begin + i) % self->listed_cap];

        if (c->writer_id != patch->writer_id || c->chunk_id != patch->chunk_id ||
            patch->offset > c->chunk.payload_size - 4)
            continue;
        orma_varint_write_redundant(c->chunk.payload + patch->offset, patch->size);
        if (patch->last)
            atomic_fetch_and_explicit(&c->chunk.header->packets, (uint16_t)~ORMA_SHM_NEEDS_PATCH,
                                      memory_order_relaxed);
        break;
    }
    orma_guard_unlock(&self->lock);
}

static void counts_locked(const struct orma_pool_slot *slot, struct orma_writer_counts *ret)
{
    /* acquire: pairs with the release of the writer that took the chunk. */
    struct orma_shm_chunk_header *current =
        atomic_load_explicit(&slot->current, memory_order_acquire);
    uint64_t written = atomic_load_explicit(&slot->written, memory_order_relaxed);

    if (current) {
        /* acquire: pairs with the writer's release of the count; it costs nothing to be the
         * scraper's equal. */
        uint32_t count =
            atomic_load_explicit(&current->packets, memory_order_acquire) & ORMA_SHM_PACKETS_MASK;
        written += count ? count - 1 : 0;
    }
    uint64_t no_chunk =
        atomic_load_explicit(&slot->dropped[ORMA_DROP_NO_CHUNK], memory_order_relaxed);
    uint64_t too_large =
        atomic_load_explicit(&slot->dropped[ORMA_DROP_TOO_LARGE], memory_order_relaxed);
    *ret = (struct orma_writer_counts){
        .emitted = written + no_chunk + too_large,
        .dropped_no_chunk = no_chunk,
        .dropped_too_large = too_large,
    };
}

void orma_pool_each_slot(struct orma_pool *self, bool reap, orma_pool_slot_fn fn, void *ctx)
{
    orma_guard_lock(&self->lock);
    if (reap)
        self->slots_changed = false;
    ORMA_LIST_EACH (struct orma_pool_slot, slot, &self->slots, link) {
        struct orma_writer_counts counts;

        slot->reaped = reap && slot->retired && !self->listed_num && !self->patches_num;
        /* A retired writer whose chunks are still listed needs another turn. */
        self->slots_changed |= slot->retired && !slot->reaped;
        counts_locked(slot, &counts);
        fn(ctx, slot, &counts);
        if (slot->reaped)
            slot_free(self, slot);
    }
    orma_guard_unlock(&self->lock);
}

void orma_pool_close(struct orma_pool *self)
{
    orma_guard_lock(&self->lock);
    /* Relaxed: writers that see it late only write into memory that nobody reads. */
    atomic_store_explicit(&self->closed, true, memory_order_relaxed);
    self->listed_num = 0;
    self->listed_bytes = 0;
    self->patches_num = 0;
    ORMA_LIST_EACH (struct orma_pool_slot, slot, &self->slots, link) {
        if (slot->retired)
            slot_free(self, slot);
    }
    orma_guard_unlock(&self->lock);
}

/* ---- both ---- */

void orma_pool_counts(struct orma_pool *self, const struct orma_pool_slot *slot,
                      struct orma_writer_counts *ret)
{
    orma_guard_lock(&self->lock);
    counts_locked(slot, ret);
    orma_guard_unlock(&self->lock);
}
