/*
 * The stored tables of a loaded trace as Arrow files in one tar archive: `__intrinsic_slice.arrow`
 * ...
 */
#ifndef ORMA_PROCESSOR_EXPORT_ARROW_TAR_H
#define ORMA_PROCESSOR_EXPORT_ARROW_TAR_H
#include "processor/export/pieces.h"
#include "processor/processor.h"

/* Written from where `fd` stands: to a file that can be read and written anywhere, as the head of a
 * member has its size. -errno, with the reason in `error`; then what was written is nothing. */
int orma_export_arrow_tar(struct orma_processor *tp, int fd, struct orma_buf *error);

/* The same handed over in pieces (at least one). */
int orma_export_arrow_tar_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                                 struct orma_buf *error);
#endif
