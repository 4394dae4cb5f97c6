/*
 * The tables of a loaded trace as an SQLite file that every SQLite reads.
 */
#ifndef ORMA_PROCESSOR_SERVE_EXPORT_SQLITE_H
#define ORMA_PROCESSOR_SERVE_EXPORT_SQLITE_H
#include "processor/processor.h"
#include "sdk/base/buf.h"

/*
 * Stored tables come under their own names (__intrinsic_slice), what people query (slice, thread,
 * views) as tables, too, so that no function of ours is needed to read them. An existing file is
 * replaced when all is written. -errno, with the reason in `error`.
 */
int orma_export_sqlite(struct orma_processor *tp, const char *path, struct orma_buf *error);
#endif
