/*
 * orma filter: what belongs to some processes, threads, or kinds of packets, or all but that.
 */
#ifndef ORMA_TOOLS_PIECES_FILTER_H
#define ORMA_TOOLS_PIECES_FILTER_H
#include "tools/pieces/piece.h"

#define ORMA_PIECES_WANTS_MAX 64

struct orma_pieces_wants {
    const char *patterns[ORMA_PIECES_WANTS_MAX];
    unsigned num;
};

struct orma_pieces_filter_request {
    const char *program, *path;
    struct orma_pieces_wants processes, threads, categories, sources;
    bool invert; /* all but that */
    struct orma_output_want want;
    enum orma_pieces_packing packing;
};

/* 0, or -errno after a message. */
int orma_pieces_filter(const struct orma_pieces_filter_request *request);
#endif
