#include "sdk/wire/pb_reader.h"

#undef orma_pb_varint_at
#undef orma_pb_next

/* The seven bits of each byte, pushed together, pairs first. */
static inline uint64_t pack_bits(uint64_t w)
{
    w &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* One of up to eight bytes, where so many may be read; longer ones if `end` permits, as numbers
 * drawn by lot are. */
static inline bool varint_word(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;
    uint64_t w;

    memcpy(&w, p, sizeof(w));
    const uint64_t ends = ~w & UINT64_C(0x8080808080808080);
    if (ORMA_LIKELY(ends != 0)) {
        *at = p + __builtin_ctzll(ends) / 8 + 1;
        *ret = pack_bits(w & (ends ^ (ends - 1))); /* up to the last byte's top bit */
        return true;
    }
    if (end - p < 10)
        return false;
    w = pack_bits(w) | (uint64_t)(p[8] & 0x7f) << 56;
    if (p[8] >= 0x80 && p[9] >= 0x80)
        return false;
    *at = p + 9 + (p[8] >= 0x80);
    *ret = p[8] < 0x80 ? w : w | (uint64_t)p[9] << 63;
    return true;
}

bool orma_pb_varint_slow(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;
    uint64_t val = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (ORMA_LIKELY(end - p >= 8) && varint_word(at, end, ret))
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

/* Where the compiler does not inline them. */
extern inline bool orma_pb_varint_at(const uint8_t **at, const uint8_t *end, uint64_t *ret);
extern inline bool orma_pb_fail(struct orma_pb_reader *self);
extern inline bool orma_pb_next(struct orma_pb_reader *self, struct orma_pb_field *ret);
