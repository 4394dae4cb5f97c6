/*
 * A loaded trace as an archive: what the import left behind, which the same version of this library
 * loads instead of the trace (api/archived.h). Nothing that queries made is in it.
 */
#ifndef ORMA_PROCESSOR_EXPORT_ARCHIVE_H
#define ORMA_PROCESSOR_EXPORT_ARCHIVE_H
#include "processor/export/pieces.h"
#include "processor/processor.h"

/* Handed over in pieces (at least one): its head is written last. -errno, with the reason in
 * `error`. */
int orma_export_archive_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                               struct orma_buf *error);
#endif
