/*
 * The tables of a loaded trace as an SQLite file that every SQLite reads.
 */
#ifndef ORMA_PROCESSOR_EXPORT_SQLITE_H
#define ORMA_PROCESSOR_EXPORT_SQLITE_H
#include "processor/export/pieces.h"
#include "processor/processor.h"

/*
 * Stored tables come under their own names (__intrinsic_slice), what people query (slice, thread,
 * args, and what else was defined) as tables, too, so that no function of ours is needed to read
 * them. `fd` is empty; an SQLite file is not written from front to back, so what cannot be read and
 * written anywhere (a pipe) gets a copy of a temporary one. -errno, with the reason in `error`;
 * then what is in `fd` is nothing.
 */
int orma_export_sqlite(struct orma_processor *tp, int fd, struct orma_buf *error);

/* The same into a file of our own in the temporary folder, handed over in pieces (at least one). */
int orma_export_sqlite_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                              struct orma_buf *error);
#endif
