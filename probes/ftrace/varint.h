/*
 * Varints for the hot loop of the translation: most values there have one to
 * four bytes, of a length that no branch predictor guesses, so up to 2^28 the
 * bytes are spread and stored without a branch.
 *
 * Every function may store up to 16 bytes at `to`, however few it counts.
 */
#ifndef ORMA_PROBES_FTRACE_VARINT_H
#define ORMA_PROBES_FTRACE_VARINT_H
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/wire/pb_writer.h"

/*
 * Seven bits into each byte, of the lowest 28: first the upper 14 move up by
 * two (x + 3x), then the upper 7 of each half by one (x + x).
 */
static inline uint32_t orma_ftrace_spread28(uint32_t val)
{
    val += (val & 0x0fffc000) * 3;
    return val + (val & 0x3f803f80);
}

static inline uint64_t orma_ftrace_spread56(uint64_t val)
{
    return orma_ftrace_spread28((uint32_t)val & 0x0fffffff) |
           (uint64_t)orma_ftrace_spread28((uint32_t)(val >> 28) & 0x0fffffff) << 32;
}

/* Addresses, and negative numbers: those have ten bytes, of which the ninth holds bits 56 to 62 and
 * the tenth bit 63. */
static inline uint8_t *orma_ftrace_put_wide(uint8_t *to, uint64_t val)
{
    uint64_t bytes = orma_ftrace_spread56(val), rest = val >> 56;

    if (ORMA_LIKELY(!rest)) {
        unsigned top = 63 ^ (unsigned)__builtin_clzll(bytes | 1);

        bytes |= UINT64_C(0x8080808080808080) & ((UINT64_C(1) << (top & 56)) - 1);
        memcpy(to, &bytes, sizeof(bytes));
        return to + (top >> 3) + 1;
    }
    bytes |= UINT64_C(0x8080808080808080);
    memcpy(to, &bytes, sizeof(bytes));
    to[8] = (uint8_t)rest; /* its bit 7 says that there is one more, and is that one's value */
    to[9] = 1;
    return to + 9 + (rest >> 7);
}

static inline uint8_t *orma_ftrace_put_varint(uint8_t *to, uint64_t val)
{
    if (ORMA_LIKELY(val < (1u << 28))) {
        uint32_t bytes = orma_ftrace_spread28((uint32_t)val);
        unsigned top = 31 ^ (unsigned)__builtin_clz(bytes | 1); /* highest bit set */

        /* The continuation bits of all bytes below that of the highest bit. */
        bytes |= 0x80808080u & ((1u << (top & 24)) - 1);
        memcpy(to, &bytes, sizeof(bytes));
        return to + (top >> 3) + 1;
    }
    return orma_ftrace_put_wide(to, val);
}

/*
 * Times of one bundle share their high bits: those are encoded once.
 * Valid for times of at least 2^28 ns, as on every machine up for a second.
 */
struct orma_ftrace_time_cache {
    uint64_t high;  /* time >> 28 that `bytes` stands for; 0: none */
    uint64_t bytes; /* varint bytes from the fifth on */
    unsigned len;   /* how many */
};

static inline uint8_t *orma_ftrace_put_time(uint8_t *to, struct orma_ftrace_time_cache *cache,
                                            uint64_t ts)
{
    uint64_t high = ts >> 28;

    if (ORMA_UNLIKELY(high != cache->high || !high)) {
        uint8_t bytes[ORMA_VARINT_MAX] = {0};

        if (!high)
            return orma_varint_write(to, ts);
        cache->len = (unsigned)(orma_varint_write(bytes, high) - bytes);
        memcpy(&cache->bytes, bytes, sizeof(cache->bytes)); /* 36 bits: six bytes at most */
        cache->high = high;
    }
    uint32_t low = orma_ftrace_spread28((uint32_t)ts & 0x0fffffff) | 0x80808080u;
    memcpy(to, &low, sizeof(low));
    memcpy(to + 4, &cache->bytes, sizeof(cache->bytes));
    return to + 4 + cache->len;
}
#endif
