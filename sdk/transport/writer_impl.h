/*
 * The inside of a writer, for those who encode straight into its chunk (track
 * events, packets of data sources). Everybody else uses writer.h.
 *
 *   chunk payload: [record][record]...[free          ][reserve]
 *                                     ^pos            ^end     4 bytes for the drop marker
 *
 * While a chunk is held, the count in its header is the number of finished
 * records plus one: a scraper then takes the last counted record for one that
 * is being written, which it is, or will be.
 *
 * A record is added in three steps: space = end - pos; write size and bytes at
 * pos; orma_writer_advance(). Nothing is visible before the third.
 */
#ifndef ORMA_SDK_TRANSPORT_WRITER_IMPL_H
#define ORMA_SDK_TRANSPORT_WRITER_IMPL_H
#include "sdk/base/assert.h"
#include "sdk/transport/pool.h"
#include "sdk/transport/writer.h"

/* Size word of a packet that goes on in the next chunk, and the drop marker. */
#define ORMA_WRITER_SIZE_LEN 4u
/* Records added without looking at the count are at least so long, so `end` bounds their number. */
#define ORMA_WRITER_RECORD_MIN 9u

/* Around a wait for a chunk, on the writer's thread. No chunk is held meanwhile. */
struct orma_writer_hooks {
    void (*before_wait)(void *ctx);
    void (*after_wait)(void *ctx);
};

struct orma_writer {
    uint8_t *pos;
    uint8_t *end; /* == pos (NULL) without a chunk */
    struct orma_shm_chunk_header *header;
    uint32_t packets; /* the header's word as stored last: finished + 1, flags */

    /* ---- cold ---- */
    enum orma_policy policy;
    bool dropping; /* the policy has given up; until a chunk is had again */
    bool first;    /* nothing was written yet */
    bool lost;     /* since the last packet written */
    bool restart;  /* for orma_writer_take_restart() */
    uint32_t next_chunk_id;
    uint8_t *hard_end; /* the chunk's end less the reserve */
    struct orma_pool *pool;
    struct orma_pool_slot *slot;
    struct orma_shm_chunk chunk;
    const struct orma_writer_hooks *hooks; /* may be NULL */
    void *hooks_ctx;
    /* Set when the data source stops: a waiting writer gives up. */
    _Atomic bool hurry;
    const _Atomic uint64_t *wait_end; /* see orma_writer_wait_until(); may be NULL */
};

/* As orma_writer_new(), in a pool of the caller's. Takes its own reference. */
int orma_writer_new_in_pool(struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                            struct orma_writer **ret);

/* The record ending at `end` is finished. */
static inline void orma_writer_advance(struct orma_writer *self, uint8_t *end)
{
    ORMA_ASSERT_HOT(end > self->pos && end <= self->hard_end);
    ORMA_ASSERT_HOT((self->packets & ORMA_SHM_PACKETS_MASK) < ORMA_SHM_PACKETS_MASK);
    self->pos = end;
    self->packets++;
    /* release: pairs with the scraper's acquire in the service; it then sees the record whole. */
    atomic_store_explicit(&self->header->packets, (uint16_t)self->packets, memory_order_release);
}

/* Adds a whole record, its size included, if it fits after pos: also between `end` and the
 * reserve. */
bool orma_writer_add(struct orma_writer *self, const uint8_t *record, size_t len);

/*
 * Makes end - pos at least `need` bytes (<= 256) and the count low enough for one more
 * record, in a new chunk where necessary. False: nothing to be had; the caller counts.
 */
bool orma_writer_make_room(struct orma_writer *self, uint32_t need);

/*
 * The next chunk. `piece` is the size word of the piece just written when a packet goes on in the
 * new chunk, else NULL; `flags` are further ones of the old chunk. False: none to be had, and none
 * is held; *ret_counts: must the caller count the packet as lost, or will the reader?
 */
bool orma_writer_next_chunk(struct orma_writer *self, uint8_t *piece, uint32_t flags,
                            bool *ret_counts);

/* Puts the drop marker in the place of the piece's size and hands the chunk over. */
void orma_writer_abandon(struct orma_writer *self, uint8_t *piece);

/* What goes in front of the packet that follows; bytes written (<= 8). Ends with
 * orma_writer_marked(). */
size_t orma_writer_marks(const struct orma_writer *self, uint8_t *to);
static inline void orma_writer_marked(struct orma_writer *self)
{
    self->first = self->lost = false;
}

/* The reader will find a piece of the packet missing, and count it. */
void orma_writer_count_cut(struct orma_writer *self);

/* Recomputes `end` after pos or the count has changed other than by orma_writer_advance(). */
void orma_writer_set_end(struct orma_writer *self);

/* One packet of this writer was lost. (A signal handler may count at any moment as well.) */
void orma_writer_count_drop(struct orma_writer *self, enum orma_drop_reason reason);

static inline void orma_writer_set_hooks(struct orma_writer *self,
                                         const struct orma_writer_hooks *hooks, void *ctx)
{
    self->hooks = hooks;
    self->hooks_ctx = ctx;
}

/* Ends the present wait for a chunk and forbids further ones. From any thread. */
void orma_writer_hurry(struct orma_writer *self);
#endif
