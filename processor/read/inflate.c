#include "processor/read/inflate.h"

#include <errno.h>

#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif

#define STEP ((size_t)64 << 10)

#if defined(ORMA_HAVE_ZLIB) || defined(ORMA_HAVE_ZSTD)
static bool over_limit(struct orma_str in, size_t out)
{
    return out > ORMA_INFLATE_FREE && (out - ORMA_INFLATE_FREE) / ORMA_INFLATE_RATIO > in.len;
}
#endif

#ifdef ORMA_HAVE_ZLIB
static int inflate_step(z_stream *z, struct orma_buf *ret)
{
    if (!orma_buf_reserve(ret, STEP))
        return -ENOMEM;
    z->next_out = ret->data + ret->len;
    z->avail_out = (uInt)STEP;
    int r = inflate(z, Z_NO_FLUSH);
    ret->len += STEP - z->avail_out;
    if (r == Z_STREAM_END)
        return 1;
    if (r == Z_OK)
        return z->avail_in || !z->avail_out ? 0 : -EBADMSG;
    return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int inflate_zlib(int window, struct orma_str in, struct orma_buf *ret)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in.data};
    size_t start = ret->len, left = in.len;
    int r = inflateInit2(&z, window) == Z_OK ? 0 : -ENOMEM;

    while (!r) {
        if (!z.avail_in) {
            z.avail_in = (uInt)ORMA_MIN(left, (size_t)1 << 30);
            left -= z.avail_in;
        }
        r = inflate_step(&z, ret);
        if (!r && over_limit(in, ret->len - start))
            r = -EFBIG;
        /* A further gzip member; anything else behind the first is ignored. */
        if (r == 1 && window > 15 && z.avail_in > 1 && z.next_in[0] == 0x1f && z.next_in[1] == 0x8b)
            r = inflateReset(&z) == Z_OK ? 0 : -EBADMSG;
    }
    inflateEnd(&z);
    return r == 1 ? 0 : r;
}
#endif

#ifdef ORMA_HAVE_ZSTD
static int inflate_zstd(struct orma_str in, struct orma_buf *ret)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer from = {in.data, in.len, 0};
    size_t start = ret->len, more = 1;
    int r = stream ? 0 : -ENOMEM;

    while (!r && (from.pos < from.size || more)) {
        if (!orma_buf_reserve(ret, STEP)) {
            r = -ENOMEM;
            break;
        }
        ZSTD_outBuffer to = {ret->data + ret->len, STEP, 0};
        size_t before = from.pos;

        more = ZSTD_decompressStream(stream, &to, &from);
        ret->len += to.pos;
        if (ZSTD_isError(more) || (from.pos == before && !to.pos))
            r = -EBADMSG;
        else if (over_limit(in, ret->len - start))
            r = -EFBIG;
    }
    ZSTD_freeDStream(stream);
    return r;
}
#endif

int orma_inflate(enum orma_inflate_form form, struct orma_str in, struct orma_buf *ret)
{
    (void)in;
    (void)ret;
    switch (form) {
    case ORMA_INFLATE_ZLIB:
    case ORMA_INFLATE_RAW:
#ifdef ORMA_HAVE_ZLIB
        return inflate_zlib(form == ORMA_INFLATE_RAW ? -15 : 15 + 32, in, ret);
#else
        return -ENOTSUP;
#endif
    case ORMA_INFLATE_ZSTD:
#ifdef ORMA_HAVE_ZSTD
        return inflate_zstd(in, ret);
#else
        return -ENOTSUP;
#endif
    }
    return -ENOTSUP;
}
