#include "protos/reflect/scalar.h"

#include "sdk/base/endian.h"
#include "sdk/wire/pb_writer.h"

struct range {
    uint64_t max, min; /* min: how far below zero */
};

static struct range range_of(uint8_t type)
{
    switch (type) {
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SFIXED32:
    case ORMA_TYPE_ENUM:
        return (struct range){INT32_MAX, (uint64_t)INT32_MAX + 1};
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_FIXED32:
        return (struct range){UINT32_MAX, 0};
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED64:
        return (struct range){UINT64_MAX, 0};
    case ORMA_TYPE_BOOL:
        return (struct range){1, 0};
    }
    return (struct range){INT64_MAX, (uint64_t)INT64_MAX + 1};
}

const char *orma_scalar_describe(uint8_t type)
{
    static const char *const names[] = {
        [ORMA_TYPE_DOUBLE] = "a number",
        [ORMA_TYPE_FLOAT] = "a number",
        [ORMA_TYPE_INT64] = "an integer (int64)",
        [ORMA_TYPE_UINT64] = "an integer not below 0 (uint64)",
        [ORMA_TYPE_INT32] = "an integer (int32)",
        [ORMA_TYPE_FIXED64] = "an integer not below 0 (fixed64)",
        [ORMA_TYPE_FIXED32] = "an integer not below 0 (fixed32)",
        [ORMA_TYPE_BOOL] = "true or false",
        [ORMA_TYPE_STRING] = "a string in quotes",
        [ORMA_TYPE_MESSAGE] = "a message in braces",
        [ORMA_TYPE_BYTES] = "a string in quotes",
        [ORMA_TYPE_UINT32] = "an integer not below 0 (uint32)",
        [ORMA_TYPE_ENUM] = "a value of the enum",
        [ORMA_TYPE_SFIXED32] = "an integer (sfixed32)",
        [ORMA_TYPE_SFIXED64] = "an integer (sfixed64)",
        [ORMA_TYPE_SINT32] = "an integer (sint32)",
        [ORMA_TYPE_SINT64] = "an integer (sint64)",
    };

    return type < ORMA_ARRAY_LEN(names) && names[type] ? names[type] : "a value";
}

bool orma_scalar_from_int(uint8_t type, uint64_t magnitude, bool minus, uint64_t *ret_bits)
{
    struct range range = range_of(type);
    uint64_t bits = minus ? -magnitude : magnitude;

    if (magnitude > (minus ? range.min : range.max))
        return false;
    if (type == ORMA_TYPE_SINT32 || type == ORMA_TYPE_SINT64)
        bits = bits << 1 ^ (uint64_t)((int64_t)bits >> 63);
    *ret_bits = bits;
    return true;
}

uint64_t orma_scalar_from_real(uint8_t type, double val)
{
    float narrow = (float)val;
    uint64_t bits;
    uint32_t low;

    memcpy(&low, &narrow, sizeof(low));
    memcpy(&bits, &val, sizeof(bits));
    return type == ORMA_TYPE_FLOAT ? low : bits;
}

void orma_scalar_put(struct orma_buf *out, enum orma_pb_wire wire, uint64_t bits)
{
    if (wire == ORMA_PB_VARINT) {
        orma_pb_put_raw_varint(out, bits);
        return;
    }
    bits = ORMA_LE64(bits);
    orma_buf_put(out, &bits, wire == ORMA_PB_I64 ? 8 : 4);
}
