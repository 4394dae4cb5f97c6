/*
 * The second look at a trace: each packet goes to the piece that it is for.
 *
 *   what has a time     to the piece of that time, unless the survey has moved it
 *   kernel events       one by one
 *   what has none       to all pieces: descriptions, configurations, clocks
 */
#ifndef ORMA_TOOLS_PIECES_COPY_H
#define ORMA_TOOLS_PIECES_COPY_H
#include "tools/pieces/piece.h"
#include "tools/pieces/survey.h"

struct orma_pieces_copied {
    uint64_t timeless; /* packets whose time nobody can tell: in no piece */
};

/* 0, or -errno after a message; errors of a piece are in it. */
int orma_pieces_copy(struct orma_pieces_source *source, struct orma_pieces_survey *survey,
                     const struct orma_pieces_edges *edges, struct orma_pieces_piece *pieces,
                     struct orma_pieces_copied *ret);
#endif
