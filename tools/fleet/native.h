/*
 * Blocks of rows, each sorted, as one block of ClickHouse's format Native, sorted: the server then
 * need not sort. Names keep dictionaries.
 *
 *   block:  number of columns, number of rows (varints), then each column
 *   column: its name, its type (texts), its values
 *   LowCardinality: u64 1; u64 0x600 | width; u64 keys, their texts; u64 rows, their numbers
 *
 *     struct orma_fleet_native native = {0};
 *
 *     orma_fleet_native_init(&native, table, blocks, num);
 *     while ((r = orma_fleet_native_next(&native, &buf)) == 1)
 *         send(buf), orma_buf_clear(&buf);
 *     orma_fleet_native_fini(&native);
 */
#ifndef ORMA_TOOLS_FLEET_NATIVE_H
#define ORMA_TOOLS_FLEET_NATIVE_H
#include "sdk/base/map.h"
#include "sdk/base/vec.h"
#include "tools/fleet/block.h"

/* Rows of a block that stay together. */
struct orma_fleet_run {
    uint32_t ranks[2], block, from, num;
};

struct orma_fleet_native {
    const struct orma_fleet_table *table;
    const struct orma_fleet_block
        *blocks; /* sorted by build and machine; those of a trace in order */
    uint32_t blocks_num;
    uint64_t rows;
    ORMA_VEC(struct orma_fleet_run) runs;
    /* What comes next. */
    const char *lists[2]; /* columns of the head, and the table's */
    unsigned column;      /* number `column` of that; UINT_MAX: nothing was given yet */
    struct orma_fleet_column title;
    uint32_t run, row; /* of a column of texts, which comes in pieces */
    bool in_texts;
    /* The dictionary of a column: of all blocks, and what their entries are in it. */
    struct orma_map places; /* hash: entry */
    ORMA_VEC(struct orma_str) entries;
    ORMA_VEC(uint32_t) numbers, first; /* of all entries of the blocks; where those of each begin */
};

/* 0 or -ENOMEM; to be ended in any case. */
int orma_fleet_native_init(struct orma_fleet_native *self, const struct orma_fleet_table *table,
                           const struct orma_fleet_block *blocks, uint32_t num);
void orma_fleet_native_fini(struct orma_fleet_native *self);

/* 1: more of it was appended; 0: that was all; -ENOMEM. */
int orma_fleet_native_next(struct orma_fleet_native *self, struct orma_buf *out);
#endif
