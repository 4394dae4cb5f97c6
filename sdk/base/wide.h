/*
 * Numbers of 128 bits, in two's complement: products of 64-bit numbers that are divided or shifted
 * again. For all processors; those of 32 bits have no such type.
 */
#ifndef ORMA_SDK_BASE_WIDE_H
#define ORMA_SDK_BASE_WIDE_H
#include <stdbool.h>
#include <stdint.h>

struct orma_wide {
    uint64_t high, low;
};

static inline struct orma_wide orma_wide_of(int64_t a)
{
    return (struct orma_wide){a < 0 ? UINT64_MAX : 0, (uint64_t)a};
}

/* Is it a number of 64 bits with a sign? */
static inline bool orma_wide_fits(struct orma_wide a)
{
    return a.high == (a.low >> 63 ? UINT64_MAX : 0);
}

static inline struct orma_wide orma_wide_add(struct orma_wide a, struct orma_wide b)
{
    const uint64_t low = a.low + b.low;

    return (struct orma_wide){a.high + b.high + (low < a.low), low};
}

static inline struct orma_wide orma_wide_neg(struct orma_wide a)
{
    return (struct orma_wide){~a.high + !a.low, ~a.low + 1};
}

/* Of two numbers without a sign. */
static inline struct orma_wide orma_wide_mul(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (uint32_t)one;

    return (struct orma_wide){ah * bh + (one >> 32) + (two >> 32), two << 32 | (uint32_t)low};
}

static inline struct orma_wide orma_wide_mul_signed(int64_t a, int64_t b)
{
    struct orma_wide ret = orma_wide_mul((uint64_t)a, (uint64_t)b);

    ret.high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return ret;
}

static inline struct orma_wide orma_wide_times(struct orma_wide a, uint64_t b)
{
    struct orma_wide ret = orma_wide_mul(a.low, b);

    ret.high += a.high * b;
    return ret;
}

/* The 64 bits that begin at bit `from` (0..127), of a number without a sign. */
static inline uint64_t orma_wide_bits(struct orma_wide a, unsigned from)
{
    if (from >= 64)
        return a.high >> (from - 64);
    return from ? a.high << (64 - from) | a.low >> from : a.low;
}

/* Bit by bit, without a sign. */
static inline struct orma_wide orma_wide_div_long(struct orma_wide a, uint64_t by)
{
    struct orma_wide ret = {a.high / by, 0};
    uint64_t rest = a.high % by;

    for (int i = 63; i >= 0; i--) {
        const bool over = rest >> 63;

        rest = rest << 1 | (a.low >> i & 1);
        if (over || rest >= by) {
            rest -= by;
            ret.low |= UINT64_C(1) << i;
        }
    }
    return ret;
}

/* By a number without a sign that is not 0; towards zero. */
static inline struct orma_wide orma_wide_div(struct orma_wide a, uint64_t by)
{
    const bool negative = a.high >> 63;

    if (negative)
        a = orma_wide_neg(a);
#ifdef __SIZEOF_INT128__
    __extension__ const unsigned __int128 whole = ((unsigned __int128)a.high << 64 | a.low) / by;

    a = (struct orma_wide){(uint64_t)(whole >> 64), (uint64_t)whole};
#else
    a = orma_wide_div_long(a, by);
#endif
    return negative ? orma_wide_neg(a) : a;
}
#endif
