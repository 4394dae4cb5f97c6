/*
 * The commonest values of JSON, read in place: texts without escapes, and numbers of digits with at
 * most one point. For readers that go over each byte of a large file. Whatever else stands there is
 * for orma_json_read(), which gives the same for these.
 */
#ifndef ORMA_PROTOS_REFLECT_JSON_INLINE_H
#define ORMA_PROTOS_REFLECT_JSON_INLINE_H
#include "protos/reflect/json_marks.h"
#include "protos/reflect/json_reader.h"

/* Longest number that is looked at; longer ones are nonsense. */
#define ORMA_JSON_NUMBER_MAX 64
/* So many digits fit in 64 bits with a sign, whatever they are. */
#define ORMA_JSON_DIGITS_MAX 18

static inline bool orma_json_is_blank(char c)
{
    return (uint8_t)c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r');
}

static inline const char *orma_json_skip_blanks(const char *pos, const char *end)
{
    if (ORMA_LIKELY(pos < end && (uint8_t)*pos > ' ')) /* most texts have few */
        return pos;
    while (pos < end && orma_json_is_blank(*pos))
        pos++;
    return pos;
}

/* The closing quote of a text that begins at `pos`, behind the opening one. NULL: it has escapes,
 * or no end. */
static inline const char *orma_json_plain_text(const char *pos, const char *end)
{
#ifdef __SSE2__
    for (; end - pos >= 16; pos += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)pos);
        unsigned found = (unsigned)(orma_json_equal(bytes, '"') | orma_json_equal(bytes, '\\'));

        if (ORMA_LIKELY(found)) {
            pos += __builtin_ctz(found);
            return ORMA_LIKELY(*pos == '"') ? pos : NULL;
        }
    }
#endif
    while (pos < end && *pos != '"' && *pos != '\\')
        pos++;
    return pos < end && *pos == '"' ? pos : NULL;
}

/* Bit i: byte i of both is the same, of 16. */
static inline uint32_t orma_json_same(const char *a, const char *b)
{
#ifdef __SSE2__
    return (uint32_t)_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
                       _mm_loadu_si128((const __m128i *)(const void *)b)));
#else
    uint32_t same = 0;

    for (unsigned i = 0; i < 16; i++)
        same |= (uint32_t)(a[i] == b[i]) << i;
    return same;
#endif
}

/* A number in parts: the value is `digits` / 10^`decimals`, with a sign. */
struct orma_json_digits {
    uint64_t digits; /* wrapped if there are more than ORMA_JSON_DIGITS_MAX of them */
    unsigned decimals;
    bool negative;
};

/* The digits that eight bytes begin with, as a number; returns how many. */
static inline unsigned orma_json_digits8(const char *pos, uint64_t *ret)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101u;
    uint64_t word;

    memcpy(&word, pos, sizeof(word));
    word ^= ones * '0';
    const uint64_t others = ((word + ones * (0x80 - 10)) | word) & ones * 0x80;
    const unsigned num = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (!num)
        return 0;
    word <<= 64 - 8 * num; /* zeros in front */
    word = word * 10 + (word >> 8);
    *ret = ((word & 0xff000000ff) * (100 + (1000000ull << 32)) +
            (word >> 16 & 0xff000000ff) * (1 + (10000ull << 32))) >>
           32;
    return num;
#else
    unsigned num = 0;

    for (*ret = 0; num < 8 && (uint8_t)(pos[num] - '0') < 10; num++)
        *ret = *ret * 10 + (uint8_t)(pos[num] - '0');
    return num;
#endif
}

static const uint32_t orma_json_tens[] = {1,      10,      100,      1000,     10000,
                                          100000, 1000000, 10000000, 100000000};

/* Adds the digits at `pos` to *val; returns their end. */
static inline const char *orma_json_take_digits(const char *pos, const char *end, uint64_t *val)
{
    uint64_t part = 0;

    while (end - pos >= 8) {
        const unsigned num = orma_json_digits8(pos, &part);

        *val = num ? *val * orma_json_tens[num] + part : *val;
        pos += num;
        if (num < 8)
            return pos;
    }
    for (; pos < end && (uint8_t)(*pos - '0') < 10; pos++)
        *val = *val * 10 + (uint8_t)(*pos - '0');
    return pos;
}

/* The number at `pos`; returns its end, behind which a word must end. NULL: it is another one. */
static inline const char *orma_json_plain_number(const char *pos, const char *end,
                                                 struct orma_json_value *ret,
                                                 struct orma_json_digits *ret_digits)
{
    const bool negative = pos < end && *pos == '-';
    const char *digits = pos + negative, *at, *point;
    uint64_t val = 0;

    at = orma_json_take_digits(digits, end, &val);
    if (at == digits || at - digits > ORMA_JSON_DIGITS_MAX)
        return NULL;
    *ret_digits = (struct orma_json_digits){.negative = negative};
    ret->type = ORMA_JSON_INT;
    ret->escaped = ret->boolean = false;
    ret->integer = (int64_t)(negative ? -val : val);
    if (at < end && *at == '.') {
        ret->type = ORMA_JSON_REAL;
        ret->integer = 0;
        point = at;
        at = orma_json_take_digits(at + 1, end, &val);
        ret_digits->decimals = (unsigned)(at - point) - 1;
    }
    ret_digits->digits = val;
    ret->raw = (struct orma_str){pos, (size_t)(at - pos)};
    return ret->raw.len <= ORMA_JSON_NUMBER_MAX ? at : NULL;
}
#endif
