/*
 * Exports in pieces: written to a temporary file, since formats fill in later what stands in front,
 * and read from there.
 */
#ifndef ORMA_PROCESSOR_EXPORT_PIECES_H
#define ORMA_PROCESSOR_EXPORT_PIECES_H
#include <stdbool.h>

#include "sdk/base/buf.h"

struct orma_processor;

/* Takes a piece of the file; false: enough. */
typedef bool orma_export_piece_fn(void *ctx, const void *data, size_t len, bool more);

/* A file of ours in the temporary folder, which nobody else sees. Descriptor or -errno, with the
 * reason in `error`. */
int orma_export_temporary(struct orma_buf *error);

/* An export in pieces. 0 or -errno, with the reason in `error`. */
typedef int orma_export_pieces_fn(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                                  struct orma_buf *error);

/* Its pieces to a descriptor, which may be a pipe. */
int orma_export_write(struct orma_processor *tp, orma_export_pieces_fn *export, int fd,
                      struct orma_buf *error);

/* What is in it from where it stands, in pieces. 0 or -errno. */
int orma_export_hand_over(int fd, orma_export_piece_fn *fn, void *ctx);
#endif
