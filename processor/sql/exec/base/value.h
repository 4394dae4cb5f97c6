/*
 * Values, and blocks of them. A value is a type and 64 bits; a vector holds the values of a block
 * of rows, all of one type or each of its own.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_VALUE_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_VALUE_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "processor/sql/exec/base/syntax.h"
#include "processor/sql/tables/scan.h"
#include "processor/store/strpool.h"

#define EXEC_BLOCK ORMA_SQL_SCAN_BLOCK

/* Types of values, which are also the bits of sets of types. */
enum orma_exec_tag {
    EXEC_NULL = 1,
    EXEC_INT = 2,
    EXEC_REAL = 4, /* bits of the double; never a NaN */
    EXEC_TEXT = 8, /* id of the pool; never 0 */
};
#define EXEC_ANY (EXEC_NULL | EXEC_INT | EXEC_REAL | EXEC_TEXT)

struct orma_exec_value {
    uint8_t tag;
    int64_t bits;
};

/* A block of values: all of type `tag`, or each of its own. */
struct orma_exec_vec {
    bool tagged;
    uint8_t tag;
    int64_t vals[EXEC_BLOCK];
    uint8_t tags[EXEC_BLOCK];
};

/* From here on each value has its type. */
static inline void orma_exec_make_tagged(struct orma_exec_vec *v, uint32_t num)
{
    if (!v->tagged)
        memset(v->tags, v->tag, num);
    v->tagged = true;
}

static inline void orma_exec_set(struct orma_exec_vec *v, uint32_t i, uint8_t tag, int64_t bits)
{
    v->tags[i] = tag;
    v->vals[i] = bits;
}

static inline uint8_t orma_exec_tag_at(const struct orma_exec_vec *v, uint32_t i)
{
    return v->tagged ? v->tags[i] : v->tag;
}

static inline double orma_exec_double(int64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

static inline int64_t orma_exec_bits(double d)
{
    int64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

/* NULL for what is no number. */
static inline struct orma_exec_value orma_exec_real_or_null(double d)
{
    if (d != d)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){EXEC_REAL, orma_exec_bits(d)};
}

/* A double, or NULL for what is no number. */
static inline void orma_exec_set_real(struct orma_exec_vec *v, uint32_t i, double d)
{
    if (d != d)
        orma_exec_set(v, i, EXEC_NULL, 0);
    else
        orma_exec_set(v, i, EXEC_REAL, orma_exec_bits(d));
}

/* Order of values as SQLite has it, NULL first; texts by their bytes. */
int orma_exec_compare(const struct orma_strpool *pool, struct orma_exec_value a,
                      struct orma_exec_value b);

static inline int64_t orma_exec_shift(int64_t val, int64_t by)
{
    if (by < 0) /* to the right */
        return by <= -64 ? (val < 0 ? -1 : 0) : val >> -by;
    return by >= 64 ? 0 : (int64_t)((uint64_t)val << by);
}

/* What an operator makes of two integers. False: it overflows, or divides by zero. */
static inline bool orma_exec_int_result(enum orma_exec_op op, int64_t a, int64_t b, int64_t *ret)
{
    switch (op) {
    case ORMA_EXEC_ADD:
        return !__builtin_add_overflow(a, b, ret);
    case ORMA_EXEC_SUB:
        return !__builtin_sub_overflow(a, b, ret);
    case ORMA_EXEC_MUL:
        return !__builtin_mul_overflow(a, b, ret);
    case ORMA_EXEC_DIV:
        if (!b || (b == -1 && a == INT64_MIN))
            return false;
        *ret = a / b;
        return true;
    case ORMA_EXEC_BIT_AND:
        *ret = a & b;
        return true;
    case ORMA_EXEC_BIT_OR:
        *ret = a | b;
        return true;
    case ORMA_EXEC_SHIFT_LEFT:
        *ret = orma_exec_shift(a, b);
        return true;
    case ORMA_EXEC_SHIFT_RIGHT:
        *ret = orma_exec_shift(a, b == INT64_MIN ? INT64_MAX : -b);
        return true;
    default:
        if (!b)
            return false;
        *ret = b == -1 ? 0 : a % b;
        return true;
    }
}

#endif
