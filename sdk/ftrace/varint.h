/*
 * Varints for the hot loop of the translation: most values there have one to
 * four bytes, of a length that no branch predictor guesses, so up to 2^28 the
 * bytes are spread and stored without a branch.
 *
 * Every function may store up to 16 bytes at `to`, however few it counts.
 */
#ifndef ORMA_SDK_FTRACE_VARINT_H
#define ORMA_SDK_FTRACE_VARINT_H
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/wire/pb_writer.h"
#include "sdk/wire/varint.h"

/* By the number of zeros above the highest bit that is set, 8 to 64: the continuation bits of all
 * bytes but the last, and their number. */
struct orma_ftrace_varint_shape {
    uint64_t more[65];
    uint8_t len[65];
};

#define ORMA_FTRACE_SEVEN(x) x, x, x, x, x, x, x
static const struct orma_ftrace_varint_shape orma_ftrace_varint_shape = {
    {ORMA_FTRACE_SEVEN(0), 0, ORMA_FTRACE_SEVEN(0x80808080808080),
     ORMA_FTRACE_SEVEN(0x808080808080), ORMA_FTRACE_SEVEN(0x8080808080),
     ORMA_FTRACE_SEVEN(0x80808080), ORMA_FTRACE_SEVEN(0x808080), ORMA_FTRACE_SEVEN(0x8080),
     ORMA_FTRACE_SEVEN(0x80), ORMA_FTRACE_SEVEN(0), 0},
    {ORMA_FTRACE_SEVEN(0), 0, ORMA_FTRACE_SEVEN(8), ORMA_FTRACE_SEVEN(7), ORMA_FTRACE_SEVEN(6),
     ORMA_FTRACE_SEVEN(5), ORMA_FTRACE_SEVEN(4), ORMA_FTRACE_SEVEN(3), ORMA_FTRACE_SEVEN(2),
     ORMA_FTRACE_SEVEN(1), 1}};
#undef ORMA_FTRACE_SEVEN

static inline uint8_t *orma_ftrace_put_varint(uint8_t *to, uint64_t val)
{
    if (ORMA_LIKELY(val < (1u << 28))) {
        unsigned zeros = (unsigned)__builtin_clzll(val | 1);
        uint32_t bytes =
            orma_varint_spread28((uint32_t)val) | (uint32_t)orma_ftrace_varint_shape.more[zeros];

        memcpy(to, &bytes, sizeof(bytes));
        return to + orma_ftrace_varint_shape.len[zeros];
    }
    return orma_varint_write_wide(to, val);
}

/*
 * The same for processors that deposit bits into bytes by one instruction (BMI2), and count zeros
 * by another (LZCNT): up to 2^56 without a branch. Not to be called on others.
 */
#ifdef __x86_64__
#define ORMA_FTRACE_CPUID_EXTENDED 0x80000001u
#define ORMA_FTRACE_CPUID_LZCNT (1u << 5)

/* As assembly, so that the functions around it need not be made for such processors. */
static inline uint64_t orma_ftrace_deposit(uint64_t val, uint64_t mask)
{
    uint64_t ret;

    __asm__("pdep %2, %1, %0" : "=r"(ret) : "r"(val), "r"(mask));
    return ret;
}

/* 64: none is set. */
static inline uint64_t orma_ftrace_zeros(uint64_t val)
{
    uint64_t ret;

    __asm__("lzcnt %1, %0" : "=r"(ret) : "r"(val) : "cc");
    return ret;
}

/* Quick ones only: AMD's before Zen 3 take hundreds of cycles. */
static inline bool orma_ftrace_can_deposit(void)
{
    unsigned eax, ebx, ecx = 0, edx;

    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam17h") &&
           __get_cpuid(ORMA_FTRACE_CPUID_EXTENDED, &eax, &ebx, &ecx, &edx) &&
           ecx & ORMA_FTRACE_CPUID_LZCNT;
}
#else
static inline uint64_t orma_ftrace_deposit(uint64_t val, uint64_t mask)
{
    return mask <= UINT32_MAX ? orma_varint_spread28((uint32_t)val & 0x0fffffff)
                              : orma_varint_spread56(val);
}

static inline uint64_t orma_ftrace_zeros(uint64_t val)
{
    return val ? (uint64_t)__builtin_clzll(val) : 64;
}

static inline bool orma_ftrace_can_deposit(void)
{
    return false;
}
#endif

#define ORMA_FTRACE_SEVENS 0x7f7f7f7f7f7f7f7fu

static inline uint8_t *orma_ftrace_put_varint_deposit(uint8_t *to, uint64_t val)
{
    uint64_t zeros = orma_ftrace_zeros(val);

    if (ORMA_LIKELY(zeros >= 8)) {
        uint64_t bytes =
            orma_ftrace_deposit(val, ORMA_FTRACE_SEVENS) | orma_ftrace_varint_shape.more[zeros];

        memcpy(to, &bytes, sizeof(bytes));
        return to + orma_ftrace_varint_shape.len[zeros];
    }
    return orma_varint_write_wide(to, val);
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

/* Another `high`: the slow path, and remembered. */
ORMA_COLD __attribute__((unused)) static uint8_t *
orma_ftrace_put_new_time(uint8_t *to, struct orma_ftrace_time_cache *cache, uint64_t ts)
{
    uint8_t bytes[ORMA_VARINT_MAX] = {0};

    if (ts >> 28) {
        cache->high = ts >> 28;
        cache->len = (unsigned)(orma_varint_write(bytes, cache->high) - bytes);
        memcpy(&cache->bytes, bytes, sizeof(cache->bytes)); /* 36 bits: six bytes at most */
    }
    return orma_varint_write(to, ts);
}

/* `deposit` is a constant: may orma_ftrace_deposit() be used? */
static inline uint8_t *orma_ftrace_put_time(uint8_t *to, struct orma_ftrace_time_cache *cache,
                                            uint64_t ts, const bool deposit)
{
    uint64_t high = ts >> 28;

    if (ORMA_UNLIKELY(high != cache->high || !high))
        return orma_ftrace_put_new_time(to, cache, ts);
    uint32_t low = deposit ? (uint32_t)orma_ftrace_deposit(ts, (uint32_t)ORMA_FTRACE_SEVENS)
                           : orma_varint_spread28((uint32_t)ts & 0x0fffffff);

    low |= 0x80808080u;
    memcpy(to, &low, sizeof(low));
    memcpy(to + 4, &cache->bytes, sizeof(cache->bytes));
    return to + 4 + cache->len;
}
#endif
