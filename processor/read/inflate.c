/*
 * One interface over four libraries. Input comes in pieces, output goes to a sink in steps of
 * fixed size, and what has come out is compared with what went in after each step: that is
 * where bombs are found. A gzip file may have several members, one behind the other; the end
 * of one begins the next.
 */
#include "processor/read/inflate.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/read/inflate_whole.h"

#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef ORMA_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef ORMA_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef ORMA_HAVE_BZIP2
#include <bzlib.h>
#endif

#define STEP ((size_t)64 << 10)
#define XZ_MEMORY ((uint64_t)256 << 20) /* as ORMA_UNPACKED_MEMORY says */

struct orma_inflater {
    enum orma_inflate_form form;
    int error;
    bool begun, done;
    bool half_magic;  /* the first byte of what may be a further gzip member */
    uint64_t in, out; /* bytes so far */
    uint64_t max_out;
    size_t left; /* of what was fed last */
#ifdef ORMA_HAVE_ZLIB
    z_stream z;
#endif
#ifdef ORMA_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
#ifdef ORMA_HAVE_LZMA
    lzma_stream xz;
#endif
#ifdef ORMA_HAVE_BZIP2
    bz_stream bz;
#endif
    uint8_t step[STEP];
};

enum orma_inflate_form orma_inflate_form_of(enum orma_format format)
{
    return format == ORMA_FORMAT_ZSTD    ? ORMA_INFLATE_ZSTD
           : format == ORMA_FORMAT_XZ    ? ORMA_INFLATE_XZ
           : format == ORMA_FORMAT_BZIP2 ? ORMA_INFLATE_BZIP2
                                         : ORMA_INFLATE_ZLIB;
}

static bool is_deflate(const struct orma_inflater *self)
{
    return self->form == ORMA_INFLATE_ZLIB || self->form == ORMA_INFLATE_RAW;
}

struct orma_inflater *orma_inflater_new(enum orma_inflate_form form)
{
    struct orma_inflater *self = malloc(sizeof(*self));

    if (!self)
        return NULL;
    memset(self, 0, offsetof(struct orma_inflater, step));
    self->form = form;
    self->max_out = UINT64_MAX;
    return self;
}

void orma_inflater_bound(struct orma_inflater *self, uint64_t max)
{
    self->max_out = max > UINT64_MAX - self->out ? UINT64_MAX : self->out + max;
}

void orma_inflater_free(struct orma_inflater *self)
{
    if (!self)
        return;
#ifdef ORMA_HAVE_ZLIB
    if (self->begun && is_deflate(self))
        (void)inflateEnd(&self->z); /* frees in any state */
#endif
#ifdef ORMA_HAVE_ZSTD
    ZSTD_freeDStream(self->zstd);
#endif
#ifdef ORMA_HAVE_LZMA
    if (self->form == ORMA_INFLATE_XZ)
        lzma_end(&self->xz);
#endif
#ifdef ORMA_HAVE_BZIP2
    if (self->begun && self->form == ORMA_INFLATE_BZIP2)
        (void)BZ2_bzDecompressEnd(&self->bz); /* it was begun */
#endif
    free(self);
}

size_t orma_inflater_left(const struct orma_inflater *self)
{
    return self->left;
}

bool orma_inflater_done(const struct orma_inflater *self)
{
    return self->done;
}

#if defined(ORMA_HAVE_ZLIB) || defined(ORMA_HAVE_ZSTD) || defined(ORMA_HAVE_LZMA) ||               \
    defined(ORMA_HAVE_BZIP2)
/* Hands a piece on; -EFBIG when that is too much for so few bytes. */
static int give(struct orma_inflater *self, size_t len, orma_inflate_sink *sink, void *data)
{
    if (len > self->max_out - self->out)
        return -EFBIG;
    self->out += len;
    if (len)
        sink(data, self->step, len);
    if (self->out > ORMA_INFLATE_FREE &&
        (self->out - ORMA_INFLATE_FREE) / ORMA_INFLATE_RATIO > self->in)
        return -EFBIG;
    return 0;
}
#endif

#ifdef ORMA_HAVE_ZLIB
/*
 * Behind the end of a stream: 1 if a further gzip member begins, whose magic is taken, also if its
 * bytes come one by one; 0: padding so far. -EBADMSG: something else.
 */
static int next_member(struct orma_inflater *self)
{
    z_stream *z = &self->z;

    while (z->avail_in) {
        const uint8_t c = *z->next_in;

        bool begins = c == 0x1f && self->form == ORMA_INFLATE_ZLIB;
        if (self->half_magic ? c != 0x8b : !begins && c && c != '\n' && c != '\r')
            return -EBADMSG;
        z->next_in++;
        z->avail_in--;
        if (self->half_magic) {
            self->half_magic = false;
            return 1;
        }
        self->half_magic = begins;
    }
    return 0;
}

static int begin_member(z_stream *z)
{
    static const uint8_t magic[] = {0x1f, 0x8b};
    const z_stream rest = *z;

    if (inflateReset(z) != Z_OK)
        return -EBADMSG;
    z->next_in = (Bytef *)(uintptr_t)magic;
    z->avail_in = sizeof(magic);
    z->avail_out = 0;
    int state = inflate(z, Z_NO_FLUSH);
    bool taken = !z->avail_in && (state == Z_OK || state == Z_BUF_ERROR);
    z->next_in = rest.next_in;
    z->avail_in = rest.avail_in;
    return taken ? 0 : -EBADMSG;
}

static int feed_zlib(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                     void *data)
{
    z_stream *z = &self->z;
    size_t left = in.len;
    int r = 0;

    if (!self->begun && inflateInit2(z, self->form == ORMA_INFLATE_RAW ? -15 : 15 + 32) != Z_OK)
        return -ENOMEM;
    self->begun = true;
    z->next_in = (Bytef *)(uintptr_t)in.data;
    z->avail_in = 0;
    while (!r && (left || z->avail_in)) {
        if (!z->avail_in) {
            z->avail_in = (uInt)ORMA_MIN(left, (size_t)1 << 30);
            left -= z->avail_in;
        }
        if (self->done) {
            int more = next_member(self);

            if (!more)
                continue;
            r = more < 0 ? more : begin_member(z);
            if (r)
                break;
            self->done = false;
        }
        do {
            z->next_out = self->step;
            z->avail_out = (uInt)STEP;
            int state = inflate(z, Z_NO_FLUSH);

            if (state == Z_MEM_ERROR)
                r = -ENOMEM;
            else if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
                r = -EBADMSG;
            self->done = state == Z_STREAM_END;
            int full = give(self, STEP - z->avail_out, sink, data);
            r = r ? r : full;
        } while (!r && !self->done && !z->avail_out);
    }
    self->left = left + z->avail_in;
    return r;
}
#endif

#ifdef ORMA_HAVE_ZSTD
static int feed_zstd(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                     void *data)
{
    ZSTD_inBuffer from = {in.data, in.len, 0};
    int r = 0;

    if (!self->zstd)
        self->zstd = ZSTD_createDStream();
    if (!self->zstd)
        return -ENOMEM;
    for (bool full = true; !r && (from.pos < from.size || full);) {
        ZSTD_outBuffer to = {self->step, STEP, 0};
        size_t before = from.pos;
        size_t more = ZSTD_decompressStream(self->zstd, &to, &from);

        self->left = from.size - from.pos;
        if (ZSTD_isError(more))
            return -EBADMSG;
        self->done = !more;
        full = to.pos == STEP && more; /* else it would wait for a frame that does not follow */
        r = give(self, to.pos, sink, data);
        if (!r && from.pos == before && !to.pos)
            break;
    }
    return r;
}
#endif

#ifdef ORMA_HAVE_LZMA
/* liblzma looks for the end of the last stream itself, which only LZMA_FINISH would ask for: a
 * stream that ended is done, and a further one begins anew. */
static int begin_xz(lzma_stream *xz)
{
    return lzma_stream_decoder(xz, XZ_MEMORY, 0) == LZMA_OK ? 0 : -ENOMEM;
}

static int feed_xz(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                   void *data)
{
    lzma_stream *xz = &self->xz;
    int r = self->begun ? 0 : begin_xz(xz);

    self->begun = true;
    xz->next_in = (const uint8_t *)in.data;
    xz->avail_in = in.len;
    for (bool full = true; !r && (xz->avail_in || full);) {
        if (self->done) {
            while (xz->avail_in && !*xz->next_in) { /* padding */
                xz->next_in++;
                xz->avail_in--;
            }
            if (!xz->avail_in)
                break;
            r = *xz->next_in == 0xfd ? begin_xz(xz) : -EBADMSG;
            self->done = false;
            continue;
        }
        xz->next_out = self->step;
        xz->avail_out = STEP;
        const size_t before = xz->avail_in;
        lzma_ret state = lzma_code(xz, LZMA_RUN);
        const size_t out = STEP - xz->avail_out;

        self->done = state == LZMA_STREAM_END;
        full = !xz->avail_out;
        r = give(self, out, sink, data);
        if (state == LZMA_MEM_ERROR)
            r = -ENOMEM;
        else if (state == LZMA_MEMLIMIT_ERROR)
            r = -E2BIG;
        else if (state != LZMA_OK && !self->done && state != LZMA_BUF_ERROR)
            r = -EBADMSG;
        if (!r && !self->done && xz->avail_in == before && !out)
            break;
    }
    self->left = xz->avail_in;
    return r;
}
#endif

#ifdef ORMA_HAVE_BZIP2
static int feed_bzip2(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                      void *data)
{
    bz_stream *bz = &self->bz;
    size_t left = in.len;
    int r = 0;

    if (!self->begun && BZ2_bzDecompressInit(bz, 0, 0) != BZ_OK)
        return -ENOMEM;
    self->begun = true;
    bz->next_in = (char *)(uintptr_t)in.data;
    bz->avail_in = 0;
    for (bool full = true; !r && (left || bz->avail_in || full);) {
        if (!bz->avail_in) {
            bz->avail_in = (unsigned)ORMA_MIN(left, (size_t)1 << 30);
            left -= bz->avail_in;
        }
        if (self->done && !bz->avail_in)
            break;
        if (self->done) { /* the next stream */
            const bz_stream rest = *bz;

            (void)BZ2_bzDecompressEnd(bz); /* it was begun */
            *bz = (bz_stream){.next_in = rest.next_in, .avail_in = rest.avail_in};
            self->begun = BZ2_bzDecompressInit(bz, 0, 0) == BZ_OK;
            r = !self->begun ? -ENOMEM : *bz->next_in == 'B' ? 0 : -EBADMSG;
            self->done = false;
            continue;
        }
        bz->next_out = (char *)self->step;
        bz->avail_out = (unsigned)STEP;
        const unsigned before = bz->avail_in;
        int state = BZ2_bzDecompress(bz);
        const size_t out = STEP - bz->avail_out;

        self->done = state == BZ_STREAM_END;
        full = !bz->avail_out;
        r = give(self, out, sink, data);
        if (state == BZ_MEM_ERROR)
            r = -ENOMEM;
        else if (state != BZ_OK && !self->done)
            r = -EBADMSG;
        if (!r && !self->done && bz->avail_in == before && !out)
            break;
    }
    self->left = left + bz->avail_in;
    return r;
}
#endif

int orma_inflater_feed(struct orma_inflater *self, struct orma_str in, orma_inflate_sink *sink,
                       void *data)
{
    (void)sink;
    (void)data;
    if (self->error || !in.len)
        return self->error;
    self->in += in.len;
    self->error = -ENOTSUP;
#ifdef ORMA_HAVE_ZLIB
    if (is_deflate(self))
        self->error = feed_zlib(self, in, sink, data);
#endif
#ifdef ORMA_HAVE_ZSTD
    if (self->form == ORMA_INFLATE_ZSTD)
        self->error = feed_zstd(self, in, sink, data);
#endif
#ifdef ORMA_HAVE_LZMA
    if (self->form == ORMA_INFLATE_XZ)
        self->error = feed_xz(self, in, sink, data);
#endif
#ifdef ORMA_HAVE_BZIP2
    if (self->form == ORMA_INFLATE_BZIP2)
        self->error = feed_bzip2(self, in, sink, data);
#endif
    return self->error;
}

bool orma_inflate_sum(uint32_t *sum, const uint8_t *data, size_t len)
{
#if defined(ORMA_HAVE_LIBDEFLATE)
    *sum = libdeflate_crc32(*sum, data, len);
    return true;
#elif defined(ORMA_HAVE_ZLIB)
    for (size_t done = 0; done < len;) {
        size_t step = ORMA_MIN(len - done, (size_t)1 << 30);

        *sum = (uint32_t)crc32(*sum, data + done, (uInt)step);
        done += step;
    }
    return true;
#else
    (void)sum, (void)data, (void)len;
    return false;
#endif
}

/* ---- at once ---- */

static void into_buf(void *data, const uint8_t *bytes, size_t len)
{
    orma_buf_put(data, bytes, len);
}

int orma_inflate(enum orma_inflate_form form, struct orma_str in, uint64_t max,
                 struct orma_buf *ret)
{
    if (orma_inflate_whole(form, in, 0, max, ret))
        return 0;
    struct orma_inflater *self = orma_inflater_new(form);

    if (self)
        orma_inflater_bound(self, max);
    int r = self ? orma_inflater_feed(self, in, into_buf, ret) : -ENOMEM;
    if (!r && !self->done)
        r = -EBADMSG;
    if (ret->failed)
        r = -ENOMEM;
    orma_inflater_free(self);
    return r;
}
