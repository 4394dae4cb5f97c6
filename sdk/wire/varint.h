/*
 * Varints for hot paths: bits are spread over the bytes without a loop.
 */
#ifndef ORMA_SDK_WIRE_VARINT_H
#define ORMA_SDK_WIRE_VARINT_H
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/endian.h"

/*
 * Seven bits into each byte, of the lowest 28: first the upper 14 move up by
 * two (x + 3x), then the upper 7 of each half by one (x + x).
 */
static inline uint32_t orma_varint_spread28(uint32_t val)
{
    val += (val & 0x0fffc000) * 3;
    return val + (val & 0x3f803f80);
}

static inline uint64_t orma_varint_spread56(uint64_t val)
{
    return orma_varint_spread28((uint32_t)val & 0x0fffffff) |
           (uint64_t)orma_varint_spread28((uint32_t)(val >> 28) & 0x0fffffff) << 32;
}

/* Addresses, and negative numbers: those have ten bytes, of which the ninth holds bits 56 to 62 and
 * the tenth bit 63. */
static inline uint8_t *orma_varint_write_wide(uint8_t *to, uint64_t val)
{
    uint64_t bytes = orma_varint_spread56(val), rest = val >> 56;

    if (ORMA_LIKELY(!rest)) {
        unsigned top = 63 ^ (unsigned)__builtin_clzll(bytes | 1);

        bytes |= UINT64_C(0x8080808080808080) & ((UINT64_C(1) << (top & 56)) - 1);
        bytes = ORMA_LE64(bytes);
        memcpy(to, &bytes, sizeof(bytes));
        return to + (top >> 3) + 1;
    }
    bytes = ORMA_LE64(bytes | UINT64_C(0x8080808080808080));
    memcpy(to, &bytes, sizeof(bytes));
    to[8] = (uint8_t)rest; /* its bit 7 says that there is one more, and is that one's value */
    to[9] = 1;
    return to + 9 + (rest >> 7);
}

/* Small numbers most of the time. Stores up to 10 bytes at `to`, however few it counts. */
static inline uint8_t *orma_varint_write_fast(uint8_t *to, uint64_t val)
{
    if (ORMA_LIKELY(val < 0x80)) {
        *to = (uint8_t)val;
        return to + 1;
    }
    return orma_varint_write_wide(to, val);
}
#endif
