/*
 * Rows as ClickHouse's format Native, column by column: names keep their dictionary.
 *
 *   block:  number of columns, number of rows (varints), then each column
 *   column: its name, its type (texts), its values
 *   LowCardinality: u64 1; u64 0x600 | width; u64 keys, their texts; u64 rows, their numbers
 */
#ifndef ORMA_TOOLS_FLEET_NATIVE_H
#define ORMA_TOOLS_FLEET_NATIVE_H
#include "processor/columns/columns.h"
#include "tools/fleet/tables.h"

void orma_fleet_put_varint(struct orma_buf *out, uint64_t value);
void orma_fleet_put_text(struct orma_buf *out, struct orma_str text);

/* The columns of a batch, which are those of the list. -EDOM: a value has another type. NULL
 * becomes 0 or "". */
int orma_fleet_put_batch(struct orma_buf *out, const struct orma_columns_batch *batch,
                         const char *columns);

/* Columns with the same value in each row: what is of the trace. */
struct orma_fleet_trace_cells {
    uint32_t day;
    struct orma_str build, machine;
    uint64_t load;
};
void orma_fleet_put_head(struct orma_buf *out, const struct orma_fleet_trace_cells *cells,
                         uint64_t rows);
#endif
