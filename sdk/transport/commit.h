/*
 * Committer: turns what a pool has listed into requests to the service:
 * announcements of writers, CommitData (chunks, patches, counts of the loss
 * ledger). Keeps nothing but scratch memory; loop thread only.
 */
#ifndef ORMA_SDK_TRANSPORT_COMMIT_H
#define ORMA_SDK_TRANSPORT_COMMIT_H
#include "sdk/base/buf.h"
#include "sdk/ipc/client.h"
#include "sdk/transport/pool.h"

struct orma_committer {
    struct orma_ipc_client *ipc;
    struct orma_pool *pool;
    bool inline_data; /* the service does not see the memory: chunks travel as bytes */
    struct orma_buf request;
    struct orma_buf scratch;
    uint64_t chunks_sent, requests_sent; /* how many chunks does the service find when it wakes? */
};

void orma_committer_fini(struct orma_committer *self);

/* Everything listed so far and the counts that changed. 0, or -errno: the connection is over. */
int orma_commit_all(struct orma_committer *self);

/* In-line mode: the chunks still being written as well, as a service would scrape them. */
int orma_commit_scrape(struct orma_committer *self);

/* Tells that the flush request and all before it are done. Send the data first. */
int orma_commit_flush_ack(struct orma_committer *self, uint64_t flush_id);
#endif
