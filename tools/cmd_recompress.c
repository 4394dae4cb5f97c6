/*
 * orma recompress: the same packets, packed in another way.
 */
#include <stdio.h>

#include "tools/commands.h"
#include "tools/pieces/options.h"
#include "tools/pieces/redact.h"

static const struct orma_option options[] = {
    ORMA_PIECES_OUTPUT_OPTION("TRACE-recompressed.pftrace"),
    ORMA_PIECES_COMPRESS_OPTION("zstd"),
    ORMA_PIECES_FORCE_OPTION(ORMA_PIECES_OVERWRITE),
    {0},
};

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_pieces_args args = {.suffix = "-recompressed", .packing = ORMA_PIECES_ZSTD};
    struct orma_output_want want;
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, "orma recompress", argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END)
        code = orma_pieces_take_other(&cli, id, &args);
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &want);
    if (code >= 0)
        return code;
    return orma_output_exit(orma_pieces_recompress(args.trace, &want, args.packing));
}

const struct orma_command orma_cmd_recompress = {
    .name = "recompress",
    .in_short = true,
    .summary = "Compress the packets of a trace, or unpack them.",
    .synopsis = "TRACE [--compress none|deflate|zstd] [-o FILE]",
    .details = "The packets stay byte for byte what they are. Older readers of the format know "
               "deflate only.",
    .examples = "  orma recompress trace.pftrace -o small.pftrace\n"
                "  orma recompress small.pftrace --compress none -o - | protoc --decode_raw\n",
    .options = options,
    .run = run,
};
