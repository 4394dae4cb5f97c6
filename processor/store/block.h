/*
 * Blocks: 1024 values of a column in as few bytes as they need.
 *
 *   value = base + offset, offsets of 0 to 8 bytes each, one width per block
 *
 * Where zeros (or NULLs, which read as zero) stand among values that are far from
 * zero, offset 0 means zero and the others begin at 1. A value is found without
 * reading those before it. Blocks can be written to: what does not fit makes the
 * block anew, at most once for each byte that offsets can become wider, or base lower.
 *
 * Threads: none while somebody writes.
 */
#ifndef ORMA_PROCESSOR_STORE_BLOCK_H
#define ORMA_PROCESSOR_STORE_BLOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/assert.h"

#define ORMA_BLOCK_ROWS 1024u
#define ORMA_BLOCK_SHIFT 10

struct orma_block {
    uint64_t base;
    uint8_t *data; /* never NULL; readable for 8 bytes from each offset on */
    uint8_t bytes; /* of an offset */
    uint8_t shift; /* 64 - 8 * bytes; of one byte if there are none */
    bool zeros;    /* offset 0 is the value 0 */
    bool mapped;   /* `data` is of an image (image.h): neither freed nor written to */
    bool spilled;  /* it lies in a file (spill.h) */
};

/* 1024 times zero, without memory of its own. */
struct orma_block orma_block_zeros(void);

/* Packs 1024 integers of `width` bytes (1, 2, 4 or 8). False: memory is out. */
bool orma_block_make(struct orma_block *ret, const void *vals, unsigned width);
void orma_block_fini(struct orma_block *self);

/* Sets a value. False: memory is out, and the block is as it was. */
bool orma_block_set(struct orma_block *self, uint32_t at, int64_t val);

/* Values `first` to `first + num`. */
void orma_block_read(const struct orma_block *self, uint32_t first, uint32_t num, int64_t *to);

/*
 * The rows of [first, first + num) whose value v has v - lo <= span (differences wrap):
 * their numbers, plus `row`, to `rows`, which has room for `num`. Returns how many.
 */
uint32_t orma_block_range(const struct orma_block *self, int64_t lo, uint64_t span, uint32_t first,
                          uint32_t num, uint32_t row, uint32_t *rows);

/* Memory that the block takes. */
size_t orma_block_memory(const struct orma_block *self);

/* Offsets are kept with the low byte first. */
static inline uint64_t orma_offset_load(const uint8_t *at)
{
    uint64_t val;

    memcpy(&val, at, sizeof(val));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    val = __builtin_bswap64(val);
#endif
    return val;
}

static inline int64_t orma_block_get(const struct orma_block *self, uint32_t at)
{
    ORMA_ASSERT_HOT(at < ORMA_BLOCK_ROWS);
    uint64_t off = orma_offset_load(self->data + (size_t)at * self->bytes);

    off = off << self->shift >> self->shift;
    return (int64_t)(off + (off || !self->zeros ? self->base : 0));
}
#endif
