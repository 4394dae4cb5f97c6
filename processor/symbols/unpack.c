#include "processor/symbols/unpack.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif
#include "sdk/base/defs.h"
#include "sdk/base/dynlib.h"
#include "sdk/base/fd.h"

#define BLOCK_BYTES 65536u
#define PACKED_BY_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older headers lack */

struct file {
    int fd, copy;             /* copy -1: none was needed so far */
    uint64_t size, end, left; /* end: of the copy; left: bytes that may still be unpacked */
    uint64_t packed;          /* of the file that may still be read: sections do not overlap */
};

static int make_copy(struct file *f)
{
    off_t at = 0;

    f->copy = memfd_create("unpacked", MFD_CLOEXEC);
    if (f->copy < 0)
        return -errno;
    while ((uint64_t)at < f->size) {
        ssize_t n = sendfile(f->copy, f->fd, &at, f->size - (uint64_t)at);

        if (n < 0)
            return -errno;
        if (!n)
            return -EBADMSG; /* it became shorter */
    }
    f->end = (f->size + 15) & ~UINT64_C(15);
    return 0;
}

#ifdef ORMA_HAVE_ZSTD
static int write_out(struct file *f, const uint8_t *data, size_t len, uint64_t *room)
{
    if (len > *room)
        return -EBADMSG;
    for (size_t done = 0; done < len;) {
        ssize_t n = pwrite(f->copy, data + done, len - done, (off_t)f->end);

        if (n < 0)
            return -errno;
        done += (size_t)n;
        f->end += (uint64_t)n;
    }
    *room -= len;
    return 0;
}

/* From `at` in the file to the end of the copy; exactly `want` bytes come of it. */
static int unpack(struct file *f, uint64_t at, uint64_t len, uint64_t want)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    uint8_t *block = malloc(2 * (size_t)BLOCK_BYTES);
    uint64_t room = want;
    int r = stream && block ? 0 : -ENOMEM;

    while (r == 0 && len) {
        ZSTD_inBuffer in = {block, ORMA_MIN(len, (uint64_t)BLOCK_BYTES), 0};

        r = orma_fd_read_at(f->fd, block, in.size, at);
        at += in.size;
        len -= in.size;
        for (bool more = true; r == 0 && more;) {
            ZSTD_outBuffer out = {block + BLOCK_BYTES, BLOCK_BYTES, 0};

            if (ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
                r = -EBADMSG;
            else
                r = write_out(f, out.dst, out.pos, &room);
            more = in.pos < in.size || out.pos == out.size;
        }
    }
    ZSTD_freeDStream(stream);
    free(block);
    return r < 0 ? r : room ? -EBADMSG : 0;
}
#else
static int unpack(struct file *f, uint64_t at, uint64_t len, uint64_t want)
{
    (void)f, (void)at, (void)len, (void)want;
    return -ENOTSUP;
}
#endif

/* One section, with its header in the copy. 1 if it was packed. */
static int take_section(struct file *f, uint64_t head_at)
{
    Elf64_Shdr head;
    Elf64_Chdr packed;

    int r = orma_fd_read_at(f->fd, &head, sizeof(head), head_at);
    if (r < 0)
        return r;
    if (!(head.sh_flags & SHF_COMPRESSED) || head.sh_type == SHT_NOBITS ||
        head.sh_size < sizeof(packed) || head.sh_offset > f->size ||
        head.sh_size > f->size - head.sh_offset ||
        orma_fd_read_at(f->fd, &packed, sizeof(packed), head.sh_offset) < 0 ||
        packed.ch_type != PACKED_BY_ZSTD)
        return 0;
    if (packed.ch_size > f->left || head.sh_size > f->packed)
        return -EFBIG;
    f->packed -= head.sh_size;
    r = f->copy < 0 ? make_copy(f) : 0;
    const uint64_t at = f->end;
    if (r == 0)
        r = unpack(f, head.sh_offset + sizeof(packed), head.sh_size - sizeof(packed),
                   packed.ch_size);
    if (r < 0)
        return r;
    f->left -= packed.ch_size;
    f->end = (f->end + 15) & ~UINT64_C(15);
    head.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    head.sh_offset = at;
    head.sh_size = packed.ch_size;
    head.sh_addralign = packed.ch_addralign;
    return pwrite(f->copy, &head, sizeof(head), (off_t)head_at) == (ssize_t)sizeof(head) ? 1 : -EIO;
}

int orma_binary_unpack(int fd, uint64_t size, uint64_t max, int *ret_fd, uint64_t *ret_size)
{
    struct file f = {.fd = fd, .copy = -1, .size = size, .left = max, .packed = size};
    Elf64_Ehdr elf;
    int r = 0;

    if (orma_fd_read_at(fd, &elf, sizeof(elf), 0) < 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        (elf.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ||
        elf.e_shentsize != sizeof(Elf64_Shdr) || elf.e_shoff > size ||
        elf.e_shnum > (size - elf.e_shoff) / sizeof(Elf64_Shdr))
        return 0; /* libelf knows better */
    for (unsigned i = 1; r >= 0 && i < elf.e_shnum; i++)
        r = take_section(&f, elf.e_shoff + (uint64_t)i * sizeof(Elf64_Shdr));
    if (r >= 0 && f.copy >= 0 && ftruncate(f.copy, (off_t)f.end) < 0)
        r = -errno;
    if (r < 0 || f.copy < 0) {
        orma_fd_close(&f.copy);
        return r < 0 ? r : 0;
    }
    *ret_fd = f.copy;
    *ret_size = f.end;
    return 1;
}

/* ---- xz ---- */

#define XZ_BYTES_MAX ((uint64_t)256 << 20)
#define XZ_MEMORY_MAX ((uint64_t)256 << 20)

/* The library has its own headers, which nobody needs for one function: as in lzma/container.h. */
int lzma_stream_buffer_decode(uint64_t *memory, uint32_t flags, const void *allocator,
                              const uint8_t *in, size_t *in_pos, size_t in_size, uint8_t *out,
                              size_t *out_pos, size_t out_size);
enum { LZMA_OK = 0, LZMA_BUF_ERROR = 10 };

#define FUNCTIONS(X) X(lzma_stream_buffer_decode)

struct functions {
    FUNCTIONS(ORMA_DYNLIB_POINTER)
};

/* Nothing says how large it becomes. */
static int decode(const struct functions *lzma, const uint8_t *packed, size_t len, size_t max,
                  struct orma_buf *ret)
{
    size_t room = ORMA_MAX(len, (size_t)1 << 16) * 4;

    do {
        uint64_t memory = XZ_MEMORY_MAX;
        size_t in = 0, out = 0;

        room = ORMA_MIN(room * 2, max);
        orma_buf_clear(ret);
        if (!orma_buf_extend(ret, room))
            return -ENOMEM;
        int r = lzma->lzma_stream_buffer_decode(&memory, 0, NULL, packed, &in, len, ret->data, &out,
                                                room);
        ret->len = out;
        if (r == LZMA_OK)
            return 0;
        if (r != LZMA_BUF_ERROR)
            return -EBADMSG;
    } while (room < max);
    return -EFBIG;
}

int orma_binary_unpack_xz(const void *packed, size_t len, uint64_t max, int *ret_fd)
{
    static const char *const names[] = {FUNCTIONS(ORMA_DYNLIB_NAME)};
    ORMA_AUTO(orma_buf_fini) struct orma_buf bytes = {0};
    struct functions lzma;

    if (!orma_dynlib_load("liblzma.so.5", names, ORMA_ARRAY_LEN(names), &lzma))
        return -ENOTSUP;
    if (len > XZ_BYTES_MAX / 8)
        return -EFBIG;
    int r = decode(&lzma, packed, len, (size_t)ORMA_MIN(max, XZ_BYTES_MAX), &bytes);
    if (r < 0)
        return r;
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("unpacked", MFD_CLOEXEC);
    r = fd < 0 ? -errno : orma_fd_write_all(fd, bytes.data, bytes.len);
    if (r < 0)
        return r;
    *ret_fd = fd;
    fd = -1;
    return 0;
}
