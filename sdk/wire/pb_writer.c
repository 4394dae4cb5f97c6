#include "sdk/wire/pb_writer.h"

#include "sdk/base/assert.h"
#include "sdk/base/endian.h"

void orma_pb_put_raw_varint(struct orma_buf *out, uint64_t val)
{
    if (!orma_buf_reserve(out, ORMA_VARINT_MAX))
        return;
    out->len = (size_t)(orma_varint_write(out->data + out->len, val) - out->data);
}

void orma_pb_put_tag(struct orma_buf *out, uint32_t id, enum orma_pb_wire wire)
{
    orma_pb_put_raw_varint(out, (uint64_t)id << 3 | wire);
}

void orma_pb_put_u64(struct orma_buf *out, uint32_t id, uint64_t val)
{
    orma_pb_put_tag(out, id, ORMA_PB_VARINT);
    orma_pb_put_raw_varint(out, val);
}

void orma_pb_put_i64(struct orma_buf *out, uint32_t id, int64_t val)
{
    orma_pb_put_u64(out, id, (uint64_t)val);
}

void orma_pb_put_sint(struct orma_buf *out, uint32_t id, int64_t val)
{
    orma_pb_put_u64(out, id, (uint64_t)val << 1 ^ (uint64_t)(val >> 63));
}

void orma_pb_put_fixed64(struct orma_buf *out, uint32_t id, uint64_t val)
{
    val = ORMA_LE64(val);
    orma_pb_put_tag(out, id, ORMA_PB_I64);
    orma_buf_put(out, &val, sizeof(val));
}

void orma_pb_put_fixed32(struct orma_buf *out, uint32_t id, uint32_t val)
{
    val = ORMA_LE32(val);
    orma_pb_put_tag(out, id, ORMA_PB_I32);
    orma_buf_put(out, &val, sizeof(val));
}

void orma_pb_put_double(struct orma_buf *out, uint32_t id, double val)
{
    uint64_t bits;

    memcpy(&bits, &val, sizeof(bits));
    orma_pb_put_fixed64(out, id, bits);
}

void orma_pb_put_float(struct orma_buf *out, uint32_t id, float val)
{
    uint32_t bits;

    memcpy(&bits, &val, sizeof(bits));
    orma_pb_put_fixed32(out, id, bits);
}

void orma_pb_put_bytes(struct orma_buf *out, uint32_t id, const void *data, size_t len)
{
    orma_pb_put_tag(out, id, ORMA_PB_LEN);
    orma_pb_put_raw_varint(out, len);
    orma_buf_put(out, data, len);
}

void orma_pb_put_str(struct orma_buf *out, uint32_t id, struct orma_str text)
{
    orma_pb_put_bytes(out, id, text.data, text.len);
}

void orma_pb_put_cstr(struct orma_buf *out, uint32_t id, const char *text)
{
    orma_pb_put_bytes(out, id, text, strlen(text));
}

size_t orma_pb_begin(struct orma_buf *out, uint32_t id)
{
    orma_pb_put_tag(out, id, ORMA_PB_LEN);
    orma_buf_put_byte(out, 0); /* one byte is enough for most; orma_pb_end() makes more room */
    return out->len;
}

void orma_pb_end(struct orma_buf *out, size_t begun)
{
    if (out->failed)
        return;

    ORMA_ASSERT_HOT(begun > 0 && begun <= out->len);
    size_t len = out->len - begun;
    unsigned size = orma_varint_size(len);
    if (size > 1) {
        if (!orma_buf_extend(out, size - 1))
            return;
        memmove(out->data + begun + size - 1, out->data + begun, len);
    }
    orma_varint_write(out->data + begun - 1, len);
}
