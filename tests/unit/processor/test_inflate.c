/* Streams of deflate unpacked at once, and piece by piece: the same bytes and the same answer,
 * whatever is wrong with them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif

#include "processor/read/inflate_whole.h"
#include "tests/support/leaks.h"

/* Both inflate() and libdeflate read it in blocks, with a short match, long ones, and literals. */
static struct orma_buf text_of(size_t len, uint32_t seed)
{
    struct orma_buf ret = {0};

    while (ret.len < len) {
        seed = seed * 1664525 + 1013904223;
        if (seed >> 30)
            orma_buf_printf(&ret, "{\"name\":\"f%u\",\"ts\":%u},\n", seed >> 27, seed >> 8);
        else
            orma_buf_put(&ret, "\1\2\3\4\5\6\7", 1 + (seed >> 20) % 7);
    }
    return ret;
}

enum { RAW = -15, ZLIB = 15, GZIP = 15 + 16 };

static void pack(struct orma_buf *to, int bits, struct orma_str from, bool sum_of_header)
{
    z_stream z = {0};
    gz_header header = {.hcrc = sum_of_header, .name = (Bytef *)(uintptr_t) "a name"};

    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    if (bits == GZIP && sum_of_header)
        cr_assert_eq(deflateSetHeader(&z, &header), Z_OK);
    const size_t room = deflateBound(&z, from.len) + 64;
    uint8_t *at = orma_buf_extend(to, room);
    z.next_in = (Bytef *)(uintptr_t)from.data;
    z.avail_in = (uInt)from.len;
    z.next_out = at;
    z.avail_out = (uInt)room;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->len -= z.avail_out;
    (void)deflateEnd(&z);
}

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    orma_buf_put(data, bytes, len);
}

/* As orma_inflate() had it without the other library. */
static int by_pieces(struct orma_str in, uint64_t max, struct orma_buf *ret)
{
    struct orma_inflater *z = orma_inflater_new(ORMA_INFLATE_ZLIB);

    orma_inflater_bound(z, max);
    int r = orma_inflater_feed(z, in, sink, ret);
    if (!r && !orma_inflater_done(z))
        r = -EBADMSG;
    orma_inflater_free(z);
    return r;
}

static void check(const char *what, size_t at, struct orma_str in, uint64_t max)
{
    struct orma_buf whole = {0}, pieces = {0};
    const int a = orma_inflate(ORMA_INFLATE_ZLIB, in, max, &whole), b = by_pieces(in, max, &pieces);

    cr_assert_eq(a, b, "%s, %zu: %d, %d", what, at, a, b);
    cr_assert_eq(whole.len, pieces.len, "%s, %zu: %zu, %zu", what, at, whole.len, pieces.len);
    cr_assert(!whole.len || !memcmp(whole.data, pieces.data, whole.len), "%s, %zu", what, at);
    orma_buf_fini(&whole);
    orma_buf_fini(&pieces);
}

static struct orma_buf packed_of(const char *what)
{
    struct orma_buf text = text_of(5000, 7), more = text_of(300000, 8), ret = {0};
    const struct orma_str small = orma_buf_str(&text), large = orma_buf_str(&more);

    if (!strcmp(what, "zlib")) {
        pack(&ret, ZLIB, small, false);
    } else if (!strcmp(what, "gzip")) {
        pack(&ret, GZIP, small, false);
    } else if (!strcmp(what, "gzip with a sum of its header")) {
        pack(&ret, GZIP, small, true);
    } else if (!strcmp(what, "two members")) {
        pack(&ret, GZIP, small, false);
        pack(&ret, GZIP, ORMA_STR("second"), false);
    } else if (!strcmp(what, "padded, a member, and no more")) {
        pack(&ret, GZIP, small, false);
        orma_buf_put(&ret, "\0\0\n\r", 4);
        pack(&ret, GZIP, small, false);
        orma_buf_put(&ret, "\0\n\x1f", 3);
    } else if (!strcmp(what, "zlib, then gzip")) {
        pack(&ret, ZLIB, small, false);
        pack(&ret, GZIP, small, false);
    } else if (!strcmp(what, "followed by others")) {
        pack(&ret, ZLIB, small, false);
        orma_buf_put_str(&ret, "x");
    } else if (!strcmp(what, "nothing in it")) {
        pack(&ret, GZIP, ORMA_STR(""), false);
    } else {
        pack(&ret, GZIP, large, false);
    }
    orma_buf_fini(&text);
    orma_buf_fini(&more);
    return ret;
}

static const char *const kinds[] = {
    "zlib",
    "gzip",
    "gzip with a sum of its header",
    "two members",
    "padded, a member, and no more",
    "zlib, then gzip",
    "followed by others",
    "nothing in it",
    "large",
};

Test(inflate, at_once_gives_what_pieces_give)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        struct orma_buf in = packed_of(kinds[i]);

        check(kinds[i], 0, orma_buf_str(&in), UINT64_MAX);
        for (uint64_t max = 0; max < 10000; max += 997)
            check(kinds[i], (size_t)max, orma_buf_str(&in), max);
        orma_buf_fini(&in);
    }
    orma_assert_no_leaks();
}

Test(inflate, at_once_gives_what_pieces_give_of_streams_that_are_cut)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        struct orma_buf in = packed_of(kinds[i]);
        const size_t step = in.len > 20000 ? 1009 : 1;

        for (size_t len = 1; len < in.len; len += step)
            check(kinds[i], len, (struct orma_str){(const char *)in.data, len}, UINT64_MAX);
        orma_buf_fini(&in);
    }
    orma_assert_no_leaks();
}

Test(inflate, at_once_gives_what_pieces_give_of_streams_that_are_damaged)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        struct orma_buf in = packed_of(kinds[i]);
        const size_t step = in.len > 20000 ? 1009 : 1;

        for (size_t at = 0; at < in.len; at += step) {
            const uint8_t was = in.data[at];

            in.data[at] ^= (uint8_t)(1u << at % 8);
            check(kinds[i], at, orma_buf_str(&in), UINT64_MAX);
            in.data[at] = was;
        }
        orma_buf_fini(&in);
    }
    orma_assert_no_leaks();
}

Test(inflate, at_once_stops_at_bombs)
{
    struct orma_buf blanks = {0}, in = {0};

    memset(orma_buf_extend(&blanks, 8 << 20), ' ', 8 << 20);
    for (unsigned i = 0; i < 4; i++)
        pack(&in, GZIP, orma_buf_str(&blanks), false);
    check("bomb", 0, orma_buf_str(&in), 20 << 20);
    check("no bomb", 0, orma_buf_str(&in), 32 << 20);
    orma_buf_fini(&blanks);
    orma_buf_fini(&in);
    orma_assert_no_leaks();
}

#ifdef ORMA_HAVE_ZSTD
Test(inflate, frames_that_end_with_a_step_are_whole)
{
    for (size_t len = (64 << 10) - 1; len <= 128 << 10; len += len % 2 ? 1 : (64 << 10) - 1) {
        struct orma_buf text = text_of(len, 7), in = {0}, out = {0};
        uint8_t *at = orma_buf_extend(&in, ZSTD_compressBound(len));

        in.len = ZSTD_compress(at, in.len, text.data, len, 3);
        for (unsigned frames = 1; frames < 3; frames++) {
            out.len = 0;
            cr_assert_eq(orma_inflate(ORMA_INFLATE_ZSTD, orma_buf_str(&in), UINT64_MAX, &out), 0,
                         "%zu, %u", len, frames);
            cr_assert_eq(out.len, frames * len);
            orma_buf_put(&in, in.data, in.len);
        }
        orma_buf_fini(&text);
        orma_buf_fini(&in);
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}
#endif

Test(inflate, whole_streams_come_at_once)
{
    struct orma_buf text = text_of(300000, 9), in = {0}, out = {0};

    pack(&in, RAW, orma_buf_str(&text), false);
    const bool built_in = orma_inflate_whole(ORMA_INFLATE_RAW, orma_buf_str(&in), 0, 1 << 20, &out);
#ifdef ORMA_HAVE_LIBDEFLATE
    cr_assert(built_in);
    cr_assert_eq(out.len, text.len);
    cr_assert_arr_eq(out.data, text.data, text.len);
    /* A list that tells a wrong size. */
    cr_assert(orma_inflate_whole(ORMA_INFLATE_RAW, orma_buf_str(&in), 10, 1 << 20, &out));
    cr_assert_eq(out.len, 2 * text.len);
    cr_assert_not(orma_inflate_whole(ORMA_INFLATE_RAW, orma_buf_str(&in), 0, 1000, &out));
    cr_assert_eq(out.len, 2 * text.len);
#else
    cr_assert_not(built_in);
#endif
    orma_buf_fini(&text);
    orma_buf_fini(&in);
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}
