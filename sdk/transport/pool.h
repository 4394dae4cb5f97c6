/*
 * Pool: the shared memory of one connection (or the private memory of a
 * recording inside the process), seen from the writers' side.
 *
 * It finds free chunks, lists the complete ones in the order of completion, and
 * keeps one slot per writer with the counts of the loss ledger. Who takes the
 * listed chunks away (the "drainer") is another matter: the producer names them
 * to the service, a recording writes them to its file.
 *
 *   writer --acquire--> fills --complete--> [listed] --orma_pool_take()--> drainer
 *
 * A pool outlives its connection for as long as a writer refers to it. Once
 * closed, nothing can be acquired and what is completed goes nowhere.
 *
 * Threads: acquire, complete, add and retire from any, and from signal handlers
 * while the guard is down (guard.h); the calls under "drainer" from one thread at
 * a time.
 */
#ifndef ORMA_SDK_TRANSPORT_POOL_H
#define ORMA_SDK_TRANSPORT_POOL_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/list.h"
#include "sdk/shm/layout.h"
#include "sdk/transport/writer.h"

enum orma_drop_reason { ORMA_DROP_NO_CHUNK, ORMA_DROP_TOO_LARGE, ORMA_DROP_REASONS };

struct orma_pool;

/* What the drainer does for the writers. */
struct orma_pool_ops {
    /* There is something to drain. Any thread, with the pool locked: must neither block nor call
     * back. */
    void (*wake)(void *ctx);
    /*
     * No chunk is free. Frees some if this thread can; true: look again at once.
     * Called from the thread of orma_pool_set_drainer() only, or from all if `room_from_any`.
     */
    bool (*make_room)(void *ctx);
    bool room_from_any;
};

/*
 * A writer as the pool knows it; stays until its last counts are reported. The
 * atomic cells are written by the writer's thread and read by the drainer.
 */
struct orma_pool_slot {
    struct orma_list link; /* pool.slots */
    uint16_t id;
    uint32_t target_buffer;
    bool announced;                     /* drainer's: the id was sent to the service */
    bool retired;                       /* the writer is gone */
    bool reaped;                        /* freed after this call of each_slot */
    struct orma_writer_counts reported; /* drainer's */

    /* Packets in the chunks completed so far. Changes with `current`, under the pool's lock. */
    _Atomic uint64_t written;
    /* Relaxed: a report that misses the latest drop is followed by one that does not. */
    _Atomic uint64_t dropped[ORMA_DROP_REASONS];
    /* Header of the chunk being filled, NULL if none: its packets count as well. */
    _Atomic(struct orma_shm_chunk_header *) current;
};

/* A complete chunk in the list. */
struct orma_pool_chunk {
    struct orma_shm_chunk chunk;
    uint32_t chunk_id;
    uint32_t target_buffer;
    uint16_t writer_id;
};

/* A nested size that became known after its chunk was completed. */
struct orma_pool_patch {
    uint32_t chunk_id;
    uint32_t offset; /* from the first payload byte */
    uint32_t size;
    uint32_t target_buffer;
    uint16_t writer_id;
    bool last; /* of its chunk */
};

struct orma_pool {
    _Atomic uint32_t refs;
    _Atomic bool closed;
    _Atomic uint32_t cursor;      /* page to look at first: a hint */
    _Atomic uint32_t writers_num; /* decides how finely new pages are cut */
    _Atomic bool starving;        /* a writer found nothing free: drain now */
    /* The drainer's thread as a token that differs between threads; 0: none. */
    _Atomic uintptr_t drainer;

    struct orma_shm shm;
    void (*unmap)(void *base, size_t size);
    const struct orma_pool_ops *ops;
    void *ctx;

    /* Of all below, under the guard (guard.h); innermost but for that of mem.h. */
    pthread_mutex_t lock;
    struct orma_list slots;
    bool slots_changed; /* added or retired since orma_pool_each_slot() */
    uint16_t last_id;
    uint8_t ids[(ORMA_SHM_WRITER_ID_MAX + 8) / 8]; /* bitmap of ids in use */
    struct orma_pool_chunk *listed;                /* ring of listed_cap */
    uint32_t listed_cap, listed_begin, listed_num;
    size_t listed_bytes;
    struct orma_pool_patch *patches; /* in order of completion */
    size_t patches_num, patches_cap;
};

/*
 * Takes the memory (zero-filled, as in sdk/shm/layout.h) on success; `unmap`
 * gives it back. -EINVAL: sizes. -ENOMEM.
 */
int orma_pool_new(void *base, size_t size, uint32_t page_size,
                  void (*unmap)(void *base, size_t size), const struct orma_pool_ops *ops,
                  void *ctx, struct orma_pool **ret);
struct orma_pool *orma_pool_ref(struct orma_pool *self);
void orma_pool_unref(struct orma_pool *self);

/* ---- writers ---- */

/* -ENOSPC: no id is free. -ESHUTDOWN: closed. -ENOMEM. */
int orma_pool_add(struct orma_pool *self, uint32_t target_buffer, struct orma_pool_slot **ret);

/* The writer is gone; the slot is freed when its last counts are reported. */
void orma_pool_retire(struct orma_pool *self, struct orma_pool_slot *slot);

/* Looks at up to `pages` pages for a free chunk. False: none. `first_packets`: see
 * orma_shm_acquire(). */
bool orma_pool_acquire(struct orma_pool *self, struct orma_pool_slot *slot, uint32_t chunk_id,
                       uint16_t first_packets, uint32_t pages, struct orma_shm_chunk *ret);

/* True: this thread could free chunks itself and did what it could; look again at once. */
bool orma_pool_make_room(struct orma_pool *self);

/* Nothing was free: the drainer is not to wait for more. Cheap to repeat. */
void orma_pool_starve(struct orma_pool *self);

/*
 * Completes and lists a chunk in which `finished` packets ended; `packets` is the last value of
 * its header's word. (While it was being filled, the count there was `finished` and one more, so
 * it may not change before the chunk is taken out of the counting.)
 */
void orma_pool_complete(struct orma_pool *self, struct orma_pool_slot *slot,
                        const struct orma_shm_chunk *chunk, uint16_t packets, uint32_t finished);

/* -ENOMEM: the patch is lost, and with it the packet. */
int orma_pool_patch(struct orma_pool *self, const struct orma_pool_patch *patch);

/* ---- drainer ---- */

/* The calling thread is the one that drains; orma_pool_make_room() may call back on it. */
void orma_pool_set_drainer(struct orma_pool *self);

enum orma_pool_need {
    ORMA_POOL_IDLE,
    ORMA_POOL_SLOTS,  /* writers came or went */
    ORMA_POOL_LISTED, /* chunks are listed: drain when it suits */
    ORMA_POOL_URGENT, /* much is listed, or a writer found nothing free, or a patch waits */
};
enum orma_pool_need orma_pool_need(struct orma_pool *self);
bool orma_pool_has_listed(struct orma_pool *self);

/* Moves up to `max` from the list to `ret`, oldest first. */
size_t orma_pool_take(struct orma_pool *self, struct orma_pool_chunk *ret, size_t max);

/* For readers in the same process, when they have freed what they took: writers look at the first
 * pages again, which are warm, and the rest of a large pool is never touched. */
static inline void orma_pool_look_from_start(struct orma_pool *self)
{
    atomic_store_explicit(&self->cursor, 0, memory_order_relaxed);
}

/* As orma_pool_take(), for patches: their chunks are listed, or were taken before. */
size_t orma_pool_take_patches(struct orma_pool *self, struct orma_pool_patch *ret, size_t max);

/* Fills a patch into a chunk that is still listed; the last one clears its flag. For local memory
 * only. */
void orma_pool_patch_listed(struct orma_pool *self, const struct orma_pool_patch *patch);

/* Called with the pool locked. */
typedef void (*orma_pool_slot_fn)(void *ctx, struct orma_pool_slot *slot,
                                  const struct orma_writer_counts *counts);

/*
 * Every slot with its counts as of now. With `reap`, retired slots are freed after
 * their call if nothing is listed any more: these counts are then their last.
 */
void orma_pool_each_slot(struct orma_pool *self, bool reap, orma_pool_slot_fn fn, void *ctx);

/* Now nothing more is acquired, and ops are called no more once this returns. Idempotent. */
void orma_pool_close(struct orma_pool *self);

/* ---- both ---- */

/* Counts of one slot. Exact when its writer rests, else a state that it has passed through. */
void orma_pool_counts(struct orma_pool *self, const struct orma_pool_slot *slot,
                      struct orma_writer_counts *ret);
#endif
