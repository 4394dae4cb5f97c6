/*
 * A file of packets that grows: what is whole of it, in the order of the file, and up to which time
 * all writers have delivered.
 *
 * The service says in the file when a flush began, when all data sources had answered, and when its
 * buffers had been read after that. What happened before that flush began is then in the file: its
 * begin is the watermark, unless some had not answered. Packets that are packed are unpacked for
 * these words.
 *
 * The file is read, never mapped, so it may shrink. Threads: none.
 */
#ifndef ORMA_TOOLS_FOLLOW_TAIL_H
#define ORMA_TOOLS_FOLLOW_TAIL_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* More that wait at a time are not looked at. */
#define ORMA_FOLLOW_FLUSHES 64
/* The service's limit: a flush that took so long was given up. */
#define ORMA_FOLLOW_FLUSH_NS UINT64_C(5000000000)

struct orma_follow_tail {
    const char *path;
    int fd;             /* -1: not open */
    uint64_t dev, ino;  /* of what is open */
    uint64_t read;      /* bytes that were read of it */
    uint64_t whole;     /* bytes up to the end of the last whole packet */
    uint64_t watermark; /* BOOTTIME in ns; 0: unknown */
    bool ended;         /* the service has said that the recording is over */
    /* When flushes began that have not ended, the oldest first: they end in this order. */
    uint64_t began[ORMA_FOLLOW_FLUSHES];
    unsigned began_num;
    uint64_t flushed;     /* the newest that has ended, until the buffers were read; 0: none */
    struct orma_buf rest; /* read, but not whole yet */
};

enum orma_follow_news {
    ORMA_FOLLOW_NOTHING,
    ORMA_FOLLOW_MORE,
    ORMA_FOLLOW_ANEW, /* the file was cut or replaced: it has to be read from its begin */
};

/* Opens it. -ENOTSUP: not a regular file; -EBADMSG: it does not begin as packets do; -errno. An
 * empty file is fine. */
int orma_follow_tail_open(const char *path, struct orma_follow_tail *ret);
void orma_follow_tail_close(struct orma_follow_tail *self);

/* Takes whole packets; negative: ends the reading with that. */
typedef int orma_follow_take_fn(void *ctx, const void *data, size_t len);

/* Reads on, up to what the file has now. An enum orma_follow_news, or -errno. */
int orma_follow_tail_read(struct orma_follow_tail *self, orma_follow_take_fn *take, void *ctx);

/* Looks for the service's words in whole packets that were read in another way. */
void orma_follow_tail_scan(struct orma_follow_tail *self, const void *data, size_t len);
#endif
