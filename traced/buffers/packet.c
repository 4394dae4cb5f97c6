#include "traced/buffers/packet.h"

#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"

/* Field numbers that only the service may write, as a bit set. */
#define RESERVED_MAX 192u
#define BIT(n) ((uint64_t)1 << ((n) % 64))
static const uint64_t reserved[RESERVED_MAX / 64] = {
    [0] = BIT(ORMA_PB_TRACE_PACKET_TRUSTED_UID) |
          BIT(ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID) |
          BIT(ORMA_PB_TRACE_PACKET_TRACE_CONFIG) | BIT(ORMA_PB_TRACE_PACKET_TRACE_STATS) |
          BIT(ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER) |
          BIT(ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS),
    [1] = BIT(ORMA_PB_TRACE_PACKET_SERVICE_EVENT) | BIT(ORMA_PB_TRACE_PACKET_TRUSTED_PID) |
          BIT(ORMA_PB_TRACE_PACKET_MACHINE_ID) | BIT(ORMA_PB_TRACE_PACKET_TRACE_PROVENANCE) |
          BIT(ORMA_PB_TRACE_PACKET_PROTOVMS),
    [2] = BIT(ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS),
};

static bool is_reserved(uint32_t id)
{
    return id < RESERVED_MAX && reserved[id / 64] & BIT(id);
}

static bool whole_valid(const struct traced_slice *slice)
{
    struct orma_pb_reader r = orma_pb_reader(slice->data, slice->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (ORMA_UNLIKELY(is_reserved(f.id)))
            return false;
    return !r.failed;
}

/* ---- a packet in pieces: the same rules, byte by byte across the borders ---- */

struct packet_cursor {
    const struct traced_slice *slice, *end;
    size_t pos;
};

static bool next_byte(struct packet_cursor *c, uint8_t *ret)
{
    while (c->slice < c->end && c->pos == c->slice->len) {
        c->slice++;
        c->pos = 0;
    }
    if (c->slice == c->end)
        return false;
    *ret = c->slice->data[c->pos++];
    return true;
}

static bool skip(struct packet_cursor *c, uint64_t len)
{
    while (c->slice < c->end) {
        size_t rest = c->slice->len - c->pos;

        if (len <= rest) {
            c->pos += (size_t)len;
            return true;
        }
        len -= rest;
        c->slice++;
        c->pos = 0;
    }
    return !len;
}

static bool next_varint(struct packet_cursor *c, uint64_t *ret)
{
    uint64_t val = 0;
    uint8_t byte;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (!next_byte(c, &byte))
            return false;
        val |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80) {
            *ret = val;
            return true;
        }
    }
    return false;
}

static bool at_end(struct packet_cursor *c)
{
    while (c->slice < c->end && c->pos == c->slice->len) {
        c->slice++;
        c->pos = 0;
    }
    return c->slice == c->end;
}

static bool next_field(struct packet_cursor *c)
{
    uint64_t tag, num;

    if (!next_varint(c, &tag) || tag >> 3 == 0 || tag >> 3 > ORMA_PB_ID_MAX ||
        is_reserved((uint32_t)(tag >> 3)))
        return false;
    switch (tag & 7) {
    case ORMA_PB_VARINT:
        return next_varint(c, &num);
    case ORMA_PB_LEN:
        return next_varint(c, &num) && num <= ORMA_PB_LEN_MAX && skip(c, num);
    case ORMA_PB_I64:
        return skip(c, 8);
    case ORMA_PB_I32:
        return skip(c, 4);
    }
    return false;
}

bool traced_packet_valid(const struct traced_slice *slices, size_t num)
{
    struct packet_cursor c = {slices, slices + num, 0};

    if (ORMA_LIKELY(num == 1))
        return whole_valid(slices);
    while (!at_end(&c))
        if (!next_field(&c))
            return false;
    return true;
}
