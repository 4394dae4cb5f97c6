/*
 * Rows of a query as files of tables for other engines, batch by batch: what is held is one batch.
 *
 * Columns are flat and have the types that columns.h settles; all may be NULL.
 */
#ifndef ORMA_PROCESSOR_EXPORT_FILES_H
#define ORMA_PROCESSOR_EXPORT_FILES_H
#include <stdio.h>

#include "processor/columns/columns.h"

/* 0; -EIO: `out` refused; what orma_columns_next() gives; -ENOMEM; -EFBIG: texts of a batch of an
 * Arrow file are larger than 2 GiB. */
int orma_export_parquet(struct orma_columns *columns, FILE *out);
int orma_export_arrow(struct orma_columns *columns, FILE *out);
#endif
