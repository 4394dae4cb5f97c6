/* The fields of a message, one by one. Not pb_reader.h: here an error leaves the cursor where it
 * was, and an id of 0 is accepted. */
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/cabi/abi.h"

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2, FIXED32 = 5 };

static bool varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;

    *ret = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p >= end)
            return false;
        if (shift < 64)
            *ret |= (uint64_t)(*p & 0x7f) << shift;
        if (*p++ < 0x80) {
            *at = p;
            return true;
        }
    }
    return false;
}

static bool fixed(const uint8_t **at, const uint8_t *end, void *ret, size_t len)
{
    if ((size_t)(end - *at) < len)
        return false;
    memcpy(ret, *at, len);
    *at += len;
    return true;
}

/* False: no field. *ret_id is not limited. */
static bool parse(const uint8_t **at, const uint8_t *end, uint64_t *ret_id,
                  struct orma_cabi_field *ret)
{
    uint64_t tag, len;

    if (!varint(at, end, &tag))
        return false;
    *ret_id = tag >> 3;
    ret->wire = tag & 7;
    switch (ret->wire) {
    case VARINT:
        return varint(at, end, &ret->value.u64);
    case FIXED64:
        return fixed(at, end, &ret->value.u64, 8);
    case FIXED32:
        return fixed(at, end, &ret->value.u32, 4);
    case DELIMITED:
        if (!varint(at, end, &len) || len > (uint64_t)(end - *at))
            return false;
        ret->value.bytes.start = *at;
        ret->value.bytes.len = (size_t)len;
        *at += len;
        return true;
    }
    return false;
}

static uint32_t next(struct orma_cabi_decoder *d, bool limited, struct orma_cabi_field *ret)
{
    const uint8_t *at = d->pos;
    uint64_t id;

    if (d->pos >= d->end)
        return ORMA_CABI_DECODER_DONE;
    if (!parse(&at, d->end, &id, ret) || (limited && id > UINT32_MAX))
        return ORMA_CABI_DECODER_ERROR;
    ret->id = (uint32_t)id;
    d->pos = at;
    return ORMA_CABI_DECODED;
}

struct orma_cabi_field PerfettoPbDecoderParseField(struct orma_cabi_decoder *d)
{
    struct orma_cabi_field f = {0};

    f.status = next(d, true, &f);
    return f;
}

uint32_t PerfettoPbDecoderSkipField(struct orma_cabi_decoder *d)
{
    struct orma_cabi_field f;

    return next(d, false, &f);
}
