/*
 * The tables of a loaded trace as an SQLite file that every SQLite reads.
 */
#ifndef ORMA_PROCESSOR_EXPORT_SQLITE_H
#define ORMA_PROCESSOR_EXPORT_SQLITE_H
#include "processor/processor.h"
#include "sdk/base/buf.h"

/*
 * Stored tables come under their own names (__intrinsic_slice), what people query (slice, thread,
 * views) as tables, too, so that no function of ours is needed to read them. An existing file is
 * replaced when all is written. -errno, with the reason in `error`.
 */
int orma_export_sqlite(struct orma_processor *tp, const char *path, struct orma_buf *error);

/* Takes a piece of the file; false: enough. */
typedef bool orma_export_piece_fn(void *ctx, const void *data, size_t len, bool more);

/* The same into a file of our own in the temporary folder, handed over in pieces (at least one). */
int orma_export_sqlite_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                              struct orma_buf *error);
#endif
