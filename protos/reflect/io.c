#include "protos/reflect/io.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static ssize_t fd_read(void *ctx, void *to, size_t len)
{
    ssize_t n;

    do
        n = read((int)(intptr_t)ctx, to, len);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

static int fd_write(void *ctx, const void *data, size_t len)
{
    const char *at = data;

    while (len) {
        ssize_t n = write((int)(intptr_t)ctx, at, len);

        if (n < 0 && errno != EINTR)
            return -errno;
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int buf_write(void *ctx, const void *data, size_t len)
{
    struct orma_buf *buf = ctx;

    orma_buf_put(buf, data, len);
    return buf->failed ? -ENOMEM : 0;
}

struct orma_reflect_source orma_reflect_source_fd(int fd)
{
    return (struct orma_reflect_source){fd_read, (void *)(intptr_t)fd};
}

struct orma_reflect_sink orma_reflect_sink_fd(int fd)
{
    return (struct orma_reflect_sink){fd_write, (void *)(intptr_t)fd};
}

struct orma_reflect_sink orma_reflect_sink_buf(struct orma_buf *buf)
{
    return (struct orma_reflect_sink){buf_write, buf};
}
