/*
 * Hexadecimal digits, read in both cases and written in lower case.
 */
#ifndef ORMA_SDK_BASE_HEX_H
#define ORMA_SDK_BASE_HEX_H
#include "sdk/base/buf.h"

/* 0..15; -1: `c` is no digit. Any int is fine, EOF too. */
static inline int orma_hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The number in the first four characters of `text`, as after "\u"; -1: they are not four digits.
 */
static inline int orma_hex4(struct orma_str text)
{
    int val = 0;

    if (text.len < 4)
        return -1;
    for (unsigned i = 0; i < 4; i++) {
        int digit = orma_hex_digit(text.data[i]);

        if (digit < 0)
            return -1;
        val = val << 4 | digit;
    }
    return val;
}

/* Appends two digits per byte. */
static inline void orma_hex_put(struct orma_buf *out, struct orma_str bytes)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t c = (uint8_t)bytes.data[i];
        char two[2] = {digits[c >> 4], digits[c & 15]};

        orma_buf_put(out, two, sizeof(two));
    }
}
#endif
