/*
 * Rows of clock_snapshot: what clocks showed at one time, whoever said so.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_CLOCK_ROWS_H
#define ORMA_PROCESSOR_IMPORT_CORE_CLOCK_ROWS_H
#include "processor/model/model.h"
#include "processor/read/reader.h"

/* One snapshot, with full keys; clocks that can't be related to the trace's get no row. */
void orma_import_clocks(struct orma_model *model, struct orma_reader *reader,
                        const struct orma_clock_value *values, uint32_t num, uint32_t snapshot);

/* What can't be related is logged: these are the reader's hooks, with an import as data. */
void orma_import_clocks_tied(void *data, const struct orma_clock_value *values, uint32_t num);
void orma_import_clocks_unrelatable(void *data, uint16_t machine, uint32_t source, uint32_t target);
void orma_import_clocks_mixed(void *data, uint16_t machine, int64_t num);
void orma_import_clocks_restarted(void *data, uint16_t machine, int64_t later_ns);
void orma_import_clocks_assumed(void *data, uint16_t machine, uint32_t source);
void orma_import_clocks_failed(void *data, uint16_t machine, enum orma_stat stat, uint64_t source,
                               int64_t ns, uint64_t target, int64_t offset);
void orma_import_clocks_undeferrable(void *data, uint16_t machine, int64_t offset);
#endif
