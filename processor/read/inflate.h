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

/* ---- piece by piece ---- */

struct orma_inflater;
typedef void orma_inflate_sink(void *data, const uint8_t *bytes, size_t len);

/* NULL when memory is out. */
struct orma_inflater *orma_inflater_new(enum orma_inflate_form form);
void orma_inflater_free(struct orma_inflater *self);

/*
 * Unpacks what can be unpacked by now; `sink` gets it in pieces. What follows the end of the
 * stream is ignored. Failure is sticky, as above.
 */
int orma_inflater_feed(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                       void *data);

/* True when the stream has come to its end. */
bool orma_inflater_done(const struct orma_inflater *self);
#endif
