/*
 * orma redact: a trace without its texts. orma recompress: the same packets, packed in another way.
 */
#ifndef ORMA_TOOLS_PIECES_REDACT_H
#define ORMA_TOOLS_PIECES_REDACT_H
#include "tools/pieces/piece.h"

#define ORMA_PIECES_PATTERNS_MAX 256

struct orma_pieces_redact_request {
    const char *program, *path;
    const char *keep[ORMA_PIECES_PATTERNS_MAX]; /* texts that stay */
    const char *hide[ORMA_PIECES_PATTERNS_MAX]; /* if any: the only ones that go */
    unsigned keep_num, hide_num;
    bool drop_args;
    struct orma_output_want want;
    enum orma_pieces_packing packing;
};

/* 0, or -errno after a message. */
int orma_pieces_redact(const struct orma_pieces_redact_request *request);

int orma_pieces_recompress(const char *path, const struct orma_output_want *want,
                           enum orma_pieces_packing packing);
#endif
