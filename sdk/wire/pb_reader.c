#include "sdk/wire/pb_reader.h"

/* Up to eight bytes at once: seven bits of each are pushed together, pairs first. */
static inline bool varint_word(const uint8_t **at, uint64_t *ret)
{
    uint64_t w;

    memcpy(&w, *at, sizeof(w));
    uint64_t ends = ~w & UINT64_C(0x8080808080808080);
    if (!ends)
        return false;
    *at += __builtin_ctzll(ends) / 8 + 1;
    w &= ends ^ (ends - 1); /* up to the last byte's top bit */
    w &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    *ret = (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
    return true;
}

bool orma_pb_varint_slow(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;
    uint64_t val = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (ORMA_LIKELY(end - p >= 8) && varint_word(at, ret))
        return true;
#endif
    for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
        uint8_t byte = *p++;

        if (shift < 64) /* the tenth byte's upper bits fall off, as in other readers */
            val |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at = p;
            *ret = val;
            return true;
        }
    }
    return false;
}
