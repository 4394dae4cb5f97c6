/*
 * The bytes of an image, as image.c writes and image_read.c checks them.
 *
 *   0        head, in a page of its own
 *   4096     bulk: blocks, tails and bits of columns, texts, arrays; each from a multiple of 64 on
 *   ...      index: sums of the bulk, then what there is of all this, in a fixed order
 *
 * There are no offsets. Both parts are read from their begin to their end, so all there is to
 * check are lengths. Numbers are those of this machine.
 */
#ifndef ORMA_PROCESSOR_STORE_IMAGE_FORMAT_H
#define ORMA_PROCESSOR_STORE_IMAGE_FORMAT_H
#include <string.h>

#include "processor/store/image.h"
#include "sdk/base/defs.h"

#define ORMA_IMAGE_ORDER 0x01020304u
#define ORMA_IMAGE_BULK 4096u
#define ORMA_IMAGE_ALIGN 64u
/* The bulk is summed in pieces of this size. */
#define ORMA_IMAGE_PIECE ((size_t)1 << 20)

struct orma_image_head {
    char magic[8];
    uint32_t order;
    uint32_t tables; /* ORMA_TABLES_NUM */
    uint64_t bulk_bytes, index_bytes;
    uint64_t index_sum;
    struct orma_image_label label;
    uint64_t head_sum; /* of all before */
};

struct orma_image_table {
    uint32_t rows, sealed, columns, reserved;
};

/* Of each column of a table that has rows. Its blocks follow, if it has a width. */
struct orma_image_column {
    int64_t last;
    uint8_t width, unsorted, valid, reserved[5];
};

struct orma_image_block {
    uint64_t base;
    uint8_t bytes, zeros, reserved[6];
};

struct orma_image_text {
    uint32_t len, hash; /* of the bytes: a zero follows */
};

struct orma_image_pool {
    uint64_t seed, text_bytes;
    uint32_t len, slots_mask;
};

struct orma_image_blobs {
    uint64_t bytes, num;
};

struct orma_image_source {
    uint32_t rows, sets, args, reserved;
};

/* To find bytes that changed by themselves. Four chains, each of which keeps every change. */
static inline uint64_t orma_image_sum(const uint8_t *data, size_t len)
{
    static const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t sums[4] = {1, 2, 3, len}, words[4] = {0};

    for (; len >= sizeof(words); data += sizeof(words), len -= sizeof(words)) {
        memcpy(words, data, sizeof(words));
        for (unsigned i = 0; i < 4; i++)
            sums[i] = (sums[i] ^ words[i]) * factor;
    }
    memset(words, 0, sizeof(words));
    memcpy(words, data, len);
    for (unsigned i = 0; i < 4; i++)
        sums[i] = (sums[i] ^ words[i]) * factor;
    for (unsigned i = 1; i < 4; i++)
        sums[0] = ((sums[0] ^ sums[0] >> 29) + sums[i]) * factor;
    return sums[0] ^ sums[0] >> 32;
}
#endif
