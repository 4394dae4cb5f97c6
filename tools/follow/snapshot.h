/*
 * A session of the service as it is now: flushed, copied and loaded. The session goes on.
 */
#ifndef ORMA_TOOLS_FOLLOW_SNAPSHOT_H
#define ORMA_TOOLS_FOLLOW_SNAPSHOT_H
#include <stdint.h>

#include "processor/processor.h"

struct orma_consumer;

struct orma_follow_snapshot {
    const char *program;        /* in messages */
    const char *session;        /* its number in `orma status`, or its unique name */
    const char *addr;           /* of the service; NULL: where the system's is */
    struct orma_consumer *keep; /* whose connection is read meanwhile; NULL: none */
    struct orma_processor_config config;
    bool quiet; /* a session that is not there is no error */
    orma_progress_fn *progress; /* of the load; NULL: none. What it cancels is no error either */
    void *ctx;

    /* Results. */
    uint64_t taken_ns; /* BOOTTIME: what was before this is in it, if nobody was late */
    uint64_t bytes;
};

/* 0 and *ret, loaded. Negative errno: said why, unless quiet; -ENOENT: no service answers. */
int orma_follow_snapshot(struct orma_follow_snapshot *self, struct orma_processor **ret);
#endif
