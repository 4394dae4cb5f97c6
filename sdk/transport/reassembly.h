/*
 * Puts the packets of one sequence together, from its chunks in their order:
 *
 *   chunk ── waits for a patch? no:  its records are read, packets go out
 *                               yes: copied to `held`, with all that follows, until the patch comes
 *
 * so that packets leave in their order, and the chunk itself is free at once. A packet in several
 * pieces is gathered in `part`; `open` says whether its beginning is there. A chunk that is still
 * being written can be read as far as its records are finished; the same chunk, complete, then goes
 * on from there.
 *
 * Chunks are of this process, so they are trusted as far as its memory is; still no size leaves its
 * chunk. Memory is mapped (buf.h, own_mem): events may drain, in signal handlers even.
 * Threads: none.
 */
#ifndef ORMA_SDK_TRANSPORT_REASSEMBLY_H
#define ORMA_SDK_TRANSPORT_REASSEMBLY_H
#include "sdk/base/buf.h"
#include "sdk/transport/pool.h"

/* The packet that the last chunk ended in the middle of. */
enum orma_open_packet {
    ORMA_OPEN_NONE,
    ORMA_OPEN_HERE, /* its beginning is in `part` */
    ORMA_OPEN_GONE, /* its beginning was given away unread */
};

/* What becomes of packets; ctx is the caller's. */
struct orma_reassembly_ops {
    void (*packet)(void *ctx, const void *packet, size_t len);
    /* A packet that was begun does not go on. `was`: what there was of it. */
    void (*cut)(void *ctx, enum orma_open_packet was);
    /* The same, but its writer says so, and has counted it. May be NULL. */
    void (*given_up)(void *ctx);
};

struct orma_reassembly {
    const struct orma_reassembly_ops *ops;
    void *ctx;
    enum orma_open_packet open;
    struct orma_buf part, held;
    uint32_t scraped_id; /* the chunk that was read before it was complete, */
    uint32_t scraped;    /* how many of its records, */
    size_t scraped_at;   /* and as far as that */
};

void orma_reassembly_init(struct orma_reassembly *self, const struct orma_reassembly_ops *ops,
                          void *ctx);
void orma_reassembly_fini(struct orma_reassembly *self);

/* A complete chunk. */
void orma_reassembly_take(struct orma_reassembly *self, const struct orma_pool_chunk *c);

/* The first `count` records of a chunk that is being written; `packets` is its word. Nothing while
 * others before it wait for a patch. */
void orma_reassembly_scrape(struct orma_reassembly *self, uint32_t chunk_id, uint16_t packets,
                            unsigned count, const uint8_t *payload, size_t len);

/* False: the chunk is not held. */
bool orma_reassembly_patch(struct orma_reassembly *self, const struct orma_pool_patch *patch);

/* Patches of any sequence: find(ctx, writer id) gives its reassembly, or NULL. */
void orma_reassembly_take_patches(struct orma_pool *pool,
                                  struct orma_reassembly *(*find)(void *ctx, uint16_t writer_id),
                                  void *ctx);

/* A complete chunk is given away unread. The number of packets that end in it. */
unsigned orma_reassembly_skip(struct orma_reassembly *self, const struct orma_pool_chunk *c);

/* No more chunks come. */
void orma_reassembly_end(struct orma_reassembly *self);
#endif
