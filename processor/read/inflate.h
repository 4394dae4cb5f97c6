/*
 * Deflate (zlib, gzip) and Zstandard, as far as they were built in.
 *
 * Output is bounded: at most ORMA_INFLATE_RATIO bytes per byte of input plus
 * ORMA_INFLATE_FREE, so that a bomb gives -EFBIG instead of filling memory.
 */
#ifndef ORMA_PROCESSOR_READ_INFLATE_H
#define ORMA_PROCESSOR_READ_INFLATE_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Deflate cannot do better than 1032:1; what is honest stays far below. */
#define ORMA_INFLATE_RATIO 1040
#define ORMA_INFLATE_FREE ((size_t)1 << 20)

enum orma_inflate_form {
    ORMA_INFLATE_ZLIB, /* or gzip, by its header; several gzip members are one stream */
    ORMA_INFLATE_RAW,  /* deflate without a header, as in zip */
    ORMA_INFLATE_ZSTD,
};

/* Appends to `ret`. 0, -EBADMSG (what came out whole is there), -EFBIG, -ENOMEM, -ENOTSUP. */
int orma_inflate(enum orma_inflate_form form, struct orma_str in, struct orma_buf *ret);
#endif
