#include <string.h>

#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/both_ways.h"

#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif

static uint32_t next_of(uint64_t *seed, uint32_t num)
{
    return (uint32_t)((*seed = orma_mix64(*seed + 0x9e3779b97f4a7c15u)) % num);
}

#ifdef ORMA_HAVE_ZLIB
/* -15: raw, 15: with the head of zlib. */
static void deflated(struct orma_buf *to, struct orma_str from, int bits)
{
    z_stream z = {0};

    if (deflateInit2(&z, 1, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    const size_t space = deflateBound(&z, from.len) + 16;
    z.next_out = orma_buf_extend(to, space);
    z.avail_out = (uInt)space;
    z.next_in = (Bytef *)(uintptr_t)from.data;
    z.avail_in = (uInt)from.len;
    (void)deflate(&z, Z_FINISH); /* there is space for all */
    to->len -= z.avail_out;
    (void)deflateEnd(&z);
}
#endif

/* Spoils what was packed, or does not. */
static void spoil(struct orma_buf *packed, uint64_t *seed)
{
    switch (next_of(seed, 24)) {
    case 0:
        packed->data[next_of(seed, (uint32_t)packed->len)] ^= (uint8_t)(1 + next_of(seed, 255));
        break;
    case 1:
        packed->len = next_of(seed, (uint32_t)packed->len);
        break;
    case 2:
        orma_buf_put_str(packed, "more");
        break;
    }
}

#if defined(ORMA_HAVE_ZLIB) && defined(ORMA_HAVE_ZSTD)
static void put_packed(struct orma_buf *out, struct orma_str packets, uint64_t *seed)
{
    struct orma_buf packed = {0};
    uint32_t field = ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS;

    if (next_of(seed, 3)) {
        deflated(&packed, packets, 15);
    } else {
        const size_t space = ZSTD_compressBound(packets.len);
        uint8_t *at = orma_buf_extend(&packed, space);

        field = ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS;
        packed.len = ZSTD_compress(at, space, packets.data, packets.len, 1);
    }
    spoil(&packed, seed);
    const size_t packet = orma_pb_begin(out, 1);
    orma_pb_put_bytes(out, field, packed.data, packed.len);
    if (!next_of(seed, 20)) /* not alone */
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 9);
    orma_pb_end(out, packet);
    orma_buf_fini(&packed);
}
#endif

bool both_ways_compress(struct orma_buf *out, const uint8_t *data, size_t len, uint64_t seed)
{
#if defined(ORMA_HAVE_ZLIB) && defined(ORMA_HAVE_ZSTD)
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    struct orma_buf inner = {0};
    const uint8_t *begin = data;

    while (orma_pb_next(&r, &f)) {
        const bool more = r.pos != r.end;

        if (more && next_of(&seed, 12))
            continue;
        const struct orma_str packets = {(const char *)begin, (size_t)(r.pos - begin)};
        orma_buf_clear(&inner);
        if (!next_of(&seed, 12))
            put_packed(&inner, packets, &seed);
        if (next_of(&seed, 5))
            put_packed(out, inner.len ? orma_buf_str(&inner) : packets, &seed);
        else
            orma_buf_put(out, packets.data, packets.len);
        begin = r.pos;
    }
    orma_buf_put(out, begin, (size_t)(r.end - begin));
    orma_buf_fini(&inner);
    return true;
#else
    (void)out, (void)data, (void)len, (void)seed;
    return false;
#endif
}

static void put_le(struct orma_buf *to, uint64_t val, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        orma_buf_put_byte(to, i < sizeof(val) ? (uint8_t)(val >> 8 * i) : 0);
}

bool both_ways_zip_add(struct both_ways_zip *zip, const char *name, struct orma_str text,
                       uint64_t seed)
{
#ifdef ORMA_HAVE_ZLIB
    struct orma_buf packed = {0}, head = {0};
    uint32_t sum = (uint32_t)crc32(0, (const Bytef *)text.data, (uInt)text.len);
    size_t size = text.len;

    deflated(&packed, text, -15);
    spoil(&packed, &seed);
    sum ^= !next_of(&seed, 8);
    size = next_of(&seed, 8) ? size : next_of(&seed, 100000);
    put_le(&head, 20, 2);
    put_le(&head, 0, 2);
    put_le(&head, 8, 2);
    put_le(&head, 0, 4);
    put_le(&head, sum, 4);
    put_le(&head, packed.len, 4);
    put_le(&head, size, 4);
    put_le(&head, strlen(name), 2);
    put_le(&head, 0, 2);
    orma_buf_put_str(&zip->list, "PK\1\2");
    put_le(&zip->list, 20, 2);
    orma_buf_put(&zip->list, head.data, head.len);
    put_le(&zip->list, 0, 2 + 2 + 2 + 4);
    put_le(&zip->list, zip->bytes.len, 4);
    orma_buf_put_str(&zip->list, name);
    orma_buf_put_str(&zip->bytes, "PK\3\4");
    orma_buf_put(&zip->bytes, head.data, head.len);
    orma_buf_put_str(&zip->bytes, name);
    orma_buf_put(&zip->bytes, packed.data, packed.len);
    zip->num++;
    orma_buf_fini(&packed);
    orma_buf_fini(&head);
    return true;
#else
    (void)zip, (void)name, (void)text, (void)seed;
    return false;
#endif
}

void both_ways_zip_end(struct both_ways_zip *zip)
{
    const size_t at = zip->bytes.len;

    orma_buf_put(&zip->bytes, zip->list.data, zip->list.len);
    orma_buf_put_str(&zip->bytes, "PK\5\6");
    put_le(&zip->bytes, 0, 4);
    put_le(&zip->bytes, zip->num, 2);
    put_le(&zip->bytes, zip->num, 2);
    put_le(&zip->bytes, zip->list.len, 4);
    put_le(&zip->bytes, at, 4);
    put_le(&zip->bytes, 0, 2);
}

void both_ways_zip_fini(struct both_ways_zip *zip)
{
    orma_buf_fini(&zip->bytes);
    orma_buf_fini(&zip->list);
}
