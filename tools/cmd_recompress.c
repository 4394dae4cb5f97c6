/*
 * orma recompress: the same packets, packed in another way.
 */
#include <stdio.h>

#include "tools/commands.h"
#include "tools/pieces/options.h"
#include "tools/pieces/redact.h"

enum { OPT_COMPRESS = 1, OPT_OUTPUT, OPT_FORCE };

static const struct orma_option options[] = {
    ORMA_PIECES_OUTPUT_OPTION(OPT_OUTPUT, "TRACE-recompressed.pftrace"),
    {OPT_COMPRESS, 0, "compress", "none|deflate|zstd", "How packets are compressed (zstd)."},
    ORMA_PIECES_FORCE_OPTION(OPT_FORCE),
    {0},
};

static int run(const struct orma_command *self, int argc, char **argv)
{
    enum orma_pieces_packing packing = ORMA_PIECES_ZSTD;
    struct orma_pieces_args args = {.suffix = "-recompressed"};
    struct orma_output_want want;
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, "orma recompress", argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_OUTPUT:
            args.output = cli.value;
            break;
        case OPT_FORCE:
            args.force = true;
            break;
        case OPT_COMPRESS:
            code = orma_pieces_take_packing(&cli, &packing);
            break;
        default:
            code = orma_pieces_take_other(&cli, id, &args);
        }
    }
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &want);
    if (code >= 0)
        return code;
    return orma_output_exit(orma_pieces_recompress(args.trace, &want, packing));
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
