/*
 * Finds the bytes of JSON that mean something, many at a time. Private to protos/reflect.
 *
 * 64 bytes become bits, one per byte: where a quote is, a backslash, an opening or closing bracket
 * of either kind. What lies between quotes is found by arithmetic on these bits and not byte by
 * byte. Nothing is read behind `end`.
 */
#ifndef ORMA_PROTOS_REFLECT_JSON_MARKS_H
#define ORMA_PROTOS_REFLECT_JSON_MARKS_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define ORMA_JSON_BLOCK 64

struct orma_json_marks {
    uint64_t quote, backslash, open, close;
};

/* '[' and '{' differ in this bit, and so do ']' and '}'; nothing else becomes one of them by it. */
#define ORMA_JSON_FOLD 0x20

#ifdef __SSE2__
static inline uint64_t orma_json_equal(__m128i bytes, char c)
{
    return (uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline struct orma_json_marks orma_json_marks(const char *pos)
{
    struct orma_json_marks ret = {0};

    for (unsigned i = 0; i < ORMA_JSON_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(pos + i));
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(ORMA_JSON_FOLD));

        ret.quote |= orma_json_equal(bytes, '"') << i;
        ret.backslash |= orma_json_equal(bytes, '\\') << i;
        ret.open |= orma_json_equal(folded, '{') << i;
        ret.close |= orma_json_equal(folded, '}') << i;
    }
    return ret;
}

/* The same of 16 bytes. */
static inline struct orma_json_marks orma_json_marks16(const char *pos)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)pos);
    __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(ORMA_JSON_FOLD));

    return (struct orma_json_marks){
        .quote = orma_json_equal(bytes, '"'),
        .backslash = orma_json_equal(bytes, '\\'),
        .open = orma_json_equal(folded, '{'),
        .close = orma_json_equal(folded, '}'),
    };
}
#else
/* Bit i: byte i of the word is `c`. */
static inline uint64_t orma_json_equal(uint64_t word, char c)
{
    const uint64_t ones = 0x0101010101010101u, low = ones * 0x7f;
    uint64_t diff = word ^ ones * (uint8_t)c;
    uint64_t zero = ~(((diff & low) + low) | diff | low);

    return (zero >> 7) * 0x0102040810204080u >> 56;
}

static inline struct orma_json_marks orma_json_marks(const char *pos)
{
    struct orma_json_marks ret = {0};

    for (unsigned i = 0; i < ORMA_JSON_BLOCK; i += 8) {
        uint64_t word, folded;

        memcpy(&word, pos + i, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        folded = word | 0x0101010101010101u * ORMA_JSON_FOLD;
        ret.quote |= orma_json_equal(word, '"') << i;
        ret.backslash |= orma_json_equal(word, '\\') << i;
        ret.open |= orma_json_equal(folded, '{') << i;
        ret.close |= orma_json_equal(folded, '}') << i;
    }
    return ret;
}
#endif

/* The same of fewer bytes than a block. */
static inline struct orma_json_marks orma_json_marks_of(const char *pos, size_t len)
{
    char copy[ORMA_JSON_BLOCK] = {0};

    if (len >= ORMA_JSON_BLOCK)
        return orma_json_marks(pos);
    memcpy(copy, pos, len);
    return orma_json_marks(copy);
}

/* Each bit up to `last` becomes the parity of itself and all below it: set from each odd bit to the
 * next. */
static inline uint64_t orma_json_parity(uint64_t bits, unsigned last)
{
    for (unsigned shift = 1; shift <= last; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* The first byte of a text that is its end, a backslash, or a control character; or `end`. */
static inline const char *orma_json_find_mark(const char *pos, const char *end)
{
#ifdef __SSE2__
    for (; end - pos >= 16; pos += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)pos);
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ' - 1)), bytes);
        unsigned found = (unsigned)(orma_json_equal(bytes, '"') | orma_json_equal(bytes, '\\')) |
                         (unsigned)_mm_movemask_epi8(control);

        if (found)
            return pos + __builtin_ctz(found);
    }
#endif
    while (pos < end && *pos != '"' && *pos != '\\' && (uint8_t)*pos >= ' ')
        pos++;
    return pos;
}

/* Behind the closing quote; `pos` is behind the opening one. NULL: not whole. Sets *ret_escaped if
 * there are backslashes. */
static inline const char *orma_json_skip_text(const char *pos, const char *end, bool *ret_escaped)
{
    while ((pos = orma_json_find_mark(pos, end)) < end) {
        if (*pos == '"')
            return pos + 1;
        if (*pos == '\\') {
            *ret_escaped = true;
            if (++pos == end)
                return NULL;
        }
        pos++;
    }
    return NULL;
}
#endif
