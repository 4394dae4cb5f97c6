/*
 * Deflate (zlib, gzip), Zstandard, xz and bzip2, as far as they were built in.
 *
 * Output is bounded: at most ORMA_INFLATE_RATIO bytes per byte of input plus
 * ORMA_INFLATE_FREE, so that a bomb gives -EFBIG instead of filling memory. What is packed in what
 * was packed multiplies, and what came out of packets is kept until the load ends: struct
 * orma_unpacked bounds all that comes out of one file, to what recordings reach.
 */
#ifndef ORMA_PROCESSOR_READ_INFLATE_H
#define ORMA_PROCESSOR_READ_INFLATE_H
#include "processor/read/detect.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Deflate cannot do better than 1032:1; what is honest stays far below. */
#define ORMA_INFLATE_RATIO 1040
#define ORMA_INFLATE_FREE ((size_t)1 << 20)

/* Of all that is packed in a file. Traces reach 40, and synthetic ones come larger in small files
 * only: whoever has a larger one unpacks it himself first. */
#define ORMA_UNPACKED_RATIO 64
#define ORMA_UNPACKED_FREE ((size_t)256 << 20)

/* What came out of everything that was packed in a file, however deep. */
struct orma_unpacked {
    uint64_t in;  /* bytes of the file itself so far */
    uint64_t out; /* of what was packed in it */
};

/* So many bytes may still come out. */
static inline uint64_t orma_unpacked_left(const struct orma_unpacked *self)
{
    uint64_t max = self->in > (UINT64_MAX - ORMA_UNPACKED_FREE) / ORMA_UNPACKED_RATIO
                       ? UINT64_MAX
                       : self->in * ORMA_UNPACKED_RATIO + ORMA_UNPACKED_FREE;

    return max > self->out ? max - self->out : 0;
}

/* Counts them; false: that is too much. */
static inline bool orma_unpacked_add(struct orma_unpacked *self, uint64_t len)
{
    bool ok = len <= orma_unpacked_left(self);

    self->out = len > UINT64_MAX - self->out ? UINT64_MAX : self->out + len;
    return ok;
}

#define ORMA_UNPACKED_BOMB                                                                         \
    "unpacks to more than 64 times the size of the file plus 256 MiB: refused as a zip bomb; if "  \
    "it is not one, unpack it before loading (ERR:decomp)"

/* Of -E2BIG. `xz -9` needs 65 MiB. */
#define ORMA_UNPACKED_MEMORY                                                                       \
    "needs more than 256 MiB of memory to unpack (a large dictionary of xz): unpack it before "    \
    "loading (ERR:decomp)"

enum orma_inflate_form {
    ORMA_INFLATE_ZLIB, /* or gzip, by its header; several gzip members are one stream */
    ORMA_INFLATE_RAW,  /* deflate without a header, as in zip */
    ORMA_INFLATE_ZSTD,
    ORMA_INFLATE_XZ,    /* several streams are one, as `xz -d` has it */
    ORMA_INFLATE_BZIP2, /* the same */
};

/* Of a packed format: orma_detect_is_packed(). Others are zlib streams. */
enum orma_inflate_form orma_inflate_form_of(enum orma_format format);

/* Appends at most `max` bytes to `ret`. 0, -EBADMSG (what came out whole is there), -EFBIG (there
 * are more), -E2BIG (unpacking needs too much memory), -ENOMEM, -ENOTSUP. */
int orma_inflate(enum orma_inflate_form form, struct orma_str in, uint64_t max,
                 struct orma_buf *ret);

/* Adds bytes to their checksum, as zip and gzip have it; it begins at 0. False: not in this build.
 */
bool orma_inflate_sum(uint32_t *sum, const uint8_t *data, size_t len);

/* ---- piece by piece ---- */

struct orma_inflater;
typedef void orma_inflate_sink(void *data, const uint8_t *bytes, size_t len);

/* NULL when memory is out. */
struct orma_inflater *orma_inflater_new(enum orma_inflate_form form);
void orma_inflater_free(struct orma_inflater *self);

/* -EFBIG when more than so many further bytes come out. */
void orma_inflater_bound(struct orma_inflater *self, uint64_t max);

/*
 * Unpacks what can be unpacked by now; `sink` gets it in pieces. -EBADMSG, too, when more than
 * padding (zeros, ends of lines) follows the end of the stream. Failure is sticky, as above.
 */
int orma_inflater_feed(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                       void *data);

/* How many bytes of what was fed last lie behind the place where it failed or ended. */
size_t orma_inflater_left(const struct orma_inflater *self);

/* True when the stream has come to its end. */
bool orma_inflater_done(const struct orma_inflater *self);
#endif
