/*
 * orma cut, orma split.
 */
#ifndef ORMA_TOOLS_PIECES_CUT_H
#define ORMA_TOOLS_PIECES_CUT_H
#include "tools/pieces/piece.h"

struct orma_pieces_cut_request {
    const char *program, *path;
    const char *from, *to; /* as people write times; NULL: from the beginning, to the end */
    const int64_t *range;  /* instead: two timestamps of the trace, which may lie outside of it */
    struct orma_output_want want;
    enum orma_pieces_packing packing;
};

/* 0, or -errno after a message. */
int orma_pieces_cut(const struct orma_pieces_cut_request *request);

/* More pieces than that are refused: all are open at a time. */
#define ORMA_PIECES_MAX 1000

struct orma_pieces_split_request {
    const char *program, *path;
    uint64_t every; /* ns; or: */
    uint64_t size;  /* bytes, about */
    const char *folder;
    bool force; /* pieces that are there are overwritten, and removed if there are more of them */
    enum orma_pieces_packing packing;
};

/* The same. *ret: how many pieces there are. */
int orma_pieces_split(const struct orma_pieces_split_request *request);
#endif
