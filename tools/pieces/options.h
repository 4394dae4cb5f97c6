/*
 * What the command lines of cut, split, filter, redact and recompress share.
 */
#ifndef ORMA_TOOLS_PIECES_OPTIONS_H
#define ORMA_TOOLS_PIECES_OPTIONS_H
#include "tools/base/cli.h"
#include "tools/pieces/piece.h"

/* Options that orma_pieces_take_other() takes; those of a command begin at 1. */
enum {
    ORMA_PIECES_OPT_OUTPUT = 100,
    ORMA_PIECES_OPT_FORCE,
    ORMA_PIECES_OPT_COMPRESS,
};

#define ORMA_PIECES_OUTPUT_OPTION(name)                                                            \
    {                                                                                              \
        ORMA_PIECES_OPT_OUTPUT, 'o', "output", "FILE",                                             \
            "Write to this file; -: standard output (" name ")."                                   \
    }
#define ORMA_PIECES_FORCE_OPTION(help)                                                             \
    {                                                                                              \
        ORMA_PIECES_OPT_FORCE, 'f', "force", NULL, help                                            \
    }
#define ORMA_PIECES_OVERWRITE "Overwrite the output if it exists."
#define ORMA_PIECES_COMPRESS_OPTION(otherwise)                                                     \
    {                                                                                              \
        ORMA_PIECES_OPT_COMPRESS, 0, "compress", "none|deflate|zstd",                              \
            "How packets are compressed (" otherwise ")."                                          \
    }

struct orma_pieces_args {
    const char *suffix; /* of the output's name, unless one is given */
    const char *trace, *output;
    bool force;
    enum orma_pieces_packing packing;
    char room[4096]; /* for the name of the output */
};

/* Each: -1, or what to exit with after a message. */
int orma_pieces_take_other(struct orma_cli *cli, int id, struct orma_pieces_args *args);
int orma_pieces_finish_args(struct orma_cli *cli, struct orma_pieces_args *args,
                            struct orma_output_want *ret);

/* "run/trace.pftrace" → "trace": the name of the trace without its last suffix. */
struct orma_str orma_pieces_stem(const char *trace);
#endif
