/*
 * The memory of the service in this process: one pool for all writers (as a service
 * shares one with each producer), and the buffers of sessions, into which the loop
 * moves what is complete.
 *
 *   pool --take, scrape--> sequences (pieces put together, patches) --> buffers
 *
 * A chunk that is still being written is read as far as its packets are finished; the
 * sequence remembers how far, so that the same chunk, complete, goes on from there.
 * All on the loop.
 */
#ifndef ORMA_SDK_CABI_STORE_H
#define ORMA_SDK_CABI_STORE_H
#include "sdk/cabi/cabi.h"

/* A buffer of a session: whole packets, each behind its size. */
struct orma_cabi_buffer {
    uint32_t target; /* what writers know it by */
    uint64_t size;
    bool discard; /* what does not fit; else the oldest goes */
    bool closed;  /* the session has ended */
    struct orma_buf data;
    size_t at; /* of the oldest packet */
    uint64_t written, overwritten, chunks, packets_lost, packets_discarded, packets_overwritten;
    struct orma_list seqs;
};

/* The pool of all writers; NULL without memory. */
int orma_cabi_store_begin(uint32_t shm_kb);
struct orma_pool *orma_cabi_store_pool(void);
void orma_cabi_store_open(struct orma_cabi_buffer *b);
void orma_cabi_store_close(struct orma_cabi_buffer *b); /* frees what it holds */
/* Everything that writers have completed; with `scrape` what they have not, too. */
void orma_cabi_store_drain(bool scrape);
/* Is there something to drain? */
bool orma_cabi_store_has_more(void);
/* Calls fn with each packet, oldest first, and forgets them. */
void orma_cabi_store_read(struct orma_cabi_buffer *b,
                          void (*fn)(void *ctx, const void *packet, size_t len), void *ctx);
/* Appends BufferStats and the ledger of its sequences. */
void orma_cabi_store_put_stats(struct orma_buf *out, struct orma_cabi_buffer *b, uint32_t idx);
void orma_cabi_store_after_fork(void);
#endif
