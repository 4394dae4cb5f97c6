/* Numbers of the wire, which are little-endian on any machine. */
#ifndef ORMA_SDK_BASE_ENDIAN_H
#define ORMA_SDK_BASE_ENDIAN_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* To little-endian, and back. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORMA_IS_BIG_ENDIAN true
#define ORMA_LE16(val) __builtin_bswap16(val)
#define ORMA_LE32(val) __builtin_bswap32(val)
#define ORMA_LE64(val) __builtin_bswap64(val)
#else
#define ORMA_IS_BIG_ENDIAN false
#define ORMA_LE16(val) (val)
#define ORMA_LE32(val) (val)
#define ORMA_LE64(val) (val)
#endif

static inline uint64_t orma_le64_at(const void *at)
{
    uint64_t val;

    memcpy(&val, at, sizeof(val));
    return ORMA_LE64(val);
}

static inline double orma_le_double_at(const void *at)
{
    const uint64_t bits = orma_le64_at(at);
    double val;

    memcpy(&val, &bits, sizeof(val));
    return val;
}
#endif
