/*
 * libdeflate wants room for all that comes out. How much that is stands at the end of a gzip
 * member and in the list of a zip archive; for others it is guessed. A guess that was too low costs
 * the time of a second run, one that was too high nothing but addresses: pages that nobody writes
 * to are none. So guesses are high, and grow by four up to what may come out.
 */
#include "processor/read/inflate_whole.h"

#ifdef ORMA_HAVE_LIBDEFLATE
#include <libdeflate.h>
#include <string.h>

#include "sdk/base/huge.h"

/* Streams of traces reach 20, most stay below 12. */
#define GUESS_RATIO 16
#define GUESS_MIN ((uint64_t)64 << 10)
#define GUESS_STEP 4
/* What deflate can reach at all. */
#define RATIO_MAX 1032

/* A gzip header that zlib looks at more closely: one with a sum of its own. */
#define GZIP_HAS_SUM 2
#define GZIP_LEN_MIN 18

static bool is_gzip(const uint8_t *at, size_t len)
{
    return len >= GZIP_LEN_MIN && at[0] == 0x1f && at[1] == 0x8b && !(at[3] & GZIP_HAS_SUM);
}

/* The last member of a gzip file tells its size, modulo 2^32; mostly it is the only one. */
static uint64_t size_of_gzip(const uint8_t *at, size_t len)
{
    const uint8_t *end = at + len - 4;
    const uint64_t size =
        end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;

    return size >= len && size / RATIO_MAX <= len ? size : 0;
}

static enum libdeflate_result run(struct libdeflate_decompressor *z, enum orma_inflate_form form,
                                  const uint8_t *in, size_t len, struct orma_buf *out, size_t room,
                                  size_t *ret_used)
{
    uint8_t *at = out->data + out->len;
    size_t came = 0;
    enum libdeflate_result r =
        form == ORMA_INFLATE_RAW
            ? libdeflate_deflate_decompress_ex(z, in, len, at, room, ret_used, &came)
        : is_gzip(in, len) ? libdeflate_gzip_decompress_ex(z, in, len, at, room, ret_used, &came)
                           : libdeflate_zlib_decompress_ex(z, in, len, at, room, ret_used, &came);

    if (r == LIBDEFLATE_SUCCESS)
        out->len += came;
    return r;
}

/* One stream, or one member. */
static bool unpack_one(struct libdeflate_decompressor *z, enum orma_inflate_form form,
                       const uint8_t *in, size_t len, uint64_t guess, uint64_t left,
                       struct orma_buf *out, size_t *ret_used)
{
    enum libdeflate_result r = LIBDEFLATE_INSUFFICIENT_SPACE;

    while (r == LIBDEFLATE_INSUFFICIENT_SPACE) {
        const uint64_t room = ORMA_MIN(guess, left);

        if (!room)
            return false;
        if (!orma_buf_reserve(out, (size_t)room)) {
            out->failed = false; /* less may do */
            return false;
        }
        orma_huge_ask(out->data + out->len, (size_t)room);
        r = run(z, form, in, len, out, (size_t)room, ret_used);
        if (room == left)
            break;
        guess = room * GUESS_STEP;
    }
    return r == LIBDEFLATE_SUCCESS;
}

/* Behind the end of a stream: 1: a further gzip member is at *pos; 0: only padding; -1: else. */
static int next_member(enum orma_inflate_form form, const uint8_t *in, size_t len, size_t *pos)
{
    while (*pos < len && (!in[*pos] || in[*pos] == '\n' || in[*pos] == '\r'))
        ++*pos;
    if (*pos == len)
        return 0;
    return form == ORMA_INFLATE_ZLIB && is_gzip(in + *pos, len - *pos) ? 1 : -1;
}

/* inflate.h bounds what comes out of so few bytes. */
static bool is_bomb(uint64_t out, uint64_t in)
{
    return out > ORMA_INFLATE_FREE && (out - ORMA_INFLATE_FREE) / ORMA_INFLATE_RATIO > in;
}

static bool unpack_all(struct libdeflate_decompressor *z, enum orma_inflate_form form,
                       struct orma_str bytes, uint64_t size, uint64_t max, struct orma_buf *out)
{
    const uint8_t *in = (const uint8_t *)bytes.data;
    const size_t before = out->len;
    size_t pos = 0, used = 0;
    int more = 1;

    if (form == ORMA_INFLATE_ZLIB && is_gzip(in, bytes.len))
        size = size_of_gzip(in, bytes.len);
    else if (bytes.len >= 2 && form == ORMA_INFLATE_ZLIB && in[0] == 0x1f && in[1] == 0x8b)
        return false;
    for (; more > 0; pos += used, more = next_member(form, in, bytes.len, &pos)) {
        const uint64_t rest = bytes.len - pos,
                       guess = size ? size : ORMA_MAX(rest * GUESS_RATIO, GUESS_MIN);

        if (!unpack_one(z, form, in + pos, (size_t)rest, guess, max - (out->len - before), out,
                        &used))
            return false;
    }
    return more == 0 && !is_bomb(out->len - before, bytes.len);
}

bool orma_inflate_whole(enum orma_inflate_form form, struct orma_str in, uint64_t size,
                        uint64_t max, struct orma_buf *ret)
{
    if ((form != ORMA_INFLATE_ZLIB && form != ORMA_INFLATE_RAW) || !in.len || ret->failed)
        return false;
    struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    const size_t before = ret->len;
    bool ok = z && unpack_all(z, form, in, size, ORMA_MIN(max, ORMA_INFLATE_WHOLE_MAX), ret);

    if (!ok)
        ret->len = before;
    if (z)
        libdeflate_free_decompressor(z);
    return ok;
}

#else

bool orma_inflate_whole(enum orma_inflate_form form, struct orma_str in, uint64_t size,
                        uint64_t max, struct orma_buf *ret)
{
    (void)form, (void)in, (void)size, (void)max, (void)ret;
    return false;
}

#endif
