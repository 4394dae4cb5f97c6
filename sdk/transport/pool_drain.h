/*
 * Drain of a recording: takes complete chunks out of a pool, puts the packets
 * of each sequence together, and appends them to a buffer as a trace file,
 * each with its sequence id. The counterpart of the service, in small.
 *
 * The chunks are of this process, so they are trusted as far as its memory is;
 * still no size leaves its chunk.
 * Threads: one at a time.
 */
#ifndef ORMA_SDK_TRANSPORT_POOL_DRAIN_H
#define ORMA_SDK_TRANSPORT_POOL_DRAIN_H
#include "sdk/base/buf.h"
#include "sdk/base/map.h"
#include "sdk/transport/pool.h"

struct orma_pool_drain_seq;

struct orma_pool_drain {
    struct orma_pool *pool;
    struct orma_buf out;  /* Trace message so far; taken and emptied by the owner */
    struct orma_map seqs; /* writer id -> struct orma_pool_drain_seq */
    uint32_t pid, uid;
    uint64_t written, overwritten, cut; /* packets */
    /* Takes each packet instead of `out`; NULL: none. */
    void (*sink)(void *ctx, uint16_t writer_id, const void *packet, size_t len);
    void *sink_ctx;
};

typedef void (*orma_pool_drain_seq_fn)(void *ctx, uint16_t writer_id, uint64_t lost);

void orma_pool_drain_init(struct orma_pool_drain *self, struct orma_pool *pool);
void orma_pool_drain_fini(struct orma_pool_drain *self);

/* Everything listed; the chunks are free again. */
void orma_pool_drain_all(struct orma_pool_drain *self);

/* Gives the oldest chunks back unread, `num` at most; their packets count as overwritten. False:
 * none is listed. */
bool orma_pool_drain_overwrite(struct orma_pool_drain *self, size_t num);

/* A packet of the recording itself, sequence 1. */
void orma_pool_drain_add(struct orma_pool_drain *self, const void *packet, size_t len);

/* The last counts, with those of retired writers. Call it when all is drained. */
void orma_pool_drain_counts(struct orma_pool_drain *self, uint64_t *ret_emitted,
                            uint64_t *ret_dropped);

/* What each sequence lost: dropped, and cut short. After orma_pool_drain_counts(). */
void orma_pool_drain_each_loss(const struct orma_pool_drain *self, orma_pool_drain_seq_fn fn,
                               void *ctx);

/* Appends TraceStats with the ledger by sequence. */
void orma_pool_drain_add_stats(struct orma_pool_drain *self);
#endif
