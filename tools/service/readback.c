#include "tools/service/readback.h"

#include <errno.h>
#include <unistd.h>

#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_writer.h"
#include "traced/output/file.h"

/* One write() per block: small enough to stay in the cache, large enough to cost nothing. */
#define BLOCK ((size_t)1 << 20)

struct output {
    int fd;
    struct orma_buf block;
    struct orma_fd_wait *wait; /* NULL: without limit */
    struct orma_service_written written;
    uint64_t *bytes;
    int error; /* of the first write that failed; there is no second */
};

/* How much of the block a regular file has taken before it failed: whole packets stay. */
static uint64_t keep_packets(const struct output *out, off_t before)
{
    off_t now = before < 0 ? -1 : lseek(out->fd, 0, SEEK_CUR);

    return now <= before || (uint64_t)(now - before) > out->block.len
               ? 0
               : traced_file_cut_back(out->fd, &out->block, (size_t)(now - before));
}

static int write_block(struct output *out)
{
    off_t before = lseek(out->fd, 0, SEEK_CUR);
    int r;

    if (out->block.failed)
        return -ENOMEM;
    if (out->wait)
        r = orma_fd_write_until(out->fd, out->block.data, out->block.len, out->wait);
    else
        r = orma_fd_write_all(out->fd, out->block.data, out->block.len);
    if (r == 0 && out->written.fn)
        out->written.fn(out->written.ctx, out->block.data, out->block.len);
    *out->bytes += r == 0 ? out->block.len : keep_packets(out, before);
    return r;
}

static int flush(struct output *out)
{
    int r = out->error ? out->error : write_block(out);

    out->error = r;
    orma_buf_clear(&out->block);
    return r;
}

static int take_packet(void *ctx, const uint8_t *packet, size_t len)
{
    struct output *out = ctx;

    orma_pb_put_bytes(&out->block, ORMA_PB_TRACE_PACKET, packet, len);
    return out->block.len < BLOCK ? 0 : flush(out);
}

int orma_service_readback_to(struct orma_consumer *consumer, int fd, int timeout_ms,
                             struct orma_fd_wait *wait, const struct orma_service_written *written,
                             uint64_t *bytes)
{
    struct output out = {.fd = fd, .wait = wait, .written = *written, .bytes = bytes};
    int r = orma_consumer_read_wait(consumer, timeout_ms, take_packet, &out);
    int last = flush(&out); /* packets that came before a failure are worth keeping */

    orma_buf_fini(&out.block);
    return r < 0 ? r : last;
}

int orma_service_readback(struct orma_consumer *consumer, int fd, int timeout_ms,
                          struct orma_fd_wait *wait, uint64_t *bytes)
{
    const struct orma_service_written nobody = {0};

    return orma_service_readback_to(consumer, fd, timeout_ms, wait, &nobody, bytes);
}
