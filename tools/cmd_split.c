/*
 * orma split: a trace as several smaller ones, one after the other.
 */
#include <stdio.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/pieces/cut.h"
#include "tools/pieces/options.h"

enum { OPT_EVERY = 1, OPT_SIZE };

static const struct orma_option options[] = {
    {OPT_EVERY, 0, "every", "DURATION", "Pieces of this length, such as 10s."},
    {OPT_SIZE, 0, "size", "SIZE", "Pieces of about this size, such as 100mb, before compression."},
    {ORMA_PIECES_OPT_OUTPUT, 'o', "output", "FOLDER",
     "Where the pieces go: TRACE-001.pftrace, TRACE-002.pftrace, ... (the current folder)."},
    ORMA_PIECES_COMPRESS_OPTION("as in TRACE"),
    ORMA_PIECES_FORCE_OPTION(
        "Overwrite pieces of an earlier run, and remove those that are more than there are now."),
    {0},
};

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_pieces_split_request request = {.program = "orma split"};
    struct orma_pieces_args args = {.suffix = NULL};
    struct orma_output_want want;
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, request.program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_EVERY:
            if (!orma_units_parse_time_ns(cli.value, &request.every) || !request.every)
                code = orma_cli_usage_error(&cli, "%s %s: expected a duration, such as 10s",
                                            cli.option, cli.value);
            break;
        case OPT_SIZE:
            if (!orma_units_parse_size_bytes(cli.value, &request.size) || !request.size)
                code = orma_cli_usage_error(&cli, "%s %s: expected a size, such as 100mb",
                                            cli.option, cli.value);
            break;
        default:
            code = orma_pieces_take_other(&cli, id, &args);
        }
    }
    if (code < 0 && args.output && !strcmp(args.output, "-"))
        code = orma_cli_usage_error(&cli, "-o -: pieces are several files: name a folder");
    if (code < 0 && !request.every == !request.size)
        code = orma_cli_usage_error(&cli, "add either --every DURATION or --size SIZE");
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &want);
    if (code >= 0)
        return code;
    request.path = args.trace;
    request.packing = args.packing;
    request.folder = args.output ? args.output : ".";
    request.force = args.force;
    return orma_output_exit(orma_pieces_split(&request));
}

const struct orma_command orma_cmd_split = {
    .name = "split",
    .in_short = true,
    .summary = "Split a trace into several smaller ones.",
    .synopsis = "TRACE (--every DURATION | --size SIZE) [-o FOLDER]",
    .details =
        "Each piece loads alone, in any reader of the format. Every event is in exactly one piece: "
        "slices in the one in which they begin, together with their ends, kernel events one by one "
        "by their times. What has no time (descriptions of processes and tracks, clocks, the "
        "configuration, counts of losses) is in all of them. So `orma merge` makes the events of "
        "the whole trace out of the pieces.\n"
        "In a piece, slices that began before it are not there, and the first switch of each CPU "
        "may only say which thread runs next.",
    .examples = "  orma split long.pftrace --every 10s -o pieces\n"
                "  orma split long.pftrace --size 100mb -o pieces\n",
    .options = options,
    .run = run,
};
