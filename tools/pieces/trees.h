/*
 * Descriptions of processes in a cut. They are repeated as long as a recording goes on, mostly in
 * the same words. All are in a piece that are within its range; of those before it, and behind it,
 * equal ones are there once, in the last place: so whoever reads the piece knows the same processes
 * and threads, by the same names, at each time of the range.
 */
#ifndef ORMA_TOOLS_PIECES_TREES_H
#define ORMA_TOOLS_PIECES_TREES_H
#include "sdk/base/map.h"
#include "tools/pieces/known.h"

struct orma_pieces_trees {
    struct orma_map last; /* what and whether before or behind → number of the last packet */
    bool failed;          /* no memory: nothing may be left out */
};

/* Where a packet is. */
enum orma_pieces_side { ORMA_PIECES_BEFORE, ORMA_PIECES_WITHIN, ORMA_PIECES_BEHIND };

/* A list of processes and threads, in the order of the file. */
void orma_pieces_trees_note(struct orma_pieces_trees *self, const struct orma_pieces_seq *seq,
                            const struct orma_pieces_packet *packet, enum orma_pieces_side side);

/* The same list with what is to be in the piece. False: nothing is left of it. */
bool orma_pieces_trees_write(const struct orma_pieces_trees *self,
                             const struct orma_pieces_seq *seq,
                             const struct orma_pieces_packet *packet, enum orma_pieces_side side,
                             struct orma_buf *out);

void orma_pieces_trees_fini(struct orma_pieces_trees *self);
#endif
