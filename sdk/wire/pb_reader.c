#include "sdk/wire/pb_reader.h"

bool orma_pb_varint_slow(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;
    uint64_t val = 0;

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
