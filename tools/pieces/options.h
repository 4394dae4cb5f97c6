/*
 * What the command lines of cut, split, filter, redact and recompress share.
 */
#ifndef ORMA_TOOLS_PIECES_OPTIONS_H
#define ORMA_TOOLS_PIECES_OPTIONS_H
#include "tools/base/cli.h"
#include "tools/pieces/piece.h"

#define ORMA_PIECES_OUTPUT_OPTION(id, name)                                                        \
    {                                                                                              \
        id, 'o', "output", "FILE", "Write to this file; -: standard output (" name ")."            \
    }
#define ORMA_PIECES_FORCE_OPTION(id)                                                               \
    {                                                                                              \
        id, 'f', "force", NULL, "Overwrite the output if it exists."                               \
    }
#define ORMA_PIECES_COMPRESS_OPTION(id)                                                            \
    {                                                                                              \
        id, 0, "compress", "none|deflate|zstd", "How packets are compressed (as in TRACE)."        \
    }

struct orma_pieces_args {
    const char *suffix; /* of the output's name, unless one is given */
    const char *trace, *output;
    bool force;
    char room[4096]; /* for the name of the output */
};

/* Each: -1, or what to exit with after a message. */
int orma_pieces_take_packing(struct orma_cli *cli, enum orma_pieces_packing *ret);
int orma_pieces_take_other(struct orma_cli *cli, int id, struct orma_pieces_args *args);
int orma_pieces_finish_args(struct orma_cli *cli, struct orma_pieces_args *args,
                            struct orma_output_want *ret);

/* "run/trace.pftrace" → "trace": the name of the trace without its last suffix. */
struct orma_str orma_pieces_stem(const char *trace);
#endif
