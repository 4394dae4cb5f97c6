/*
 * A packed trace in the cache, so that it is packed once only: what block 0 says and how long the
 * others are, then the blocks. These are read when they are asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "processor/view/view_impl.h"
#include "sdk/base/fd.h"

#define NAME "view 1" /* another number for another layout; the build is in the key anyway */
#define INFO_MAX (UINT32_C(1) << 30)
#define BLOCKS_MAX (UINT32_C(1) << 20)

struct head {
    uint32_t info, info_crc, blocks, texts; /* texts: the CRC-32 of those of the config */
};

static uint32_t crc_of(const void *data, size_t len)
{
    return (uint32_t)crc32(0, data, (uInt)len);
}

/* Other ranges, files and pages with reports are packed anew. */
static bool is_kept(const struct orma_view_config *config)
{
    return config->stored && !config->from_ns && !config->to_ns && !config->report;
}

static uint32_t texts_crc(const struct orma_view_config *config)
{
    const char *const texts[] = {config->title, config->losses, config->processes};
    uLong crc = 0;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        const char *text = texts[i] ? texts[i] : "";

        crc = crc32(crc, (const Bytef *)text, (uInt)strlen(text) + 1);
    }
    return (uint32_t)crc;
}

/* ---- writing ---- */

static int write_kept(void *ctx, int fd)
{
    const struct orma_view *self = ctx;
    struct head head = {.info = (uint32_t)self->info.len,
                        .info_crc = crc_of(self->info.data, self->info.len),
                        .blocks = self->blocks.len,
                        .texts = texts_crc(&self->config)};
    int r = orma_fd_write_all(fd, &head, sizeof(head));

    for (uint32_t i = 0; r == 0 && i < self->blocks.len; i++) {
        uint64_t len = self->blocks.data[i].packed.len;

        r = orma_fd_write_all(fd, &len, sizeof(len));
    }
    if (r == 0)
        r = orma_fd_write_all(fd, self->info.data, self->info.len);
    for (uint32_t i = 0; r == 0 && i < self->blocks.len; i++)
        r = orma_fd_write_all(fd, self->blocks.data[i].packed.data,
                              self->blocks.data[i].packed.len);
    return r;
}

int orma_view_keep(struct orma_view *self, int64_t took_ns)
{
    uint64_t bytes = self->info.len;
    struct orma_view_query q;
    bool named = false;

    if (!is_kept(&self->config) || self->kept >= 0)
        return 0;
    q = orma_view_query(self, "SELECT 1 FROM stack_profile_frame LIMIT 1");
    while (orma_view_next(&q))
        named = true; /* what they are called depends on what is installed here */
    if (named)
        return 0;
    for (uint32_t i = 0; i < self->blocks.len; i++)
        bytes += self->blocks.data[i].packed.len;
    return orma_processor_keep(self->tp, NAME, took_ns, write_kept, self, bytes);
}

/* ---- reading ---- */

/* The lengths of the blocks, and where each begins. */
static int read_lengths(struct orma_view *self, off_t at, uint32_t num, uint64_t info,
                        uint64_t file)
{
    uint64_t end = (uint64_t)at + num * sizeof(uint64_t) + info;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_view_block block = {.at = end};
        int r =
            orma_fd_read_at(self->kept, &block.bytes, sizeof(block.bytes), (uint64_t)at + i * 8);

        if (r < 0)
            return r;
        if (end > file || block.bytes > file - end)
            return -EBADMSG;
        end += block.bytes;
        if (ORMA_VEC_PUSH(&self->blocks, block) < 0)
            return -ENOMEM;
    }
    return end == file ? 0 : -EBADMSG;
}

static int read_kept(struct orma_view *self)
{
    off_t at = lseek(self->kept, 0, SEEK_CUR);
    struct head head;
    struct stat st;
    uint8_t *info;

    if (at < 0 || fstat(self->kept, &st) < 0)
        return -errno;
    int r = orma_fd_read_at(self->kept, &head, sizeof(head), (uint64_t)at);
    if (r < 0)
        return r;
    if (head.texts != texts_crc(&self->config) || head.info > INFO_MAX || head.blocks > BLOCKS_MAX)
        return -EBADMSG; /* or the trace has another name now */
    at += (off_t)sizeof(head);
    r = read_lengths(self, at, head.blocks, head.info, (uint64_t)st.st_size);
    if (r < 0)
        return r;
    info = orma_buf_extend(&self->info, head.info);
    if (!info)
        return -ENOMEM;
    r = orma_fd_read_at(self->kept, info, head.info, (uint64_t)at + head.blocks * sizeof(uint64_t));
    return r < 0 ? r : crc_of(info, head.info) == head.info_crc ? 0 : -EBADMSG;
}

bool orma_view_open_kept(struct orma_view *self)
{
    if (!is_kept(&self->config))
        return false;
    self->kept = orma_processor_kept(self->tp, NAME);
    if (self->kept < 0)
        return false;
    if (read_kept(self) == 0)
        return true;
    orma_processor_drop_kept(self->tp, NAME); /* it is packed anew */
    orma_fd_close(&self->kept);
    self->blocks.len = 0;
    orma_buf_clear(&self->info);
    return false;
}

bool orma_view_read_block(const struct orma_view *self, struct orma_view_block *block)
{
    uint8_t *data;

    if (self->kept < 0 || block->packed.len || !block->bytes)
        return true;
    data = orma_buf_extend(&block->packed, block->bytes);
    if (data && orma_fd_read_at(self->kept, data, block->bytes, block->at) == 0)
        return true;
    orma_buf_fini(&block->packed);
    return false;
}
