#include "tools/follow/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/read/inflate.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"

#define PIECE ((size_t)1 << 20)
/* A packet that claims more is damage, which the import looks for and counts. */
#define PACKET_MAX ((size_t)64 << 20)
#define PACKET_TAG (ORMA_PB_TRACE_PACKET << 3 | ORMA_PB_LEN)

int orma_follow_tail_open(const char *path, struct orma_follow_tail *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    uint8_t first;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -ENOTSUP;
    if (pread(fd, &first, 1, 0) == 1 && first != PACKET_TAG)
        return -EBADMSG;
    *ret = (struct orma_follow_tail){
        .path = path, .fd = fd, .dev = (uint64_t)st.st_dev, .ino = (uint64_t)st.st_ino};
    fd = -1;
    return 0;
}

void orma_follow_tail_close(struct orma_follow_tail *self)
{
    if (self->fd >= 0)
        (void)close(self->fd); /* was only read */
    self->fd = -1;
    orma_buf_fini(&self->rest);
}

/* The oldest flush has ended. The service says so of those that it gave up, too; Orma's, that it
 * did. */
static void end_flush(struct orma_follow_tail *self, uint64_t ts, bool all)
{
    if (!self->began_num)
        return;
    if (all && ts >= self->began[0] && ts - self->began[0] < ORMA_FOLLOW_FLUSH_NS)
        self->flushed = self->began[0];
    self->began_num--;
    memmove(self->began, self->began + 1, self->began_num * sizeof(self->began[0]));
}

static void take_event(struct orma_follow_tail *self, struct orma_pb_reader event, uint64_t ts)
{
    struct orma_pb_field f;
    bool flushed = false, all = true;

    while (orma_pb_next(&event, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACING_SERVICE_EVENT_FLUSH_STARTED:
            if (self->began_num < ORMA_FOLLOW_FLUSHES)
                self->began[self->began_num++] = ts;
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED:
            flushed = true;
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_ORMA_UNANSWERED:
            all = false;
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED:
            if (self->flushed > self->watermark)
                self->watermark = self->flushed;
            break;
        case ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED:
            self->ended = true;
            break;
        }
    }
    if (flushed)
        end_flush(self, ts, all);
}

static void scan_packets(struct orma_follow_tail *self, struct orma_str bytes, bool unpack);

/* What cannot be unpacked is the import's to tell. */
static void scan_packed(struct orma_follow_tail *self, const struct orma_pb_field *f)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    const enum orma_inflate_form form =
        f->id == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ? ORMA_INFLATE_ZLIB : ORMA_INFLATE_ZSTD;

    (void)orma_inflate(form, orma_pb_str(f), PACKET_MAX, &out);
    if (!out.failed)
        scan_packets(self, orma_buf_str(&out), false);
}

static void scan_packet(struct orma_follow_tail *self, struct orma_pb_reader packet, bool unpack)
{
    struct orma_pb_reader event = {0};
    struct orma_pb_field f;
    uint64_t ts = 0;

    while (orma_pb_next(&packet, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP)
            ts = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_TRACE_PACKET_SERVICE_EVENT)
            event = orma_pb_sub(&f);
        else if (unpack && (f.id == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ||
                            f.id == ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS))
            scan_packed(self, &f);
    }
    if (event.pos)
        take_event(self, event, ts);
}

static void scan_packets(struct orma_follow_tail *self, struct orma_str bytes, bool unpack)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET)
            scan_packet(self, orma_pb_sub(&f), unpack);
    }
}

void orma_follow_tail_scan(struct orma_follow_tail *self, const void *data, size_t len)
{
    scan_packets(self, (struct orma_str){data, len}, true);
}

/* Up to the end of the last packet that is there as a whole. */
static size_t whole_of(const uint8_t *data, size_t len)
{
    const uint8_t *at = data, *end = data + len;

    while (at < end) {
        const uint8_t *next = at + 1;
        uint64_t size;

        if (*at != PACKET_TAG)
            return len; /* damage, or another field: what it means is the import's to say */
        if (!orma_pb_varint_at(&next, end, &size))
            return end - at > 10 ? len : (size_t)(at - data);
        if (size > PACKET_MAX)
            return len;
        if (size > (uint64_t)(end - next))
            break;
        at = next + size;
    }
    return (size_t)(at - data);
}

/* Is it still the file of that name, and as long as it was? */
static bool is_same(const struct orma_follow_tail *self, uint64_t *ret_size)
{
    struct stat open_one, named;

    if (fstat(self->fd, &open_one) < 0)
        return false;
    *ret_size = (uint64_t)open_one.st_size;
    if (*ret_size < self->read)
        return false;
    if (stat(self->path, &named) < 0)
        return true; /* removed: what is open goes on */
    return (uint64_t)named.st_dev == self->dev && (uint64_t)named.st_ino == self->ino;
}

int orma_follow_tail_read(struct orma_follow_tail *self, orma_follow_take_fn *take, void *ctx)
{
    uint64_t size = 0;
    bool any = false;

    if (!is_same(self, &size))
        return ORMA_FOLLOW_ANEW;
    while (self->read < size) {
        if (!orma_buf_reserve(&self->rest, PIECE))
            return -ENOMEM;
        ssize_t n = pread(self->fd, self->rest.data + self->rest.len,
                          (size_t)ORMA_MIN(size - self->read, PIECE), (off_t)self->read);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return ORMA_FOLLOW_ANEW; /* cut meanwhile */
        self->rest.len += (size_t)n;
        self->read += (uint64_t)n;
        size_t whole = whole_of(self->rest.data, self->rest.len);
        if (!whole)
            continue;
        orma_follow_tail_scan(self, self->rest.data, whole);
        int r = take(ctx, self->rest.data, whole);
        if (r < 0)
            return r;
        self->whole += whole;
        orma_buf_consume(&self->rest, whole);
        any = true;
    }
    return any ? ORMA_FOLLOW_MORE : ORMA_FOLLOW_NOTHING;
}
