/*
 * Rows of a table as the reader of a trace leaves them for the senders: in the order in which the
 * engine keeps them, column by column.
 *
 *   numbers: u32 width; as many bytes a row: whole numbers are as narrow as they all fit
 *   texts:   u32 number of entries; u32 where each begins and the last one ends; their bytes; a row
 *            its entry, as narrow as they fit
 *
 * Each of these is padded to 8 bytes. NULL is 0 or "".
 */
#ifndef ORMA_TOOLS_FLEET_BLOCK_H
#define ORMA_TOOLS_FLEET_BLOCK_H
#include "processor/columns/columns.h"
#include "tools/fleet/tables.h"

#define ORMA_FLEET_COLUMNS_MAX 16

/* What the columns of the head are. */
struct orma_fleet_trace_cells {
    uint32_t day;
    struct orma_str build, machine;
    uint64_t load;
};

struct orma_fleet_values {
    const void *rows;
    unsigned width;          /* of each */
    const uint32_t *offsets; /* NULL: they are numbers */
    const char *bytes;
    uint32_t entries_num;
};

struct orma_fleet_block {
    const struct orma_fleet_trace_cells *trace;
    uint32_t rows;
    struct orma_fleet_values columns[ORMA_FLEET_COLUMNS_MAX];
};

/* The rows of a batch, whose columns are those of the table, sorted. -EDOM: a value has another
 * type; -EFBIG; -ENOMEM. */
int orma_fleet_block_put(struct orma_buf *out, const struct orma_columns_batch *batch,
                         const struct orma_fleet_table *table);

/* Looks into such bytes, which begin at a multiple of 8 and must stay. False: they are none. */
bool orma_fleet_block_read(const uint8_t *data, size_t len, const struct orma_fleet_table *table,
                           struct orma_fleet_block *ret);

/* The number of the entry of a row. */
static inline uint32_t orma_fleet_entry_of(const struct orma_fleet_values *v, uint32_t row)
{
    return v->width == 1   ? ((const uint8_t *)v->rows)[row]
           : v->width == 2 ? ((const uint16_t *)v->rows)[row]
                           : ((const uint32_t *)v->rows)[row];
}

static inline struct orma_str orma_fleet_entry(const struct orma_fleet_values *v, uint32_t entry)
{
    return (struct orma_str){v->bytes + v->offsets[entry],
                             v->offsets[entry + 1] - v->offsets[entry]};
}

/* As the engine compares texts. */
int orma_fleet_compare(struct orma_str a, struct orma_str b);

/* The number of the column that sorts number `n` of the rows of one trace; -1: there is none. */
int orma_fleet_sort_column(const struct orma_fleet_table *table, unsigned n);
#endif
