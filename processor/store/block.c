/*
 * Making a block: the smallest and largest value give the base and the width; zeros far from
 * the others take offset 0. Reading shifts away the bytes of the next value. Range tests
 * compare offsets without adding the base, in loops by width that compilers turn into vector
 * code.
 */
#include "processor/store/block.h"

#include <stdlib.h>

#include "processor/store/spill.h"
#include "sdk/base/defs.h"

/* Offsets of 2 and 4 bytes lie as this machine would have them. */
#define NATIVE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
/* Behind the last offset: a load is 8 bytes wide. */
#define SLACK 8

static uint8_t no_offsets[SLACK];

static void store(uint8_t *at, uint64_t val)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    val = __builtin_bswap64(val);
#endif
    memcpy(at, &val, sizeof(val));
}

static uint64_t offset_of(const struct orma_block *b, int64_t val)
{
    return b->zeros && !val ? 0 : (uint64_t)val - b->base;
}

static uint8_t bytes_for(uint64_t max)
{
    return max ? (uint8_t)((64 - __builtin_clzll(max) + 7) / 8) : 0;
}

struct orma_block orma_block_zeros(void)
{
    return (struct orma_block){.data = no_offsets, .shift = 56};
}

void orma_block_fini(struct orma_block *self)
{
    if (self->spilled)
        orma_spill_give(self->data);
    else if (self->bytes && !self->mapped)
        free(self->data);
    *self = orma_block_zeros();
}

size_t orma_block_memory(const struct orma_block *self)
{
    return sizeof(*self) + (self->bytes ? (size_t)self->bytes * ORMA_BLOCK_ROWS + SLACK : 0);
}

/* ---- packing ---- */

/* What one width of the values as they lie in a table does. Fixed trip counts: these loops are made
 * of vectors. */
#define DEFINE_FOR(name, type, wide)                                                               \
    static void limits_##name(const void *data, int64_t *ret_min, int64_t *ret_max)                \
    {                                                                                              \
        const type *vals = data;                                                                   \
        type min = vals[0], max = vals[0];                                                         \
                                                                                                   \
        for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++) {                                           \
            min = vals[i] < min ? vals[i] : min;                                                   \
            max = vals[i] > max ? vals[i] : max;                                                   \
        }                                                                                          \
        *ret_min = min;                                                                            \
        *ret_max = max;                                                                            \
    }                                                                                              \
                                                                                                   \
    /* The smallest above zero; all of them are zero or more, and one is more. */                  \
    static int64_t lowest_##name(const void *data)                                                 \
    {                                                                                              \
        const type *vals = data;                                                                   \
        wide lowest = (wide)-1;                                                                    \
                                                                                                   \
        /* 0 - 1 is more than all others */                                                        \
        for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++) {                                           \
            wide less = (wide)vals[i] - 1;                                                         \
            lowest = less < lowest ? less : lowest;                                                \
        }                                                                                          \
        return (int64_t)lowest + 1;                                                                \
    }                                                                                              \
                                                                                                   \
    static void pack_##name(const struct orma_block *b, const void *data)                          \
    {                                                                                              \
        const type *restrict vals = data;                                                          \
        const wide base = (wide)b->base;                                                           \
        uint8_t *restrict to = b->data;                                                            \
                                                                                                   \
        if (b->bytes == 1 && !b->zeros) {                                                          \
            for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)                                         \
                to[i] = (uint8_t)((wide)vals[i] - base);                                           \
            return;                                                                                \
        }                                                                                          \
        if (NATIVE && b->bytes == 2 && !b->zeros) {                                                \
            uint16_t *restrict halves = (void *)to;                                                \
                                                                                                   \
            for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)                                         \
                halves[i] = (uint16_t)((wide)vals[i] - base);                                      \
            return;                                                                                \
        }                                                                                          \
        if (NATIVE && b->bytes == 4 && !b->zeros) {                                                \
            uint32_t *restrict words = (void *)to;                                                 \
                                                                                                   \
            for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)                                         \
                words[i] = (uint32_t)((wide)vals[i] - base);                                       \
            return;                                                                                \
        }                                                                                          \
        /* The upper bytes, which are zero, are overwritten by the next one. */                    \
        const uint64_t low = b->base;                                                              \
        const size_t bytes = b->bytes;                                                             \
        if (b->zeros)                                                                              \
            for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++, to += bytes)                            \
                store(to, vals[i] ? (uint64_t)vals[i] - low : 0);                                  \
        else                                                                                       \
            for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++, to += bytes)                            \
                store(to, (uint64_t)vals[i] - low);                                                \
    }

DEFINE_FOR(16, int16_t, uint16_t)
DEFINE_FOR(32, int32_t, uint32_t)
DEFINE_FOR(64, int64_t, uint64_t)

static void pack_8(const struct orma_block *b, const void *data)
{
    const uint8_t *restrict vals = data;
    uint8_t *restrict to = b->data;

    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        to[i] = vals[i] ^ 0x80;
}

static const struct {
    void (*limits)(const void *data, int64_t *ret_min, int64_t *ret_max);
    int64_t (*lowest)(const void *data);
    void (*pack)(const struct orma_block *b, const void *data);
} by_width[] = {
    [1] = {NULL, NULL, pack_8},
    [2] = {limits_16, lowest_16, pack_16},
    [4] = {limits_32, lowest_32, pack_32},
    [8] = {limits_64, lowest_64, pack_64},
};

/* base, bytes and zeros that hold these values in the fewest bytes. */
static struct orma_block shape_for(const void *vals, unsigned width)
{
    struct orma_block b = orma_block_zeros();
    int64_t min, max;

    if (width == 1) { /* it takes a byte, unless all are equal */
        const int8_t *bytes = vals;

        b.bytes = memcmp(bytes, bytes + 1, ORMA_BLOCK_ROWS - 1) != 0;
        b.base = (uint64_t)(b.bytes ? INT8_MIN : bytes[0]);
        return b;
    }
    by_width[width].limits(vals, &min, &max);
    b.base = (uint64_t)min;
    b.bytes = bytes_for((uint64_t)max - (uint64_t)min);
    if (!min && b.bytes > 1) {
        int64_t lowest = by_width[width].lowest(vals);
        uint8_t bytes = bytes_for((uint64_t)max - (uint64_t)lowest + 1);

        if (bytes < b.bytes) {
            b.base = (uint64_t)lowest - 1;
            b.bytes = bytes;
            b.zeros = true;
        }
    }
    b.shift = b.bytes ? (uint8_t)(64 - 8 * b.bytes) : 56;
    return b;
}

/* `often`: it will be written to again. */
static bool make_block(struct orma_block *ret, const void *vals, unsigned width, bool often)
{
    struct orma_block b = shape_for(vals, width);
    const size_t size = (size_t)b.bytes * ORMA_BLOCK_ROWS + SLACK;

    if (b.bytes) {
        b.data = !often && orma_spill_is_needed(size) ? orma_spill_take(size) : NULL;
        b.spilled = b.data;
        if (!b.data && !(b.data = malloc(size)))
            return false;
        memset(b.data + (size_t)b.bytes * ORMA_BLOCK_ROWS, 0, SLACK);
        by_width[width].pack(&b, vals);
    }
    *ret = b;
    return true;
}

bool orma_block_make(struct orma_block *ret, const void *vals, unsigned width)
{
    return make_block(ret, vals, width, false);
}

static bool can_write(const struct orma_block *self)
{
    return !self->mapped && (!self->spilled || orma_spill_is_ours());
}

bool orma_block_set(struct orma_block *self, uint32_t at, int64_t val)
{
    uint64_t off = offset_of(self, val);
    uint64_t most = self->bytes ? UINT64_MAX >> self->shift : 0;
    int64_t vals[ORMA_BLOCK_ROWS];
    struct orma_block fresh;

    if (can_write(self) && off <= most && (off || !self->zeros || !val)) {
        uint8_t *to = self->data + (size_t)at * self->bytes;

        for (unsigned i = 0; i < self->bytes; i++)
            to[i] = (uint8_t)(off >> 8 * i);
        return true;
    }
    orma_block_read(self, 0, ORMA_BLOCK_ROWS, vals);
    vals[at] = val;
    if (!make_block(&fresh, vals, sizeof(*vals), true))
        return false;
    orma_block_fini(self);
    *self = fresh;
    return true;
}

/* ---- reading ---- */

#define READ_LOOP(type)                                                                            \
    do {                                                                                           \
        const type *offs = (const type *)(const void *)self->data + first;                         \
        const uint64_t base = self->base;                                                          \
        for (uint32_t i = 0; i < num; i++)                                                         \
            to[i] = (int64_t)(offs[i] + base);                                                     \
    } while (0)

void orma_block_read(const struct orma_block *self, uint32_t first, uint32_t num, int64_t *to)
{
    if (!self->bytes) {
        for (uint32_t i = 0; i < num; i++)
            to[i] = (int64_t)self->base;
    } else if (self->bytes == 1 && !self->zeros) {
        READ_LOOP(uint8_t);
    } else if (NATIVE && self->bytes == 2 && !self->zeros) {
        READ_LOOP(uint16_t);
    } else if (NATIVE && self->bytes == 4 && !self->zeros) {
        READ_LOOP(uint32_t);
    } else {
        const struct orma_block b = *self;

        for (uint32_t i = 0; i < num; i++)
            to[i] = orma_block_get(&b, first + i);
    }
}

#define RANGE_LOOP(type)                                                                           \
    do {                                                                                           \
        const type *offs = (const type *)(const void *)self->data + first;                         \
        for (uint32_t i = 0; i < num; i++) {                                                       \
            rows[kept] = row + first + i;                                                          \
            kept += (uint64_t)offs[i] - from <= width;                                             \
        }                                                                                          \
    } while (0)

static uint32_t all_of(uint32_t first, uint32_t num, uint32_t row, uint32_t *rows)
{
    for (uint32_t i = 0; i < num; i++)
        rows[i] = row + first + i;
    return num;
}

enum share { NONE, SOME, ALL };

/* How much of what the block can hold is in the range of offsets. */
static enum share share_of(const struct orma_block *self, uint64_t from, uint64_t width)
{
    uint64_t most = self->bytes ? UINT64_MAX >> self->shift : 0;

    if (0 - from <= most - from && most - from <= width)
        return ALL;
    return from > most && width <= UINT64_MAX - from ? NONE : SOME;
}

uint32_t orma_block_range(const struct orma_block *self, int64_t lo, uint64_t span, uint32_t first,
                          uint32_t num, uint32_t row, uint32_t *rows)
{
    /* v - lo <= span is off - (lo - base) <= span. */
    uint64_t from = (uint64_t)lo - self->base, width = span;
    uint32_t kept = 0;

    if (self->zeros) {
        const struct orma_block b = *self;

        for (uint32_t i = 0; i < num; i++) {
            rows[kept] = row + first + i;
            kept += (uint64_t)orma_block_get(&b, first + i) - (uint64_t)lo <= span;
        }
        return kept;
    }
    enum share share = share_of(self, from, width);
    if (share == NONE)
        return 0;
    if (share == ALL)
        return all_of(first, num, row, rows);
    if (self->bytes == 1) {
        RANGE_LOOP(uint8_t);
    } else if (NATIVE && self->bytes == 2) {
        RANGE_LOOP(uint16_t);
    } else if (NATIVE && self->bytes == 4) {
        RANGE_LOOP(uint32_t);
    } else {
        const struct orma_block b = *self;

        for (uint32_t i = 0; i < num; i++) {
            uint64_t off = orma_offset_load(b.data + (size_t)(first + i) * b.bytes);

            rows[kept] = row + first + i;
            kept += (off << b.shift >> b.shift) - from <= width;
        }
    }
    return kept;
}
