/*
 * Where streams come from and go to: two callbacks, so that the conversions do not
 * depend on files. For descriptors there are orma_reflect_source_fd() and orma_reflect_sink_fd().
 */
#ifndef ORMA_PROTOS_REFLECT_IO_H
#define ORMA_PROTOS_REFLECT_IO_H
#include <stddef.h>
#include <sys/types.h>

#include "sdk/base/buf.h"

/* Bytes read (1..len), 0 at the end, -errno. */
struct orma_reflect_source {
    ssize_t (*read)(void *ctx, void *to, size_t len);
    void *ctx;
};

/* Takes all bytes: 0, or -errno. */
struct orma_reflect_sink {
    int (*write)(void *ctx, const void *data, size_t len);
    void *ctx;
};

/* The descriptor stays the caller's; it must be in blocking mode. */
struct orma_reflect_source orma_reflect_source_fd(int fd);
struct orma_reflect_sink orma_reflect_sink_fd(int fd);

/* Appends; -ENOMEM when the buffer refuses. */
struct orma_reflect_sink orma_reflect_sink_buf(struct orma_buf *buf);
#endif
